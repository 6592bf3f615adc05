"""Checks a whole chain, an export of `roshambo export` or the folder of `roshambo mirror`, from genesis.

verify.py, beside this file, runs it:

    python3 verify.py [--key VERIFIER_KEY] [--witness KEY …] [--quorum N] [--witnesses-from HEIGHT] [--json]
                      chain.jsonl|FOLDER

An export has a first line, then for each block the header raw, the raws of its
transactions and the transcripts and tables that they pin (games.py and tables.py check them),
one per line, then the checkpoint. The script reads it line by line; its memory
grows with the number of accounts, tokens, runs and duels. A chain is valid if every
transaction follows the rules in force, and every balance, nonce, owner and commitment follows
from the transactions before it. The Go verifier (package chain/replay) accepts exactly the
same chains. docs/protocol.md is the specification.
"""
import bisect
import functools

from games import Games
from verify import (
    Fail, Few, Note, address, bounds, canonical, checkpoint, conform, cosigned, document, hash_text, is_name, judged, parse,
    parse_note, parse_tree, read_policy, require, sha256, MAX_APART, MAX_INT, SCALARS, SEEDS, SHAPES, SPARRING_BOT,
)

EXPORT = "roshambo/chain-export/v1"
MAX_LINE = 4 << 20  # bytes
MAX_BLOCK = 64 << 20  # bytes
MAX_TXS = 100_000  # of one block
MAX_ID = 2**31 - 1  # of a token, listing or offer; also the largest stake and price
MAX_COINS = 1 << 40  # of an amount in the rules
MAX_PAUSE = 1 << 40  # of the faucet, in milliseconds
MAX_FREE = 1_000  # free entries a day
MAX_TIERS = 62
MAX_TEXT = 64  # bytes of an id or material
FULL = 10_000  # basis points
NO_HASH = "0" * 64
SLACK = 60_000  # milliseconds that a transaction may be earlier than the block before its own
QUIET = 6 * 60 * 1000  # milliseconds between two blocks that are no gap
SEASON_DAYS = 28
NOTICE = 24 * 60 * 60 * 1000  # milliseconds from the block with the announcement of rules to their beginning
TRIAL = 60 * 60 * 1000  # milliseconds after genesis until which the block of an announcement lets rules begin at once
DAY = 24 * 60 * 60 * 1000  # milliseconds
SECURE_FOR = 3 * DAY  # until an account with a bound start wins free tokens without paying

TABLE = """
export       blocks:whole format:text transactions:whole verifier_key:text
kept         kept:text
last         checkpoint:text
genesis      name:text rules:numbers
rules        number:whole rules:numbers
rules.begin  number:whole
numbers      buyback_bps:whole entry_fee:whole faucet_amount:whole faucet_pause:whole free_per_day:whole
             market_fee_bps:whole starting_balance:whole tiers:rung*
rung         material:text tier:whole value:whole
account.secure secured:yes
faucet
market.sale  listing_id:whole
buyback      bound:bool offer_id:whole
season.close season:whole table_hash:hash
cup.close    cup:whole table_hash:hash
result.void  game:text reason_hash:hash
result.restore game:text reason_hash:hash restored:yes
"""
ROWS = [row.split() for row in TABLE.strip().replace("\n  ", " ").split("\n")]
SCALARS["yes"] = lambda v: v is True
SHAPES.update({name: dict(member.split(":") for member in members) for name, *members in ROWS})

# ------------------------------------------------------------------ the rules


def check_rules(rules):
    """Checks that every number and text of the rules is within its bounds."""
    tiers = rules["tiers"]
    require(1 <= len(tiers) <= MAX_TIERS, f"rules have 1 to {MAX_TIERS} tiers")
    for k, rung in enumerate(tiers, 1):
        require(rung["tier"] == k, "tiers are numbered 1, 2, 3 and so on")
        require(1 <= len(rung["material"].encode()) <= MAX_TEXT, f"the material of tier {k} has 1 to {MAX_TEXT} bytes")
        require(1 <= rung["value"] <= MAX_COINS, f"the value of tier {k} is 1 to {MAX_COINS}")
    for member in ("entry_fee", "faucet_amount"):
        require(1 <= rules[member] <= MAX_COINS, f"{member} is 1 to {MAX_COINS}")
    require(rules["faucet_pause"] <= MAX_PAUSE, f"faucet_pause is 0 to {MAX_PAUSE}")
    require(rules["free_per_day"] <= MAX_FREE, f"free_per_day is 0 to {MAX_FREE}")
    require(rules["starting_balance"] <= MAX_COINS, f"starting_balance is 0 to {MAX_COINS}")
    points = max(rules["buyback_bps"], rules["market_fee_bps"])
    require(points <= FULL, "buyback and market fee are 0 to 10000 basis points")


def coins(giver, taker, amount):
    return {"asset": "coin", "from": giver, "to": taker, "amount": amount}


def token(token_id, giver, taker, **tier):
    return {"asset": "token", "token_id": token_id, "from": giver, "to": taker, **tier}


def transfers_are(tx, *due):
    """Checks that the transfers are exactly due, in order. Transfers of 0 coins in due are skipped."""
    due = [move for move in due if move.get("amount") != 0]
    require(tx["transfers"] == due, f"{tx['kind']}: its transfers are not those of its kind")


def token_at(tx, index):
    """Returns the id and the sender of the token that the transfer at index moves."""
    moves = tx["transfers"]
    present = -len(moves) <= index < len(moves) and moves[index]["asset"] == "token"
    require(present, f"{tx['kind']}: its transfers are not those of its kind")
    return moves[index]["token_id"], moves[index]["from"]


def check_id(text):
    require(1 <= len(text.encode()) <= MAX_TEXT, f"an id has 1 to {MAX_TEXT} bytes")


@functools.lru_cache(maxsize=1 << 14)
def escrow(duel_id):
    """Returns the address that holds the stakes of a duel."""
    return address(hash_text("escrow", duel_id)[:20])




# ------------------------------------------------------------------ the state


class State:
    """The state that follows from the transactions so far.

    Accounts are keyed by address, tokens, runs and duels by id. A run or duel that is over is
    None, because it must not start again.
    """

    def __init__(self):
        self.name, self.rules, self.number = None, None, 0  # the rules are those for the transaction being applied
        self.latest, self.waits, self.since = None, False, 0  # the rules announced last; whether and until when they wait
        self.block_time = 0  # of the block being applied
        self.announced, self.begins = None, []  # the block of the last announcement, and the beginnings of rules
        self.recovery, self.crossing = 0, False  # the last one's number, and whether games in play at it are left
        self.tree = []  # of the log, without the block being applied; read_block's caller grows it
        self.height, self.rotated = 0, {}  # of the block being applied; by address, that of the last rotation
        self.active = set()  # ids of the duels with two stakes that are not settled
        self.epoch = {}  # by address: the number of the last recovery before the commitment was published
        self.nonce, self.balance, self.commitment = {}, {}, {}  # by address; escrows have a balance only
        self.bound = {}  # by address: the bound coins in the balance
        self.marked, self.bots = set(), set()  # addresses with a bound start, and of bots
        self.secured, self.paid = {}, {}  # by address: times of securing and of the last faucet
        self.playing = {}  # by address: the entry of the open run, its coins, and the bound ones of them
        self.entries = {}  # by address and entry, free or daily: the last day with one, and how many on it
        self.tokens = {}  # id: (tier, owner, bound); no owner when destroyed
        self.runs = {}  # id: (player, first tier, bound)
        self.duels = {}  # id: (first to stake, second, stake of each)
        self.rated = set()  # ids of the settled duels that are rated
        self.listings, self.offers = set(), set()  # the ids of those that were sold and accepted
        self.voided = {}  # by game whose result was declared void: the last season that was closed before
        self.restored = set()  # games whose result is valid again
        self.began, self.season = 0, 0  # the time of genesis, and the last season that was closed
        self.cups = set()  # the numbers of those that were closed
        self.published = set()  # all commitments: each is published once, so it is used once
        self.games = Games()
        self.games.tables.voided, self.games.tables.restored = self.voided, self.restored

    def apply(self, tx, first):
        """Applies a transaction. first is true for the first one of the chain."""
        kind, actor, data = tx["kind"], tx["actor"], tx["data"]
        require(kind in RULES, f"unknown kind {kind}")
        require((kind == "genesis") == first, "genesis comes first, and once")
        chains_own, check = RULES[kind]
        self.check_crossing(kind, data)
        require((actor is None) == chains_own, f"{kind} has the wrong actor")
        for move in tx["transfers"]:
            self.check_transfer(kind, move)
        if actor is not None:
            created = kind == "account.create"
            require(created != (actor in self.nonce), f"{kind}: the account is {'not ' * (not created)}there already")
            require(not created or not self.balance.get(actor), f"{kind}: the address holds the stakes of a duel")
        require(tx["nonce"] == (0 if actor is None else self.nonce.get(actor, 0)), f"{kind}: the nonce has a gap")
        if actor is not None:
            self.nonce[actor] = tx["nonce"] + 1
        check(self, tx, actor, data)
        self.move(tx, escrow(data["duel_id"]) if "duel_id" in data else None)
        self.crossing = self.crossing and bool(self.playing or self.active)

    def check_crossing(self, kind, data):
        """Checks that a recovery ends all games in play before anything else, and that nothing else makes one void."""
        void = kind in ("run.end", "duel.settle") and data["status"] == "void"
        ends = void or kind == "run.end" and data["status"] == "claimed"
        require(self.crossing or not void, f"{kind}: a game is void only at a recovery")
        allowed = not self.crossing or kind == "recovery" or ends
        require(allowed, f"{kind}: games in play at recovery {self.recovery} have not ended")
        settled = kind != "duel.settle" or not void or data["duel_id"] in self.active
        require(settled, f"{kind}: the duel was not active at a recovery")

    def check_transfer(self, kind, move):
        """Refuses a transfer that no kind allows."""
        require(move["from"] != move["to"], f"{kind}: a transfer from an address to itself")
        if move["asset"] == "coin":
            require(1 <= move["amount"], f"{kind}: a transfer of no coins")
            return
        require(move["token_id"] <= MAX_ID, f"{kind}: a token id above {MAX_ID}")
        created = move["from"] is None
        require(("tier" in move) == created, f"{kind}: a token's tier is stated when it is created, and only then")
        require(move.get("tier", 0) <= MAX_TIERS + 1, f"{kind}: a tier beyond the highest")

    def move(self, tx, stakes):
        """Moves the coins and tokens. stakes is the escrow, which has a balance without an account.

        No coin that an account keeps may be bound: the rules have taken the bound coins of an entry fee before.
        """
        delta = {}
        for move in tx["transfers"]:
            if move["asset"] == "token":
                self.move_token(move, tx["data"].get("bound", False))
            for side, amount in ((move["from"], -1), (move["to"], 1)):
                if side is not None:
                    delta[side] = delta.get(side, 0) + amount * move.get("amount", 0)
        for side, amount in delta.items():
            require(side in self.nonce or side == stakes, f"there is no account {side}")
            balance = self.balance.get(side, 0) + amount
            require(0 <= balance <= MAX_INT, f"{side} has too few coins, or more than 2^53")
            require(self.bound.get(side, 0) <= balance, f"{side} has too few free coins")
            self.balance[side] = balance
        if stakes is not None and delta:
            require(stakes not in self.nonce, "an account cannot be an escrow")

    def move_token(self, move, bound):
        token_id, tier = move["token_id"], move.get("tier")
        if tier is not None:
            require(token_id not in self.tokens, f"token {token_id} is created twice")
        else:
            tier, owner, marked = self.tokens.get(token_id, (0, None, False))
            require(owner is not None and owner == move["from"], f"token {token_id} does not belong to its sender")
            require(marked == bound, f"token {token_id} is {'' if marked else 'not '}bound")
        self.tokens[token_id] = tier, move["to"], bound

    def tier_of(self, token_id):
        return self.tokens.get(token_id, (0, None))[0]

    def add_bound(self, address, amount):
        self.bound[address] = self.bound.get(address, 0) + amount

    def enter(self, tx, actor, data):
        """Applies an entry: the uses of the day, the bound coins of a fee, and whether the run must win a bound token.

        A free or daily run may win one in any case: the service decides so beyond a number of runs of one
        network address, which the chain does not know.
        """
        entry, time, bound = data["entry"], tx["time"], data["bound"]
        self.playing[actor] = entry, 0, 0
        if entry == "fee":
            taken = min(self.bound.get(actor, 0), self.rules["entry_fee"])
            require((taken > 0) == bound, "run.start: wins a bound token exactly when bound coins pay its entry")
            self.add_bound(actor, -taken)
            self.playing[actor] = entry, self.rules["entry_fee"], taken
        if entry in ("free", "daily"):
            since = self.secured.get(actor, 0)
            waits = actor in self.marked and (since == 0 or time < since + SECURE_FOR)
            require(bound or not waits, "run.start: wins a free token, with a bound start and not secured for 3 days")
            used = self.entries.setdefault((actor, entry), [0, 0])
            if time // DAY > used[0]:
                used[:] = [time // DAY, 0]
            used[1] += 1
            limit = self.rules["free_per_day"] if entry == "free" else 1
            require(used[1] <= limit, "run.start: the entry is used up for the day")

    # One method per kind, in the order of the protocol's table: its rules, and its effects beside the transfers.

    def genesis(self, tx, actor, data):
        require(is_name(data["name"]), "the chain's name is malformed")
        check_rules(data["rules"])
        transfers_are(tx)
        self.name, self.latest, self.began = data["name"], data["rules"], tx["time"]
        self.rules = self.latest

    def publish(self, actor, commitment):
        self.epoch[actor] = self.recovery
        require(commitment not in self.published, "the commitment was published before")
        self.published.add(commitment)
        self.commitment[actor] = commitment

    def change_rules(self, tx, actor, data):
        require(data["number"] == self.number + 1, f"these are not the rules number {self.number + 1}")
        require(not self.waits, "rules: those announced before have not begun")
        check_rules(data["rules"])
        transfers_are(tx)
        self.number, self.latest, self.waits = data["number"], data["rules"], True
        self.since = 0 if self.block_time <= self.began + TRIAL else self.block_time + NOTICE
        self.announced = self.height

    def begin_rules(self, tx, actor, data):
        require(self.waits, "rules.begin: no rules wait")
        require(data["number"] == self.number, f"rules.begin: these are not the rules number {self.number}")
        require(tx["time"] >= self.since, "rules.begin: less than a day after the block of the announcement")
        transfers_are(tx)
        self.rules, self.waits = self.latest, False
        self.begins.append((self.announced, self.height, tx["time"]))

    def recover(self, tx, actor, data):
        require(data["recovery"] == self.recovery + 1, f"this is not recovery number {self.recovery + 1}")
        lost = data["lost"]
        kept = {"root": root_of(self.tree).hex(), "size": self.height}
        gone = not lost or lost["size"] >= self.height and lost != kept
        require(gone, f"recovery: a lost tree of at least {self.height} blocks, other than theirs")
        transfers_are(tx)
        self.recovery, self.crossing = data["recovery"], bool(self.playing or self.active)

    def rotate(self, tx, actor, data):
        transfers_are(tx)
        require(data["commitment"] == self.commitment[actor], f"{tx['kind']}: not the outstanding commitment")
        other = data["next_commitment"] not in (NO_HASH, data["commitment"])
        require(other, f"{tx['kind']}: publishes no other commitment")
        require(actor not in self.playing, f"{tx['kind']}: a run of the account is not over")
        require(self.epoch[actor] < self.recovery, f"{tx['kind']}: the commitment is not older than the last recovery")
        self.rotated[actor] = self.height
        self.publish(actor, data["next_commitment"])

    def create(self, tx, actor, data):
        require(actor != SPARRING_BOT, "the sparring bot has no account")
        require(data["commitment"] != NO_HASH, "a commitment of zeros")
        transfers_are(tx, coins(None, actor, self.rules["starting_balance"]))
        self.publish(actor, data["commitment"])
        if data["bound"]:
            self.marked.add(actor)
            self.add_bound(actor, self.rules["starting_balance"])
        if data["kind"] == "account":
            self.secured[actor] = tx["time"]
        if data["kind"] == "bot":
            self.bots.add(actor)

    def secure(self, tx, actor, data):
        require(tx["time"] > 0, "account.secure: at time 0")
        transfers_are(tx)
        require(not self.secured.get(actor) and actor not in self.bots, "account.secure: secured already, or a bot")
        self.secured[actor] = tx["time"]

    def faucet(self, tx, actor, data):
        transfers_are(tx, coins(None, actor, self.rules["faucet_amount"]))
        last, pause = self.paid.get(actor, 0), self.rules["faucet_pause"]
        require(last == 0 or pause == 0 or tx["time"] >= last + pause, "faucet: pays the account too early")
        self.paid[actor] = tx["time"]
        self.add_bound(actor, self.rules["faucet_amount"])

    def start(self, tx, actor, data):
        entry, first = data["entry"], data["first_tier"]
        check_id(data["run_id"])
        require((first > 0) == (entry == "burn"), "the first tier is that of a burnt token, 0 without one")
        if entry == "burn":
            token_id = token_at(tx, 0)[0]
            transfers_are(tx, token(token_id, actor, None))
            require(first <= MAX_TIERS, "the first tier is that of the burnt token")
            require(self.tier_of(token_id) == first, "the first tier is not that of the burnt token")
        else:
            transfers_are(tx, coins(actor, None, self.rules["entry_fee"] if entry == "fee" else 0))
        require(data["commitment"] == self.commitment[actor], "run.start: not the account's outstanding commitment")
        other = data["next_commitment"] not in (NO_HASH, data["commitment"])
        require(other, "run.start: publishes no other commitment")
        require(data["run_id"] not in self.runs, "run.start: the run is there already")
        require(actor not in self.playing, "run.start: another run of the account is not over")
        require(self.epoch[actor] == self.recovery, "run.start: the commitment is older than the last recovery")
        require(self.rotated.get(actor) != self.height, "run.start: the commitment was rotated in the same block")
        self.enter(tx, actor, data)
        self.publish(actor, data["next_commitment"])
        self.runs[data["run_id"]] = actor, first, data["bound"]

    def end(self, tx, actor, data):
        run, cleared, throws = self.runs.get(data["run_id"]), data["cleared"], data["throws"]
        require(run and run[0] == actor, "run.end: no such run of the account, or it is over")
        require(cleared <= MAX_TIERS + 1, "run.end: a tier beyond the highest")  # games.py knows the run's own
        require(throws <= SEEDS, "run.end: too many throws")
        require(data["bound"] == run[2], "run.end: a run ends bound exactly when it started so")
        require(run[1] <= cleared <= run[1] + throws, "run.end: the tier does not fit the first tier and the throws")
        crossed, void = self.epoch[actor] < self.recovery, data["status"] == "void"  # the start has published it
        require(crossed or not void, "run.end: a run is void only when it was in play at a recovery")
        fits = not crossed or data["status"] in ("void", "claimed")
        require(fits, "run.end: a run that was in play at a recovery ends claimed or void")
        if void:
            self.give_back(tx, actor, run)
        elif data["status"] == "claimed":
            require(cleared >= 1, "run.end: claims without a tier")
            transfers_are(tx, token(token_at(tx, 0)[0], None, actor, tier=cleared))
        else:
            require(data["status"] != "lost" or throws >= 1, "run.end: lost without a throw")
            transfers_are(tx)
        self.runs[data["run_id"]] = None
        self.playing.pop(actor)

    def give_back(self, tx, actor, run):
        """Applies the end of a void run: the account gets back what its entry cost, as it was."""
        entry, paid, bound = self.playing[actor]
        if entry == "burn":
            transfers_are(tx, token(token_at(tx, 0)[0], None, actor, tier=run[1]))
        else:
            transfers_are(tx, coins(None, actor, paid))
            self.add_bound(actor, bound)
        if entry in ("free", "daily"):
            self.entries[actor, entry][1] -= 1

    def stake(self, tx, actor, data):
        duel_id = data["duel_id"]
        check_id(duel_id)
        stake = tx["transfers"][0].get("amount", 0) if len(tx["transfers"]) == 1 else 0
        require(1 <= stake <= MAX_ID, f"a stake is 1 to {MAX_ID} coins")
        transfers_are(tx, coins(actor, escrow(duel_id), stake))
        one, other, amount = self.duels.get(duel_id, (None, None, stake)) or ("over", "over", 0)
        require(other is None and one != actor, "duel.stake: the duel takes no stake from the account")
        require(amount == stake, f"duel.stake: the stake of the duel is {amount}")
        self.duels[duel_id] = (one, actor, stake) if one else (actor, None, stake)
        if one:
            self.active.add(duel_id)

    def settle(self, tx, actor, data):
        a, b, winner, duel_id = data["a"], data["b"], data["winner"], data["duel_id"]
        check_id(duel_id)
        accounts = a in self.nonce and (b in (None, SPARRING_BOT) or b in self.nonce)
        require(a != b and accounts, "duel.settle: a duel has two different accounts for its sides")
        require(b is not None or winner is None and not data["rated"], "duel.settle: an opponent is missing")
        settled = duel_id in self.duels and self.duels[duel_id] is None
        require(not settled, "duel.settle: the duel was settled before")
        one, other, stake = self.duels.get(duel_id) or (a, b, 0)
        require((one, other) in ((a, b), (b, a)), "duel.settle: the sides are not those that staked")
        require(b is not None or stake > 0, "duel.settle: there is no stake to return")
        practice = stake == 0 and not data["rated"]
        require(b != SPARRING_BOT or practice, "duel.settle: the sparring bot plays without a stake, unrated")
        plain = b is not None and stake > 0 and winner is None and not data["rated"]
        require(data["status"] != "void" or plain, "duel.settle: a void duel had two stakes, no winner and no rating")
        sides = {"a": [a, a], "b": [b, b], None: [a, b]}[winner]
        pot = escrow(duel_id)
        if winner:
            transfers_are(tx, coins(pot, sides[0], 2 * stake))
        else:
            transfers_are(tx, *[coins(pot, side, stake) for side in sides if side])
        self.duels[duel_id] = None
        self.active.discard(duel_id)
        if data["rated"]:
            self.rated.add(duel_id)

    def sale(self, tx, actor, data):
        token_id, seller = token_at(tx, -1)
        price = sum(move.get("amount", 0) for move in tx["transfers"])
        require(data["listing_id"] <= MAX_ID, f"market.sale: a listing id above {MAX_ID}")
        require(1 <= price <= MAX_ID, f"market.sale: a price is 1 to {MAX_ID} coins")
        require(seller is not None, "market.sale: a sale without a seller")
        fee = price * self.rules["market_fee_bps"] // FULL
        transfers_are(tx, coins(actor, seller, price - fee), coins(actor, None, fee), token(token_id, seller, actor))
        require(data["listing_id"] not in self.listings, "market.sale: the listing was sold before")
        self.listings.add(data["listing_id"])

    def buyback(self, tx, actor, data):
        token_id, _ = token_at(tx, 0)
        require(data["offer_id"] <= MAX_ID, f"buyback: an offer id above {MAX_ID}")
        tier = self.tier_of(token_id)
        require(1 <= tier <= len(self.rules["tiers"]), f"buyback: there is no token {token_id}")
        price = self.rules["tiers"][tier - 1]["value"] * self.rules["buyback_bps"] // FULL
        transfers_are(tx, token(token_id, actor, None), coins(None, actor, price))
        if data["bound"]:
            self.add_bound(actor, price)
        require(data["offer_id"] not in self.offers, "buyback: the offer was accepted before")
        self.offers.add(data["offer_id"])

    def close(self, tx, actor, data):
        transfers_are(tx)
        require(data["season"] == self.season + 1, f"season.close: this is not season {self.season + 1}")
        end = (self.began // DAY + data["season"] * SEASON_DAYS) * DAY
        require(tx["time"] >= end, f"season.close: season {data['season']} is not over")
        self.season = data["season"]

    def close_cup(self, tx, actor, data):
        transfers_are(tx)
        require(data["cup"] not in self.cups, f"cup.close: cup {data['cup']} was closed before")
        self.cups.add(data["cup"])

    def void(self, tx, actor, data):
        transfers_are(tx)
        kind, _, name = data["game"].partition(":")
        known = {"run": self.runs, "duel": self.rated}.get(kind)
        require(known is not None, "result.void: a result is that of run: or duel: and an id")
        check_id(name)
        require(name in known, f"result.void: the chain has no such run or rated duel as {data['game']}")
        require(data["game"] not in self.voided, f"result.void: {data['game']} is void already")
        self.voided[data["game"]] = self.season

    def restore(self, tx, actor, data):
        transfers_are(tx)
        game = data["game"]
        require(game in self.voided, f"result.restore: {game} is not void")
        require(game not in self.restored, f"result.restore: {game} was restored before")
        require(self.voided[game] == self.season, f"result.restore: season {self.season} was closed since")
        self.restored.add(game)


# Each kind: whether its actor is the chain itself, and its method.
RULES = {
    "genesis": (True, State.genesis), "rules": (True, State.change_rules), "rules.begin": (True, State.begin_rules),
    "account.create": (False, State.create),
    "recovery": (True, State.recover), "commitment.rotate": (False, State.rotate),
    "account.secure": (False, State.secure), "faucet": (False, State.faucet), "run.start": (False, State.start), "run.end": (False, State.end),
    "duel.stake": (False, State.stake), "duel.settle": (True, State.settle), "market.sale": (False, State.sale),
    "buyback": (False, State.buyback), "season.close": (True, State.close),
    "cup.close": (True, State.close_cup),
    "result.void": (True, State.void), "result.restore": (True, State.restore),
}

# -------------------------------------------------------------- blocks, in order


def next_line(file, what):
    data = file.readline(MAX_LINE + 1)
    require(data.endswith(b"\n"), f"{what} is missing or cut off")
    try:
        return data[:-1].decode()
    except ValueError:
        raise Fail(f"{what} is not UTF-8") from None


def grow(tree, digest):
    """Adds a leaf's hash to a tree: a list of (height, root) of its perfect subtrees, the largest first."""
    height = 0
    while tree and tree[-1][0] == height:
        digest, height = sha256(b"\1" + tree.pop()[1] + digest), height + 1
    tree.append((height, digest))


def root_of(tree):
    digest = tree[-1][1] if tree else sha256(b"")
    for _, left in reversed(tree[:-1]):
        digest = sha256(b"\1" + left + digest)
    return digest


def read_transaction(text, called):
    """Reads a transaction of any kind in canonical JSON."""
    try:
        tx = parse(text)
        conform(tx, "tx", called)
        allowed = tx["kind"] in RULES and len(tx["transfers"]) <= 3
        require(allowed, f"{called} is of an unknown kind or has too many transfers")
        conform(tx["data"], tx["kind"], called)
        require(canonical(tx) == text, f"{called} is not canonical JSON")
        return tx
    except (ValueError, RecursionError):
        raise Fail(f"{called} is not JSON") from None


def read_block(file, raw, before, state):
    """Checks a block and applies its transactions; returns its header and its hash."""
    header = document(raw, "header")
    require(header, "neither a block header nor the checkpoint")
    height, last = before[0]["height"] + 1, before[0]["time"]
    require(header["height"] == height, f"the header after block {height - 1} is of block {header['height']}")
    require(header["prev"] == before[1], f"block {height} does not name the one before it")
    require(header["time"] >= last, f"block {height} is earlier than the one before it")
    require(header["tx_count"] <= MAX_TXS, f"block {height} has too many transactions")
    require(height > 0 or header["tx_count"] == 1, "block 0 holds genesis alone")
    tree, size, ended = [], len(raw), []
    state.height, state.block_time = height, header["time"]
    for index in range(header["tx_count"]):
        called = f"transaction {index} of block {height}"
        text = next_line(file, called)
        size += len(text.encode())
        require(size <= MAX_BLOCK, f"block {height} has too many bytes")
        grow(tree, sha256(b"\0" + hash_text("tx", text)))
        tx = read_transaction(text, called)
        require(last - SLACK <= tx["time"] <= header["time"], f"{called}: its time does not fit the blocks")
        try:
            state.apply(tx, height == index == 0)
        except Fail as fail:
            raise Fail(f"{called}: {fail}") from None
        ended.append((called, state.games.applied(tx, state.rules)))
    for called, check in ended:
        if check:
            text = next_line(getattr(file, "games", file), f"what {called} pins")
            size += len(text.encode())
            require(size <= MAX_BLOCK, f"block {height} has too many bytes")
            try:
                check(text)
            except Fail as fail:
                raise Fail(f"what {called} pins: {fail}") from None
    root = root_of(tree).hex()
    require(root == header["merkle_root"], f"block {height}: the Merkle root is not that of its transactions")
    state.games.tables.hashes.append(hash_text("block", raw))
    return header, state.games.tables.hashes[-1].hex()


HOUR = 60 * 60 * 1000  # milliseconds


class Kept:
    """The kept checkpoints of a chain: each bounds time from both sides for a reader who knows the witnesses."""

    def __init__(self, key, policy):
        self.key, self.count, self.policy, self.bound, self.trees = key, 0, None, None, []
        self.unseen = []  # blocks before the witnesses were there, in which rules began without notice to them
        self.hours, self.good = [], set()  # hours with a block, in order, and those with a cosigned checkpoint
        try:
            self.policy = read_policy(policy) if policy[0] or policy[1] else None
        except Fail:
            pass  # the check of the last checkpoint says so

    def block(self, header):
        """Checks the next block against the checkpoint that was cosigned before it."""
        early = self.bound is not None and self.bound - header["time"] // 1000 > MAX_APART
        require(not early, f"block {header['height']} is earlier than the cosignatures of the blocks before it by more than a minute")
        self.bound, self.time = None, header["time"]
        if self.hours[-1:] != [header["time"] // HOUR]:
            self.hours.append(header["time"] // HOUR)

    def see(self, note, size):
        """Remembers that a quorum has seen the tree of the blocks so far, and returns who."""
        said = cosigned(note, *self.policy, [self.time])
        by, self.bound = bounds(said, self.policy[1])
        self.trees.append((size, by))
        self.good.add(self.hours[-1])
        return said

    def add(self, note, tree, size):
        """Checks the kept checkpoint of the tree of the blocks so far."""
        checkpoint({"checkpoint": note, "verifier_key": self.key}, self.key)
        same = parse_tree(parse_note(note)[0])[1:] == (size, root_of(tree))
        require(same, f"a kept checkpoint is of another tree than that of the {size} blocks")
        self.count += 1
        if self.policy:
            try:
                self.see(note, size)
            except Few:
                pass  # of other witnesses: its hour counts as one without

    def check_notice(self, begins, since, began):
        """Checks that a quorum has seen each announcement of rules 24 hours before they began, or in the first hour.

        Rules that began in a block below the height since, before the witnesses were there, are listed instead.
        """
        least = list(self.trees)  # with the earliest time by which a quorum has seen the tree or a larger one
        for i in range(len(least) - 2, -1, -1):
            least[i] = least[i][0], min(least[i][1], least[i + 1][1])
        for announced, height, time in begins:
            at = bisect.bisect_left(least, (announced + 1, 0))
            due = max(began + TRIAL, time - NOTICE) // 1000
            seen = at < len(least) and least[at][1] <= due
            if not seen and height < since:
                self.unseen.append(height)
                continue
            require(seen, f"no checkpoint with the announcement in block {announced} was cosigned by {due} for the rules that "
                    f"begin in block {height} (--witnesses-from names the height since which the witnesses were there)")

    def said(self):
        """Says how many there are, and with witness keys the hours without one."""
        if not self.policy:
            return f"; {self.count} kept checkpoints, their cosignatures not checked"
        without = [hour for hour in self.hours[:-1] if hour not in self.good]
        named = "".join(f", from {hour * HOUR}" for hour in without[:20])
        unseen = f"; {len(self.unseen)} beginnings of rules before --witnesses-from" if self.unseen else ""
        unseen += "".join(f", in block {height}" for height in self.unseen[:20])
        return f"; {self.count} kept checkpoints, {len(without)} of {len(self.hours)} hours without a cosigned one{named}{unseen}"


def add_kept(file, raw, c):
    """Checks the line of a kept checkpoint; a mirror has them in a file of their own."""
    line = document(raw, "kept")
    require(line, "not a kept checkpoint")
    require(c["kept"].size < c["size"], "a second kept checkpoint of one tree, or one before the first block")
    c["kept"].size = c["size"]
    c["kept"].add(line["kept"], c["tree"], c["size"])


def read_chain(file, info, c, report, policy):
    """Reads all blocks and stores the log's tree, the state and the checkpoint in c, the record in the report."""
    before, transactions, gaps = ({"height": -1, "time": 0}, NO_HASH), 0, []
    c["state"], c["size"] = State(), 0
    c["tree"] = c["state"].tree
    c["kept"] = Kept(c["verifier_key"], policy)
    c["kept"].size = 0
    while True:
        raw = next_line(file, "the checkpoint")
        if raw.startswith('{"kept":'):
            add_kept(file, raw, c)
            continue
        if raw.startswith('{"checkpoint":'):
            break
        last, before = before[0]["time"], read_block(file, raw, before, c["state"])
        c["kept"].block(before[0])
        c["last"] = before[0]["time"]
        if c["size"] and c["last"] - last > QUIET:
            gaps.append((c["last"] - last, c["size"]))
        transactions += before[0]["tx_count"]
        grow(c["tree"], sha256(b"\0" + raw.encode()))
        c["size"] += 1
        for line in file.kept_of(c["size"]) if hasattr(file, "kept_of") else ():
            add_kept(file, line, c)
    require(c["size"], "a chain has at least the block of its genesis")
    last = document(raw, "last")
    require(last and not file.read(1), "the checkpoint is not the last line")
    c["checkpoint"] = last["checkpoint"]
    counts = (info.get("blocks"), info.get("transactions"))
    require(counts in ((c["size"], transactions), (None, None)), f"the first line differs from the {c['size']} blocks and {transactions} transactions")
    state, kept = c["state"], sum(owner is not None for _, owner, _ in c["state"].tokens.values())
    held = f"{len(state.nonce)} addresses with {sum(state.balance.values())} coins and {kept} tokens"
    report["record"] = r = state.games.record
    games = f"{r['runs']} runs with {r['throws']} throws and {r['duels']} duels follow from seeds and reveals"
    tables = "tables of cups follow, but for who entered or left a cup and which casual duels of a pair were played for it; tables of seasons, but for points that are missing and the order of equal ones"
    follow = "hashes, rules, nonces, balances and owners follow"
    longest, height = max(gaps, default=(0, 0))
    quiet = f"; {len(gaps)} gaps of more than 6 minutes, the longest {longest // 1000} s before block {height}" if gaps else ""
    return f"{c['size']} blocks, {transactions} transactions: {follow}; {held}; {games}; {tables}{quiet}"


def verify_export(file, pinned=None, witnesses=(), quorum=0, witnesses_from=0):
    """Checks a whole chain from a binary file or a mirror's folder. The report has the form of verify.verify's.

    Below the height witnesses_from the witnesses need not have seen rules a day before they began.
    """
    report, c = {"valid": True, "verdict": "VALID", "format": "", "pending": [], "checks": []}, {}

    def first():
        nonlocal file
        if isinstance(file, str):
            import mirror  # exports do not need it

            file, report["format"] = mirror.Copy(file), EXPORT
            return c.update(file.said) or f"a mirror with {file.left} bytes of blocks"
        info = document(next_line(file, "the first line"), "export")
        require(info and info["format"] == EXPORT, f"the first line is not that of {EXPORT}")
        report["format"] = EXPORT
        return c.update(info) or f"an export of {info['blocks']} blocks and {info['transactions']} transactions"

    def signed_tree():
        said = checkpoint(c, pinned)
        origin, size, root = parse_tree(parse_note(c["checkpoint"])[0])
        same = size == c["size"] and root == root_of(c["tree"])
        require(same, f"the checkpoint is of another tree than that of the {c['size']} blocks")
        if witnesses or quorum:
            read_policy((witnesses, quorum))
            c["kept"].see(c["checkpoint"], c["size"])
            c["kept"].check_notice(c["state"].begins, witnesses_from, c["state"].began)
        said = type(said)(said + c["kept"].said())
        require(origin == c["state"].name, f"genesis names the chain {c['state'].name}, the checkpoint {origin}")
        return said

    for name, check in (("format", first), ("blocks", lambda: read_chain(file, c, c, report, (witnesses, quorum))), ("checkpoint", signed_tree)):
        try:
            text = check()
            result = "note" if isinstance(text, Note) else "pass"
        except Fail as fail:
            text, result, report["valid"] = str(fail), "fail", False
        report["checks"].append({"id": name, "result": result, "text": text})
        if not report["valid"]:
            break
    return judged(report)

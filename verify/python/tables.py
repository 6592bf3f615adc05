"""Computes the final tables of closed cups and seasons again. games.py, beside this file, runs it.

A cup.close or season.close pins the text of a table, which follows the block like a transcript. Every
pairing, point and rank of a cup must follow from its seed, its players and the duels on the chain; the Go
verifier (package chain/tables) accepts exactly the same tables. docs/protocol.md is the specification.
"""
from verify import document, hash_text, require, sha256, BECH32, SHAPES, SPARRING_BOT

TABLE = """
cup          cup:whole kind:=bots|people players:cup_row* rounds:cup_game** seed:hash seed_height:whole system:=swiss|round_robin
cup_row      account:address buchholz:whole points:whole rank:whole
cup_game     a:address a_points:whole b:address? b_points:whole duel:text?
season       ends_at:whole players:whole rows:season_row* season:whole starts_at:whole
season_row   account:address points:whole rank:whole
"""
ROWS = [row.split() for row in TABLE.strip().split("\n")]
SHAPES.update({name: dict(member.split(":") for member in members) for name, *members in ROWS})
MAX_PLAYERS = 128  # of a cup
ROUND_ROBIN = 6  # the most players of whom all meet in any system
SPAN = 1 << 18  # the most blocks from that of a cup's seed to that of its close
SEASON_ROWS = 1000
DUEL_POINTS = 8
RUNS_PER_DAY = 20  # the best ones of an account give points
WINS_PER_DAY = 10  # rated duels
MIN_WON = 2  # rounds that the winner of a rated duel has won by two reveals
SEASON = 28 * 24 * 60 * 60 * 1000  # milliseconds
DAY = 24 * 60 * 60 * 1000


def require_pinned(domain, raw, pinned, what):
    """Checks that a text is the one that a transaction pins."""
    require(hash_text(domain, raw).hex() == pinned, f"the {what} is not the one that is pinned")


# ------------------------------------------------------------------ pairings


def payload(text):
    """Returns the 20 bytes of an address."""
    symbols = [BECH32.index(c) for c in text[4:36]]
    return sum(v << 5 * (31 - i) for i, v in enumerate(symbols)).to_bytes(20, "big")


def by_lot(players, seed, round_number):
    """Sorts players by their lot in a round."""
    before = bytes.fromhex(seed) + round_number.to_bytes(8, "big")
    return sorted(players, key=lambda player: sha256(b"roshambo/cup/v1\n" + before + payload(player)))


def meet_all(system, players):
    """Whether all of a number of players meet one another."""
    return system == "round_robin" or players <= ROUND_ROBIN


def rounds_of(system, players):
    """Returns the largest number of rounds for a number of players."""
    if meet_all(system, players):
        return players - 1 + players % 2
    return 5 + (players > 16) + (players > 32)


def pair(cup, active, games, round_number):
    """Returns the pairings of a round of the active players of a cup after games. None as side b is a bye."""
    seed, entered = cup["seed"], [row["account"] for row in cup["players"]]
    if meet_all(cup["system"], len(entered)):
        return circle(set(active), by_lot(entered, seed, 0), round_number)
    sums, met = points_of(games), set()
    for game in games:
        met |= {(game["a"], game["b"]), (game["b"], game["a"])}
    order = sorted(by_lot(active, seed, round_number), key=lambda player: -sums.get(player, 0))
    return complete(order + [None] * (len(order) % 2), met)


def circle(active, seats, round_number):
    """Pairs a round in which all meet all."""
    seats = seats + [None] * (len(seats) % 2)
    turned = seats[:1] + [seats[1 + (i + round_number - 1) % (len(seats) - 1)] for i in range(len(seats) - 1)]
    turned = [seat if seat in active else None for seat in turned]
    pairs = [(turned[i], turned[-1 - i]) for i in range(len(seats) // 2)]
    return [(a or b, b if a else None) for a, b in pairs if a or b]


def complete(left, met):
    """Pairs the first of left with the next whom it has not met, so that the rest can be paired; else None."""
    if not left:
        return []
    for i in range(1, len(left)):
        if (left[0], left[i]) not in met:
            rest = complete(left[1:i] + left[i + 1 :], met)
            if rest is not None:
                return [(left[0], left[i])] + rest
    return None


def points_of(games):
    sums = {}
    for game in games:
        for side in "ab":
            sums[game[side]] = sums.get(game[side], 0) + game[side + "_points"]
    return sums


def table(players, games, seed):
    """Returns the rows of a cup after games: by points, then by Buchholz."""
    sums, rows = points_of(games), []
    for player in by_lot(players, seed, 0):
        met = [game["a" if game["b"] == player else "b"] for game in games if player in (game["a"], game["b"]) and game["b"]]
        buchholz = sum(sums[other] for other in met)
        rows.append({"account": player, "buchholz": buchholz, "points": sums.get(player, 0)})
    rows.sort(key=lambda row: (-row["points"], -row["buchholz"]))
    for i, row in enumerate(rows):
        equal = i and all(row[m] == rows[i - 1][m] for m in ("points", "buchholz"))
        row["rank"] = rows[i - 1]["rank"] if equal else i + 1
    return rows


def missed(rounds, side):
    """Whether a side missed a whole duel: it committed in no round, and let a deadline pass in one."""
    late = False
    for one in rounds:
        resigned = one["forfeited_by"] if one["forfeited_by"] in ("a", "b") else None
        if any(one[f"{member}_{s}"] is not None for member in ("commitment", "move", "salt") for s in "ab"):
            resigned = None
        if one[f"commitment_{side}"] is not None or resigned == side:
            return False
        late = late or resigned is None
    return late


def won_by_reveals(rounds, side):
    """Returns how many rounds a side, None for none, has won in which both sides revealed."""
    return sum(one["outcome"] == side and one["move_a"] is not None and one["move_b"] is not None for one in rounds)


# -------------------------------------------------------------------- tables


class Tables:
    """What the chain has of tables: its blocks and the duels of cups."""

    def __init__(self):
        self.hashes = []  # of the blocks before
        self.began = 0  # the time of genesis
        self.duels = {}  # by id: those that a cup may have
        self.earned = {}  # by address and season: the game, the day and the points of each game that gives some
        self.voided, self.restored = {}, set()  # games whose result is void, or valid again: those of chain.py's State
        self.bots = set()  # addresses; they earn none

    def duel(self, tx, stake, rounds):
        """Takes note of a duel of two accounts: a rated one gives points, those of cups have no stake and no rating."""
        settle = tx["data"]
        if settle["rated"] and won_by_reveals(rounds, settle["winner"]) >= MIN_WON:
            self.earn(settle[settle["winner"]], tx["time"], "duel:" + settle["duel_id"], DUEL_POINTS)
        if stake or settle["rated"] or settle["b"] == SPARRING_BOT:
            return
        absent = [side for side in "ab" if missed(rounds, side)]
        points = {"a": 0 if "a" in absent else 1, "b": 0 if "b" in absent else 1}
        if settle["winner"]:
            points = {side: 2 if side == settle["winner"] and side not in absent else 0 for side in "ab"}
        self.duels[settle["duel_id"]] = settle["a"], settle["b"], points, absent, len(self.hashes)

    def cup(self, data, raw):
        """Checks the table of a cup. It uses up the duels of the cup."""
        require_pinned("cup", raw, data["table_hash"], "table of the cup")
        cup = document(raw, "cup")
        require(cup is not None and cup["cup"] == data["cup"], "the table is not canonical JSON, or of another cup")
        height, players = cup["seed_height"], [row["account"] for row in cup["players"]]
        near = len(self.hashes) - SPAN <= height < len(self.hashes)
        require(near and self.hashes[height].hex() == cup["seed"], f"the seed is not the hash of block {height}, or that is too old")
        require(2 <= len(players) <= MAX_PLAYERS, f"a cup has 2 to {MAX_PLAYERS} players")
        require(len(set(players)) == len(players), "a player is in the table twice")
        require(1 <= len(cup["rounds"]) <= rounds_of(cup["system"], len(players)), "not the number of rounds for these players")
        games, left = [], set(players)
        for number, games_of in enumerate(cup["rounds"], 1):
            require(games_of, f"round {number} has no game")
            active = [player for game in games_of for player in (game["a"], game["b"]) if player]
            require(left.issuperset(active), f"round {number} has a player who is not in the cup any more")
            require(len(set(active)) == len(active), f"a player has two games in round {number}")
            require(number > 1 or len(active) == len(players), "round 1 lacks a player")
            due = pair(cup, active, games, number)
            same = due == [(game["a"], game["b"]) for game in games_of]
            require(same, f"round {number}: the pairing does not follow from the seed and the results before")
            left = set(active)
            for game in games_of:
                left -= self.game(game, height)
            games += games_of
        require(table(players, games, cup["seed"]) == cup["players"], "the rows do not follow from the games")

    def game(self, game, seed_height):
        """Checks a game against its duel, and returns who did not show up in it."""
        a, b, stated = game["a"], game["b"], {side: game[side + "_points"] for side in "ab"}
        if b is None:
            require(game["duel"] is None and stated == {"a": 2, "b": 0}, "a bye is a win without a duel")
            return set()
        require(game["duel"] in self.duels, f"the chain has no such duel as {game['duel']} for a cup")
        one, other, points, absent, height = self.duels.pop(game["duel"])
        same = (one, other) == (a, b) and points == stated and height > seed_height
        require(same, f"the sides, points or time of duel {game['duel']} are not those on the chain")
        return {game[side] for side in absent}

    def season(self, data, raw):
        """Checks the table of a season, as far as it follows from the chain."""
        require_pinned("season", raw, data["table_hash"], "table of the season")
        season = document(raw, "season")
        require(season is not None and season["season"] == data["season"], "the table is not canonical JSON, or of another season")
        start = self.began // DAY * DAY + (data["season"] - 1) * SEASON
        require((season["starts_at"], season["ends_at"]) == (start, start + SEASON), "not the times of the season")
        rows = season["rows"]
        require(len(rows) == min(season["players"], SEASON_ROWS), "not one row for each of the first players")
        require(len({row["account"] for row in rows}) == len(rows), "an account has two rows")
        for i, row in enumerate(rows):
            require(row["rank"] == i + 1, f"row {i + 1} has the rank {row['rank']}")
            require(i == 0 or row["points"] <= rows[i - 1]["points"], f"row {i + 1} is out of order")
            most = self.most(row["account"], season["season"])
            earned = 1 <= row["points"] <= most
            require(earned, f"row {i + 1} has {row['points']} points, of {most} that the games of the season give")

    def earn(self, account, time, game, points):
        """Takes note of what a game gives an account, by the time of the transaction that ends it."""
        day = time // DAY
        season = max(0, day - self.began // DAY) // (SEASON // DAY) + 1
        if points and account not in self.bots:
            self.earned.setdefault((account, season), []).append((game, day, points))

    def claim(self, tx, first, cleared):
        """Takes note of a claimed run, which gives the points of its tier, less those of the burnt token's."""
        points = max(0, 2 ** min(cleared, 30) - (2 ** min(first, 30) if first else 0))
        self.earn(tx["actor"], tx["time"], "run:" + tx["data"]["run_id"], points)

    def most(self, account, season):
        """Returns the most points that the table of a season can state for an account, once.

        The transactions behind the close in its block have been applied. They change nothing: a result that becomes void
        then has closed seasons up to this one before it, and a result is restored before the next season closes.
        """
        days = {}  # by day: the points of its runs, and those of its duels
        for game, day, points in self.earned.pop((account, season), ()):
            void = game in self.voided and game not in self.restored and self.voided[game] < season
            if not void:
                days.setdefault(day, ([], []))[game.startswith("duel:")].append(points)
        return sum(sum(sorted(runs)[-RUNS_PER_DAY:]) + sum(wins[:WINS_PER_DAY]) for runs, wins in days.values())

"""Checks every game of a chain from its transcript, and counts the house's record.

chain.py, beside this file, runs it. In an export, the transcripts of the games that end in a
block follow its transactions, one per line: of each run.end a list of throws, of each duel.settle
a record of rounds; of each closed cup and season its table (tables.py). The transaction pins the hash of its transcript. Each house move, outcome and
tier must follow from the seeds, each duel from its reveals; the Go verifier (package chain/games)
accepts exactly the same games. docs/protocol.md is the specification.
"""
import math

from verify import (
    canonical, commitments, document, moves, outcomes, played, require, round_outcomes, seeds, HANDS, MAX_INT, SEEDS,
)
from tables import Tables, require_pinned


class Games:
    """The runs in play, and the totals over the games that have ended."""

    def __init__(self):
        self.playing = {}  # by run id: the data of the start, the coins paid or None for a free entry, the highest tier
        self.rules, self.values = None, {}  # the last rules, and by tier its value in the last rules that had it
        self.tables = Tables()
        self.record = {
            "runs": 0, "claimed": 0, "lost": 0, "abandoned": 0, "voided": 0, "recoveries": 0, "void_tiers": [],
            "throws": 0, "house": [0, 0, 0], "players": [0, 0, 0],
            "wins": 0, "ties": 0, "losses": 0, "staked": 0, "won": 0, "given": 0, "duels": 0,
        }

    def applied(self, tx, rules):
        """Takes a transaction that the rules allowed. Returns the check of the game or table that it ends, or None.

        The check takes the raw of the transcript or table.
        """
        data = tx["data"]
        if rules is not self.rules:
            self.rules = rules
            self.values.update({rung["tier"]: rung["value"] for rung in rules["tiers"]})
        if tx["kind"] == "run.start":
            first = data["first_tier"]
            paid = {"fee": rules["entry_fee"], "burn": self.values.get(first, 0)}.get(data["entry"])
            self.playing[data["run_id"]] = data, paid, max(len(rules["tiers"]), first + 1)
        elif tx["kind"] == "recovery":
            self.record["recoveries"] += 1
        elif tx["kind"] == "run.end":
            start, paid, top = self.playing.pop(data["run_id"])
            top, worth = max(top, len(rules["tiers"])), self.values.get(data["cleared"], 0)
            return lambda raw: self.run(start, paid, tx, top, worth, raw)
        elif tx["kind"] == "duel.settle":
            stake = sum(move["amount"] for move in tx["transfers"]) // (1 if data["b"] is None else 2)
            return lambda raw: self.duel(tx, stake, raw)
        elif tx["kind"] == "genesis":
            self.tables.began = tx["time"]
        elif tx["kind"] == "account.create" and data["kind"] == "bot":
            self.tables.bots.add(tx["actor"])
        elif tx["kind"] in ("cup.close", "season.close"):
            check = self.tables.cup if tx["kind"] == "cup.close" else self.tables.season
            return lambda raw: check(data, raw)
        return None

    def run(self, start, paid, tx, top, worth, raw):
        """Checks a run: the data of its start, its end, its highest tier and its transcript.

        worth is the value of the tier that its end states.
        """
        end = tx["data"]
        require_pinned("transcript", raw, end["transcript_hash"], "transcript")
        throws = document(raw, "throw*")
        require(throws is not None and len(throws) <= SEEDS, "the transcript is not in canonical JSON")
        for i, throw in enumerate(throws):
            require(throw["n"] == i + 1, "the transcript is not numbered 1, 2, 3 and so on")
        p, t = {"said": throws, "texts": None}, {"start": {"data": start}}
        for check in (seeds, moves, outcomes):
            check(p, t)
        tier, last = start["first_tier"], "tie"
        for throw in throws:
            require(last != "loss" and (last != "win" or tier < top), "a throw follows the end of the run")
            last = throw["outcome"]
            tier += last == "win"
        require(tier <= top, f"the throws clear {tier}, above the run's highest tier {top}")
        require(end["cleared"] == tier, f"the throws clear {tier}, not {end['cleared']}")
        require(end["throws"] == len(throws), f"{len(throws)} throws, not {end['throws']}")
        allowed = {"loss": ["lost"], "win": ["claimed", "abandoned"], "tie": ["abandoned", "void"]}[last]
        if last == "win" and tier == top or last != "loss" and len(throws) == SEEDS and tier > 0:
            allowed = ["claimed"]
        elif last != "loss" and len(throws) == SEEDS:
            allowed = ["abandoned"]
        require(end["status"] in allowed, f"the throws leave a run {' or '.join(allowed)}, not {end['status']}")
        self.count(throws, end, worth, paid)
        if end["status"] == "claimed":
            self.tables.claim(tx, start["first_tier"], tier)

    def count(self, throws, end, worth, paid):
        """Adds a run to the record."""
        record, claimed = self.record, end["status"] == "claimed"
        if end["status"] == "void":  # counts nowhere else
            record["voided"] += 1
            tiers = record["void_tiers"]
            tiers += [0] * (end["cleared"] + 1 - len(tiers))
            tiers[end["cleared"]] += 1
            return
        for member in ("runs", end["status"]):
            record[member] += 1
        record["throws"] += len(throws)
        for throw in throws:
            record["house"][HANDS.index(throw["house"])] += 1
            record["players"][HANDS.index(throw["move"])] += 1
            record[{"win": "wins", "tie": "ties", "loss": "losses"}[throw["outcome"]]] += 1
        record["staked"] += paid or 0
        record["given" if paid is None else "won"] += worth if claimed else 0

    def duel(self, tx, stake, raw):
        """Checks a duel: its settlement, the stake of each side, and its transcript."""
        settle = tx["data"]
        require_pinned("transcript", raw, settle["transcript_hash"], "transcript")
        said = {member: settle[member] for member in ("a", "b", "duel_id", "winner")}
        if settle["b"] is None:
            alone = canonical({**said, "rounds": [], "stake": stake, "winner": None})
            require(raw == alone, "the transcript is not that of a duel without an opponent")
        else:
            transcript = document(raw, "transcript")
            self.rounds(transcript, {**said, "stake": stake}, settle["status"] == "void")
            self.tables.duel(tx, stake, transcript["rounds"])
        self.record["duels"] += 1

    @staticmethod
    def rounds(transcript, said, void):
        """Checks the rounds of a duel against the members that its settlement states."""
        require(transcript is not None, "the transcript is not in canonical JSON")
        require({m: transcript[m] for m in said} == said, "the transcript is not that of the settlement")
        for i, one in enumerate(transcript["rounds"]):
            require(one["n"] == i + 1, "the transcript is not numbered 1, 2, 3 and so on")
        p = {"said": transcript}
        commitments(p, None)
        round_outcomes(p, None)
        won, decided = played(p)
        require(decided != void, f"the rounds {'decide' if void else 'do not decide'} the duel")
        first = next((side for side in "ab" if won[side] == 3), None)
        require(said["winner"] == first, f"the winner is {first or 'none'}")


# ------------------------------------------------- the figures of the record

MILLION = 1_000_000
ALPHA = 0.01  # the probability that an interval does not hold the true value, at most


def audit(record):
    """Returns the figures of a record: shares with exact 99 % intervals, and the tests of uniformity.

    All figures are integers, so that every verifier returns the same ones.
    """
    r, hands = record, HANDS
    back = min(r["won"] * MILLION // r["staked"], MAX_INT) if r["staked"] else None
    of_outcomes = [r["wins"], r["ties"], r["losses"]]
    counts = [(f"house {hand}", r["house"][i], r["throws"]) for i, hand in enumerate(hands)]
    counts += [(name, of_outcomes[i], r["throws"]) for i, name in enumerate(("wins", "ties", "losses"))]
    counts += [(f"players {hand}", r["players"][i], r["throws"]) for i, hand in enumerate(hands)]
    counts.append(("runs claimed", r["claimed"], r["runs"]))
    void = r["voided"]
    if void:  # the house decides which runs it loses: each share as if they had been won, or lost, with one more throw
        for i, name in enumerate(("wins", "ties", "losses")):
            counts.append((f"{name}, void won", of_outcomes[i] + (void, 0, 0)[i], r["throws"] + void))
            counts.append((f"{name}, void lost", of_outcomes[i] + (0, 0, void)[i], r["throws"] + void))
        counts.append(("runs claimed, void won", r["claimed"] + void, r["runs"] + void))
        counts.append(("runs claimed, void lost", r["claimed"], r["runs"] + void))
    tests = [uniformity("hands of the house", r["house"]), uniformity("outcomes", of_outcomes)] if r["throws"] else []
    shares = [share(*one) for one in counts if one[2]]
    return {"record": r, "paid_back_ppm": back, "shares": shares, "tests": tests}


def share(what, count, of):
    low, high = interval(count, of)
    bounds = {"low_ppm": math.floor(low * MILLION), "high_ppm": math.ceil(high * MILLION)}
    return {"what": what, "count": count, "of": of, **bounds}


def uniformity(what, counts):
    """Pearson's chi-square test of three counts against equal probabilities, with 2 degrees of freedom."""
    n = sum(counts)
    chi = sum(float(3 * k - n) * float(3 * k - n) for k in counts) / (3.0 * n)
    p = math.floor(MILLION * math.exp(-chi / 2))
    return {"what": what, "chi_square_milli": math.floor(1000 * chi), "p_ppm": p}


def interval(count, n):
    """Returns the Clopper-Pearson interval at 99 % for the probability of an event seen count times of n."""
    low = quantile(ALPHA / 2, count, n - count + 1) if count else 0.0
    high = quantile(1 - ALPHA / 2, count + 1, n - count) if count < n else 1.0
    return low, high


def quantile(p, a, b):
    """Returns the x with incomplete_beta(x, a, b) = p, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if incomplete_beta(middle, a, b) < p:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def incomplete_beta(x, a, b):
    """Returns the regularized incomplete beta function by its continued fraction (DLMF 8.17.22)."""
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(1 - x, b, a)
    if x <= 0:
        return 0.0
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(logarithm) * beta_fraction(x, a, b) / a


def beta_fraction(x, a, b):
    """Evaluates the continued fraction by Lentz's method."""

    def floor(v):
        return v if abs(v) >= 1e-300 else 1e-300

    c, d = 1.0, 1 / floor(1 - (a + b) * x / (a + 1))
    f = d
    for m in range(1, MILLION):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d, c = 1 / floor(1 + even * d), floor(1 + even / c)
        f *= d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d, c = 1 / floor(1 + odd * d), floor(1 + odd / c)
        f *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return f


def audit_text(a):
    """Returns the figures as lines of text, those of `roshambo audit`."""

    def percent(ppm):
        return f"{ppm // 10000}.{ppm % 10000:04}"

    r = a["record"]
    lines = [
        f"runs          {r['runs']}: {r['claimed']} claimed, {r['lost']} lost, {r['abandoned']} abandoned",
        f"throws        {r['throws']}",
        f"duels         {r['duels']}",
        *([f"recoveries    {r['recoveries']}, with {r['voided']} runs void"] if r["recoveries"] else []),
        *[f"void          {n} at tier {tier}" for tier, n in enumerate(r["void_tiers"]) if n],
        f"staked        {r['staked']} coins: fees, and the base value of burned tokens",
        f"won           base value {r['won']} with them, {r['given']} without a stake",
    ]
    if a["paid_back_ppm"] is not None:
        lines.append(f"return        {percent(a['paid_back_ppm'])} % in base value; the house pays less for a token")
    for s in a["shares"]:
        within = f"99 % between {percent(s['low_ppm'])} % and {percent(s['high_ppm'])} %"
        # A fair house determines the shares of its hands and of outcomes: a third. The others are the players' choice.
        chosen = s["what"].startswith(("players ", "runs "))
        expected = "" if chosen else f", expected {percent(MILLION // 3)} %"
        lines.append(f"{s['what']:<16}  {s['count']} of {s['of']}, {within}{expected}")
    for t in a["tests"]:
        chi, p = t["chi_square_milli"], t["p_ppm"]
        values = f"chi-square {chi // 1000}.{chi % 1000:03}, p = {p // MILLION}.{p % MILLION:06}"
        lines.append(f"uniformity of {t['what']}: {values}")
    return "\n".join(lines)

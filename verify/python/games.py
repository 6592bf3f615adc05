"""Checks every game of a chain from its transcript, and counts the house's record.

chain.py, beside this file, runs it. In an export, the transcripts of the games that end in a
block follow its transactions, one per line: of each run.end a list of throws, of each duel.settle
a record of rounds. The transaction pins the hash of its transcript. Each house move, outcome and
tier must follow from the seeds, each duel from its reveals; the Go verifier (package chain/games)
accepts exactly the same games. docs/protocol.md is the specification.
"""
from verify import (
    canonical, commitments, document, hash_text, moves, outcomes, played, require, round_outcomes, seeds, HANDS, SEEDS,
)


def value(rules, tier):
    """Returns the value of a tier in coins, 0 for a tier that the rules do not have."""
    tiers = rules["tiers"]
    return tiers[tier - 1]["value"] if 1 <= tier <= len(tiers) else 0


class Games:
    """The runs in play, and the totals over the games that have ended."""

    def __init__(self):
        self.playing = {}  # by run id: the data of the start, and the coins paid or None for a free entry
        self.record = {
            "runs": 0, "claimed": 0, "lost": 0, "abandoned": 0, "throws": 0, "house": [0, 0, 0], "players": [0, 0, 0],
            "wins": 0, "ties": 0, "losses": 0, "staked": 0, "won": 0, "given": 0, "duels": 0,
        }

    def applied(self, tx, rules):
        """Takes a transaction that the rules allowed. Returns the check of the game that it ends, or None.

        The check takes the raw of the transcript.
        """
        data = tx["data"]
        if tx["kind"] == "run.start":
            paid = {"fee": rules["entry_fee"], "burn": value(rules, data["first_tier"])}.get(data["entry"])
            self.playing[data["run_id"]] = data, paid
        elif tx["kind"] == "run.end":
            start, paid = self.playing.pop(data["run_id"])
            return lambda raw: self.run(start, paid, data, rules, raw)
        elif tx["kind"] == "duel.settle":
            stake = sum(move["amount"] for move in tx["transfers"]) // (1 if data["b"] is None else 2)
            return lambda raw: self.duel(data, stake, raw)
        return None

    def run(self, start, paid, end, rules, raw):
        """Checks a run: the data of its start and its end, and its transcript."""
        require(hash_text("transcript", raw).hex() == end["transcript_hash"], "the transcript is not the one that is pinned")
        throws = document(raw, "throw*")
        require(throws is not None and len(throws) <= SEEDS, "the transcript is not in canonical JSON")
        for i, throw in enumerate(throws):
            require(throw["n"] == i + 1, "the transcript is not numbered 1, 2, 3 and so on")
        p, t = {"said": throws, "texts": None}, {"start": {"data": start}}
        for check in (seeds, moves, outcomes):
            check(p, t)
        tier, top, last = start["first_tier"], len(rules["tiers"]), "tie"
        for throw in throws:
            require(last != "loss" and (last != "win" or tier != top), "a throw follows the end of the run")
            last = throw["outcome"]
            tier += last == "win"
        require(end["cleared"] == tier, f"the throws clear {tier}, not {end['cleared']}")
        require(end["throws"] == len(throws), f"{len(throws)} throws, not {end['throws']}")
        allowed = {"loss": ["lost"], "win": ["claimed", "abandoned"], "tie": ["abandoned"]}[last]
        if last == "win" and tier == top or last != "loss" and len(throws) == SEEDS and tier > 0:
            allowed = ["claimed"]
        require(end["status"] in allowed, f"the throws leave a run {' or '.join(allowed)}, not {end['status']}")
        self.count(throws, end, value(rules, tier), paid)

    def count(self, throws, end, worth, paid):
        """Adds a run to the record."""
        record, claimed = self.record, end["status"] == "claimed"
        for member in ("runs", end["status"]):
            record[member] += 1
        record["throws"] += len(throws)
        for throw in throws:
            record["house"][HANDS.index(throw["house"])] += 1
            record["players"][HANDS.index(throw["move"])] += 1
            record[{"win": "wins", "tie": "ties", "loss": "losses"}[throw["outcome"]]] += 1
        record["staked"] += paid or 0
        record["given" if paid is None else "won"] += worth if claimed else 0

    def duel(self, settle, stake, raw):
        """Checks a duel: the data of its settlement, the stake of each side, and its transcript."""
        require(hash_text("transcript", raw).hex() == settle["transcript_hash"], "the transcript is not the one that is pinned")
        said = {member: settle[member] for member in ("a", "b", "duel_id", "winner")}
        if settle["b"] is None:
            alone = canonical({**said, "rounds": [], "stake": stake, "winner": None})
            require(raw == alone, "the transcript is not that of a duel without an opponent")
        else:
            self.rounds(document(raw, "transcript"), {**said, "stake": stake})
        self.record["duels"] += 1

    @staticmethod
    def rounds(transcript, said):
        """Checks the rounds of a duel against the members that its settlement states."""
        require(transcript is not None, "the transcript is not in canonical JSON")
        require({m: transcript[m] for m in said} == said, "the transcript is not that of the settlement")
        for i, one in enumerate(transcript["rounds"]):
            require(one["n"] == i + 1, "the transcript is not numbered 1, 2, 3 and so on")
        p = {"said": transcript}
        commitments(p, None)
        round_outcomes(p, None)
        won, decided = played(p)
        require(decided, "the rounds do not decide the duel")
        first = next((side for side in "ab" if won[side] == 3), None)
        require(said["winner"] == first, f"the winner is {first or 'none'}")

"""The house's signatures under the commitments of a round.

Between the commitments and the reveals of a round nothing is on the chain yet. A bot that has revealed can be cheated
by a house that works with the opponent: the two know the bot's move, and could exchange the opponent's commitment. The
house's signature under both commitments makes that provable, so a bot obtains it before it reveals, and keeps it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import _types as types
from . import _verify
from ._errors import ReceiptError
from ._state import append_line

MESSAGE = b"roshambo/receipt/v1\n"
"""The first line of the signed text, which keeps it apart from the texts of checkpoints."""


def parse_key(key: str) -> bytes:
    """Returns the public key of a verifier key of a log. Raises ValueError."""
    parsed = _verify.parse_key(key)
    if parsed is None:
        raise ValueError("a verifier key is name+hex id+base64, of an Ed25519 key")
    public: bytes = parsed[2]
    return public


class Notary:
    """Checks and keeps receipts."""

    def __init__(self, path: Path | None, key: str | None) -> None:
        self._path = path
        self.public = parse_key(key) if key else None
        """Of the log; None until the service has stated it. A key that the service states itself still binds it: its
        receipts convict it by the key under which it signs its checkpoints."""
        self._current: dict[str, Any] = {}  # the statement about the newest round whose receipt is kept

    def learn(self, head: types.HeadOut) -> None:
        """Takes the key that the service states."""
        try:
            self.public = parse_key(head["head"]["verifier_key"])
        except ValueError as error:
            raise ReceiptError(str(error)) from error

    def holds(self, duel: types.Duel, round_: types.DuelRound) -> bool:
        """Whether the receipt of a round of an answer is kept, with the commitments that the answer shows."""
        return bool(self._current) and self._current == self._shown(duel, round_)

    def wants(self, duel: types.Duel) -> bool:
        """Whether the current round of an answer could have a receipt that is not kept."""
        if not duel["rounds"] or duel["b"] is None:
            return False
        last = duel["rounds"][-1]
        both = last["commitment_a"] is not None and last["commitment_b"] is not None
        return both and not self.holds(duel, last)

    def keep(self, duel: types.Duel, receipts: list[types.Receipt]) -> None:
        """Checks the receipts of an answer with a duel that it wants, and keeps them durably. Raises ReceiptError.

        A receipt must state what the answer shows, so that a house cannot sign one thing and answer another.
        """
        last = duel["rounds"][-1]
        shown = self._shown(duel, last)
        for receipt in receipts:
            said = self._statement(receipt, "commitments")
            if {name: said[name] for name in shown} != shown:
                raise ReceiptError(f"duel {duel['id']}, round {last['round']}: the house has signed something else "
                                   "than it answers")
            self.store(receipt)
            self._current = shown

    def keep_run(self, run: types.Run, receipts: list[types.Receipt]) -> None:
        """Checks the receipts of an answer with its run, and keeps them durably. Raises ReceiptError.

        An answer has the receipts of what it has changed: without one of its newest throw, the house has withheld that
        one, or answers with receipts of an earlier throw.
        """
        newest = 0
        for receipt in receipts:
            said = self._statement(receipt, "start", "result", "decision")
            shown = self._shown_run(run, said)
            if {name: said[name] for name in shown} != shown:
                raise ReceiptError(f"run {run['id']}: the house has signed something else than it answers")
            if said["kind"] == "throw":
                newest = max(newest, said["n"])
            self.store(receipt)
        if newest != len(run["throws"]):
            raise ReceiptError(f"run {run['id']}: no receipt states its newest throw")

    @staticmethod
    def _shown_run(run: types.Run, said: dict[str, Any]) -> dict[str, Any]:
        """What a run shows of the subject of a statement."""
        shown: dict[str, Any] = {"run_id": run["id"], "account": run["account"]}
        if said["kind"] == "start":
            return {**shown, "commitment": run["commitment"], "client_seed_hash": run["client_seed_hash"]}
        if said["kind"] == "decision":
            made = {"claimed": "claim", "active": "continue", "abandoned": "abandon"}.get(run["status"])
            return {**shown, "cleared": run["cleared"], "throws": len(run["throws"]), "decision": made}
        throw = next((throw for throw in run["throws"] if throw["n"] == said["n"]), None)
        if throw is None:
            return {**shown, "n": None}
        return {**shown, "move": throw["move"], "house": throw["house"], "outcome": throw["outcome"],
                "entropy_hash": throw["entropy_hash"], "seed": throw["seed"]}

    @staticmethod
    def _shown(duel: types.Duel, round_: types.DuelRound) -> dict[str, Any]:
        other = duel["b"]
        return {
            "duel_id": duel["id"], "n": round_["round"], "a": duel["a"]["address"],
            "b": other["address"] if other else None,
            "commitment_a": round_["commitment_a"], "commitment_b": round_["commitment_b"],
        }

    def _statement(self, receipt: types.Receipt, *kinds: str) -> dict[str, Any]:
        """Returns what a receipt states. The signature is checked over the text as it came, before it is parsed."""
        raw, encoded = receipt.get("raw"), receipt.get("signature")
        signature = _verify.base64_bytes(encoded) if isinstance(encoded, str) else None
        if not isinstance(raw, str) or self.public is None or signature is None or len(signature) != 64:
            raise ReceiptError("a receipt is not signed")
        if not _verify.signed(self.public, MESSAGE + raw.encode("utf-8", "surrogatepass"), signature):
            raise ReceiptError("a receipt is not signed by the key of the log")
        for kind in kinds:
            statement: dict[str, Any] | None = _verify.document(raw, kind)
            if statement:
                return statement
        raise ReceiptError("a receipt is not about this kind of game")

    def store(self, receipt: types.Receipt) -> None:
        """Appends a receipt to the file, as a line that `roshambo verify --receipts` reads.

        What depends on it is done only afterwards: a crash in between leaves a receipt of a round that the bot can
        still reveal.
        """
        if self._path is not None:
            line = _verify.canonical({"raw": receipt["raw"], "signature": receipt["signature"]})
            append_line(self._path, line.encode())

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

    @staticmethod
    def wants(duel: types.Duel) -> bool:
        """Whether the current round of an answer could have a receipt: also a kept one, which may be another now."""
        if not duel["rounds"] or duel["b"] is None:
            return False
        last = duel["rounds"][-1]
        return last["commitment_a"] is not None and last["commitment_b"] is not None

    def keep(self, duel: types.Duel, receipts: list[types.Receipt]) -> None:
        """Checks the receipts of an answer with a duel that it wants, and keeps them durably. Raises ReceiptError.

        It keeps the first one of each round, and one that states something else before it raises the error.

        A receipt must state what the answer shows, so that a house cannot sign one thing and answer another.
        """
        last = duel["rounds"][-1]
        shown = self._shown(duel, last)
        for receipt in receipts:
            said = self._statement(receipt)
            if {name: said.get(name) for name in shown} != shown:
                raise self._refused(receipt, f"duel {duel['id']}, round {last['round']}")
            if self._current != shown:
                self.store(receipt)
                self._current = shown

    def keep_run(self, run: types.Run, receipts: list[types.Receipt]) -> None:
        """Checks the receipts of an answer with its run, and keeps them durably. Raises ReceiptError.

        One that states something else than the answer is kept too, before the error.

        An answer has the receipts of what it has changed: without one of its newest throw, the house has withheld that
        one, or answers with receipts of an earlier throw.
        """
        newest = 0
        for receipt in receipts:
            said = self._statement(receipt)
            shown = self._shown_run(run, said)
            if {name: said.get(name) for name in shown} != shown:
                raise self._refused(receipt, f"run {run['id']}")
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

    def _refused(self, receipt: types.Receipt, game: str) -> ReceiptError:
        """Keeps a signed receipt that states something else than the answer, unless it is kept. Returns the error.

        Nothing convicts a house as it does, once the chain states what the answer has shown. It is kept once: a bot
        that is started again and again would otherwise fill the disk with it.
        """
        text = f"{game}: the house has signed something else than it answers"
        if self._path is None:
            return ReceiptError(text)
        try:
            if not self._path.exists() or self._line(receipt) not in self._path.read_bytes().split(b"\n"):
                self.store(receipt)
        except OSError as error:
            return ReceiptError(f"{text}; the receipt is not kept: {error}")
        return ReceiptError(f"{text}; the receipt is kept in {self._path}")

    def _statement(self, receipt: types.Receipt) -> dict[str, Any]:
        """Returns what a receipt states. The signature is checked over the text as it came, before it is parsed.

        A signed text that is no statement is refused and not kept: verifiers take no file with a malformed line about
        the game, so a house could spoil the evidence with it.
        """
        raw, encoded = receipt.get("raw"), receipt.get("signature")
        signature = _verify.base64_bytes(encoded) if isinstance(encoded, str) else None
        if not isinstance(raw, str) or self.public is None or signature is None or len(signature) != 64:
            raise ReceiptError("a receipt is not signed")
        if not _verify.signed(self.public, MESSAGE + raw.encode("utf-8", "surrogatepass"), signature):
            raise ReceiptError("a receipt is not signed by the key of the log")
        for kind in ("start", "result", "decision", "commitments"):
            statement: dict[str, Any] | None = _verify.document(raw, kind)
            if statement:
                return statement
        raise ReceiptError("a receipt states nothing about a game")

    @staticmethod
    def _line(receipt: types.Receipt) -> bytes:
        line: str = _verify.canonical({"raw": receipt["raw"], "signature": receipt["signature"]})
        return line.encode()

    def store(self, receipt: types.Receipt) -> None:
        """Appends a receipt to the file, as a line that `roshambo verify --receipts` reads.

        What depends on it is done only afterwards: a crash in between leaves a receipt of a round that the bot can
        still reveal.
        """
        if self._path is not None:
            append_line(self._path, self._line(receipt))

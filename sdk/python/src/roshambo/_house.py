"""Runs against the house, with texts that the house does not know before it is asked for its hands."""

from __future__ import annotations

import hashlib
import os
import secrets
from pathlib import Path
from typing import Any, Literal

from . import _operations as operations
from . import _types as types
from ._client import AsyncClient, Client
from ._errors import StateError, TextsError
from ._flow import Flow
from ._receipts import Notary
from ._request import Session
from ._state import read_state, write_state
from ._strategy import Move

MAX_RUNS = 100
"""Runs whose texts are kept: a house that shows another commitment and then the first one again must get the same."""


class Loop:
    """The flows of both clients."""

    def __init__(self, session: Session, state: str | os.PathLike[str] | None,
                 receipts: str | os.PathLike[str] | None, verifier_key: str | None) -> None:
        self._session = session
        self._state = Path(state) if state is not None else None
        self._notary = Notary(Path(receipts) if receipts is not None else None, verifier_key)
        self._kept = _read(self._state)

    def start(self, body: dict[str, Any]) -> Flow[types.StartRunOut]:
        """Starts a run. The commitment is fixed before the house receives a text, so texts are stored under it."""
        me: types.MeOut = yield from self._session.json(self._session.request(operations._GET_ME))
        commitment = me["next_commitment"]["commitment"]
        texts = self._find("", commitment)
        if texts is None:
            texts = {"commitment": commitment, "client_seed": body.get("client_seed") or _draw(), "entropy": []}
            self._keep(texts)
        # A crash from here on finds the seed in the file. If the house has counted the start, the account's next
        # commitment is another one, and the next start draws another seed.
        body = {**body, "client_seed": texts["client_seed"]}
        if body.get("move") is not None:
            texts, body["entropy"] = self._entropy(texts, 1, body.get("entropy"))
        request = self._session.request(operations._START_RUN, body=body, receipts=True)
        out: types.StartRunOut = yield from self._session.json(request)
        yield from self._sign(out["run"], out.get("receipts"))
        self._check(texts, out["run"])
        return out

    def throw(self, run: types.Run, body: dict[str, Any]) -> Flow[types.ThrowOut]:
        """Plays the next throw of a run."""
        texts = self._find(run["id"], run["commitment"])
        if texts is None:  # another program has started the run
            texts = {"commitment": run["commitment"], "client_seed": run["client_seed"], "entropy": []}
        # Before a text is drawn: the same throw under another commitment would get a second one.
        self._check(texts, run)
        texts, entropy = self._entropy({**texts, "run": run["id"]}, len(run["throws"]) + 1, body.get("entropy"))
        request = self._session.request(operations._THROW, path={"run_id": run["id"]},
                                        body={**body, "entropy": entropy}, receipts=True)
        out: types.ThrowOut = yield from self._session.json(request)
        yield from self._sign(out["run"], out.get("receipts"))
        self._check(texts, out["run"])
        return out

    def _sign(self, run: types.Run, receipts: list[types.Receipt] | None) -> Flow[None]:
        """Keeps the house's signed statements about a run."""
        if not receipts:
            return
        if self._notary.public is None:
            self._notary.learn((yield from self._session.json(self._session.request(operations._GET_HEAD))))
        self._notary.keep_run(run, receipts)

    def _find(self, run: str, commitment: str) -> dict[str, Any] | None:
        """Returns the kept texts of a run, by its id or, while that is unknown, by its commitment."""
        for texts in self._kept:
            if run and texts.get("run") == run:
                return texts
        return next((texts for texts in self._kept if texts["commitment"] == commitment), None)

    def _entropy(self, texts: dict[str, Any], n: int, wanted: str | None) -> tuple[dict[str, Any], str]:
        """Returns the stored entropy of throw n, or stores the wanted or a fresh one."""
        entropy = [*texts["entropy"], *[""] * (n - len(texts["entropy"]))]
        if not entropy[n - 1]:
            entropy[n - 1] = wanted or _draw()
            texts = {**texts, "entropy": entropy}
            self._keep(texts)
        return texts, entropy[n - 1]

    def _keep(self, texts: dict[str, Any]) -> None:
        """Stores the texts of a run before they are sent."""
        kept = [other for other in self._kept if other["commitment"] != texts["commitment"]]
        kept = [*kept, texts][-MAX_RUNS:]
        write_state(self._state, kept)
        self._kept = kept

    def _check(self, texts: dict[str, Any], run: types.Run) -> None:
        """Compares what the house states about a run with the texts that were sent, and notes the id of the run.

        The hashes are what the chain holds; a proof that opens other texts fails the verifiers' checks.
        """
        if not texts.get("run"):
            texts = {**texts, "run": run["id"]}
            self._keep(texts)
        if texts["run"] != run["id"] or texts["commitment"] != run["commitment"]:
            raise TextsError(f"run {run['id']}: the house states another commitment")
        if _hash(texts["client_seed"]) != run["client_seed_hash"]:
            raise TextsError(f"run {run['id']}: the house has recorded another client seed than was sent")
        # Texts of throws that the run does not have yet belong to requests without an answer.
        for n, (sent, throw) in enumerate(zip(texts["entropy"], run["throws"]), 1):
            if sent and _hash(sent) != throw["entropy_hash"]:
                raise TextsError(f"run {run['id']}, throw {n}: the house has recorded another entropy than was sent")


def _read(path: Path | None) -> list[dict[str, Any]]:
    kept = read_state(path)
    if kept is None:
        return []
    try:
        for texts in kept:
            fits = all(isinstance(texts[name], str) for name in ("commitment", "client_seed"))
            if not fits or not all(isinstance(text, str) for text in texts["entropy"]):
                raise StateError(f"{path} has no texts of runs")
    except (TypeError, KeyError) as error:
        raise StateError(f"{path} has no texts of runs") from error
    return list(kept)


def _draw() -> str:
    return secrets.token_hex(16)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


Entry = Literal["auto", "fee", "free", "burn", "daily"]
Then = Literal["claim", "continue"]


def _start(entry: Entry | None, move: Move | None, then: Then | None, token_id: int | None) -> dict[str, Any]:
    return {"entry": entry, "move": move, "then": then, "token_id": token_id}


class House:
    """Plays runs against the house with a fresh client seed for each run and fresh entropy for each throw.

    The house then knows none of its hands before it is asked for them. state is the file in which each text is stored
    before it is sent: a call that is repeated after an error, also by another process, sends the same text, as a fresh
    one would be a second draw, of which the house could keep the better one. receipts is the file to which the house's
    signed statements are appended; verifier_key is the trusted key of the service's log. It must not be used by two
    threads at a time. Raises StateError.
    """

    def __init__(self, client: Client, *, state: str | os.PathLike[str] | None = None,
                 receipts: str | os.PathLike[str] | None = None, verifier_key: str | None = None) -> None:
        self._client = client
        self._loop = Loop(client._session, state, receipts, verifier_key)

    def start(self, *, entry: Entry | None = None, move: Move | None = None, then: Then | None = None,
              token_id: int | None = None) -> types.StartRunOut:
        """Starts a run, with its first throw if there is a move. Raises TextsError, ReceiptError and ServiceError.

        A start that is refused with recovering is not repeated: the next call reads the new commitment, which needs
        another client seed.
        """
        return self._client._run(self._loop.start(_start(entry, move, then, token_id)))

    def throw(self, run: types.Run, move: Move, *, then: Then | None = None) -> types.ThrowOut:
        """Plays the next throw of a run, whose latest state the caller has. Raises TextsError, ReceiptError and ServiceError.

        After an error read the run first, with Client.get_run: the throw may have been counted.
        """
        return self._client._run(self._loop.throw(run, {"move": move, "then": then}))


class AsyncHouse:
    """House for an AsyncClient."""

    def __init__(self, client: AsyncClient, *, state: str | os.PathLike[str] | None = None,
                 receipts: str | os.PathLike[str] | None = None, verifier_key: str | None = None) -> None:
        self._client = client
        self._loop = Loop(client._session, state, receipts, verifier_key)

    async def start(self, *, entry: Entry | None = None, move: Move | None = None, then: Then | None = None,
                    token_id: int | None = None) -> types.StartRunOut:
        """As House.start."""
        return await self._client._run(self._loop.start(_start(entry, move, then, token_id)))

    async def throw(self, run: types.Run, move: Move, *, then: Then | None = None) -> types.ThrowOut:
        """As House.throw."""
        return await self._client._run(self._loop.throw(run, {"move": move, "then": then}))

"""The two clients."""

from __future__ import annotations

import functools
import os
import ssl
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TypedDict

import httpx

from . import _operations as operations
from . import _verify
from ._operations import CONTRACT, AsyncOperations, Operations
from ._receipts import parse_key
from ._request import Session

_AGENT = {"User-Agent": f"roshambo-python/{CONTRACT}"}


class Check(TypedDict):
    """The result of one check of a proof."""

    id: str
    """The name of the check, such as "outcomes"; the same in all verifiers."""
    result: str
    """pass, fail, or note: not a fault, but something to know."""
    text: str
    """What was found, in a sentence."""


class Report(TypedDict):
    """The result of a verification, the same as verify.py --json prints."""

    valid: bool
    """Whether the verdict is VALID."""
    verdict: str
    """VALID, PENDING (a claim is in no block yet), NOT VALID, or CONTRADICTED: the house signed a receipt and a block
    that differ."""
    format: str
    """The format of the proof, such as roshambo/duel-proof/v1; "" for a text that is none."""
    pending: list[str]
    """The claims that are in no block."""
    checks: list[Check]
    """All checks, in their order."""


def verify(proof: bytes | str, *, key: str | None = None, witnesses: Sequence[str] = (), quorum: int = 0,
           receipts: str | os.PathLike[str] | None = None) -> Report:
    """Checks the proof of a duel or a run, offline and without trust in the house.

    proof is the text of the answer of get_duel_proof or get_run_proof; it must be the text as it came, not one that was
    written again. key is the trusted key that must have signed its checkpoint; witnesses are the keys of witnesses, of
    which quorum must have cosigned it, all if 0; receipts is a file of receipts to compare with the proof. Raises
    ValueError for a malformed key.
    """
    if key is not None:
        parse_key(key)
    if not all(_verify.parse_key(witness, 4) for witness in witnesses):
        raise ValueError("a key in witnesses is not the verifier key of a witness")
    if not 0 <= quorum <= len(witnesses):
        raise ValueError("quorum is not 0 to the number of witnesses")
    data = proof.encode("utf-8", "surrogatepass") if isinstance(proof, str) else proof
    lines = Path(receipts).read_bytes() if receipts is not None else None
    report: Report = _verify.verify(data, key, tuple(witnesses), lines, quorum)
    return report


def as_text(report: Report) -> str:
    """Returns a report as text: a line for each check, then the verdict."""
    text: str = _verify.as_text(report)
    return text


@functools.cache
def _trusted() -> ssl.SSLContext:
    """Returns the authorities that certificates need, read once: for each of many bots anew, it would block them all.

    A file that SSL_CERT_FILE names later is not read.
    """
    return httpx.create_ssl_context()


class Client(Operations):
    """A client that blocks.

    url is the base of the service, for example http://127.0.0.1:8080; key is the API key of an account (rsk_…) or of a
    bot (rsb_…). Without a key it calls public operations, or those of a session that create_guest or login opens: it
    keeps the cookie and the token of the session. timeout is the seconds of one attempt, beside the wait of a long
    poll. retry_budget is the seconds that one call waits between its attempts while the service is busy, restarts or
    cannot be reached; None means without end. transport makes the connections in place of httpx's own.

    It may be shared by threads, but for the methods that open or end a session. Raises ValueError for another URL.
    """

    def __init__(self, url: str, key: str | None = None, *, timeout: float = 60.0, retry_budget: float | None = 60.0,
                 transport: httpx.BaseTransport | None = None) -> None:
        self._session = Session(url, key, timeout, retry_budget)
        self._http = httpx.Client(headers=_AGENT, verify=_trusted(), transport=transport)

    def verify_duel(self, code: str, *, key: str | None = None, witnesses: Sequence[str] = (), quorum: int = 0,
                    receipts: str | os.PathLike[str] | None = None) -> Report:
        """Reads the proof of a duel and checks it as verify does."""
        proof = self._bytes(operations._GET_DUEL_PROOF, path={"code": code})
        return verify(proof, key=key, witnesses=witnesses, quorum=quorum, receipts=receipts)

    def verify_run(self, run_id: str, *, key: str | None = None, witnesses: Sequence[str] = (), quorum: int = 0,
                   receipts: str | os.PathLike[str] | None = None) -> Report:
        """Reads the proof of a run and checks it as verify does."""
        proof = self._bytes(operations._GET_RUN_PROOF, path={"run_id": run_id})
        return verify(proof, key=key, witnesses=witnesses, quorum=quorum, receipts=receipts)

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()


class AsyncClient(AsyncOperations):
    """Client for asyncio: the same operations as coroutines and asynchronous iterators."""

    def __init__(self, url: str, key: str | None = None, *, timeout: float = 60.0, retry_budget: float | None = 60.0,
                 transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._session = Session(url, key, timeout, retry_budget)
        self._http = httpx.AsyncClient(headers=_AGENT, verify=_trusted(), transport=transport)

    async def verify_duel(self, code: str, *, key: str | None = None, witnesses: Sequence[str] = (), quorum: int = 0,
                          receipts: str | os.PathLike[str] | None = None) -> Report:
        """Reads the proof of a duel and checks it as verify does."""
        proof = await self._bytes(operations._GET_DUEL_PROOF, path={"code": code})
        return verify(proof, key=key, witnesses=witnesses, quorum=quorum, receipts=receipts)

    async def verify_run(self, run_id: str, *, key: str | None = None, witnesses: Sequence[str] = (), quorum: int = 0,
                         receipts: str | os.PathLike[str] | None = None) -> Report:
        """Reads the proof of a run and checks it as verify does."""
        proof = await self._bytes(operations._GET_RUN_PROOF, path={"run_id": run_id})
        return verify(proof, key=key, witnesses=witnesses, quorum=quorum, receipts=receipts)

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None,
                        trace: TracebackType | None) -> None:
        await self.close()

"""Requests: their parts, their repetitions and the errors of their answers."""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from ._errors import AnswerError, ConnectionFailed, ServiceError, service_error
from ._flow import Answer, Flow, Request, Send, Sleep
from ._meta import Answered, read_meta
from ._pace import Pace
from ._steps import Bounds

log = logging.getLogger("roshambo")

FIRST_WAIT, MAX_WAIT = 0.1, 10.0
"""The backoff when an answer names no delay: it begins with the first and doubles up to the second."""
LONG_PAUSE = 10.0
"""Seconds of the longest delay by the pace that is not logged. No step of a duel has a longer one."""

RETRIED = frozenset({408, 429, 500, 502, 503, 504})
WITHOUT_EFFECT = frozenset({"not_stored", "recovering", "storage_full"})
"""The codes of 503 that state that nothing was stored."""


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of the contract."""

    id: str
    method: str
    path: str
    idempotent: bool = False
    csrf: bool = False


@dataclass(frozen=True, slots=True)
class Urgency:
    """How long a call may take; None takes the client's value."""

    step: Bounds | None = None
    """The bounds of a step of a duel, or of a read that waits for one; None for other calls."""
    timeout: float | None = None
    """Seconds of one attempt, beside those that the service holds it."""
    budget: float | None = None
    """Seconds of all delays between attempts."""

    @staticmethod
    def of(bounds: Bounds) -> Urgency:
        """Returns the urgency of a step with these bounds."""
        return Urgency(step=bounds, timeout=bounds.attempt)


ORDINARY = Urgency()


class Session:
    """The caller and the limits of one client."""

    def __init__(self, url: str, key: str | None, timeout: float, retry_budget: float | None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"{url!r} is not a URL such as http://127.0.0.1:8080")
        self.url = url.rstrip("/")
        self.key = _header("key", key) if key else None
        self.timeout = timeout
        self.retry_budget = retry_budget  # None: without end
        self.csrf: str | None = None  # of the session in the cookies
        self.pace = Pace()

    def request(
        self, operation: Operation, *, path: Mapping[str, Any] | None = None, query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None, wait: float | None = None, receipts: bool = False,
        idempotency_key: str | None = None,
    ) -> Request:
        """Returns a request. None in query and body means absent."""
        headers = {"Accept": "*/*"}
        if self.key:
            headers["Authorization"] = "Bearer " + self.key
        elif operation.csrf and self.csrf:
            headers["X-CSRF-Token"] = self.csrf
        if operation.idempotent:
            headers["Idempotency-Key"] = _header("idempotency_key", idempotency_key or secrets.token_hex(16))
        held = min(30, int(wait or 0))
        preferences = ["receipt"] * receipts + [f"wait={held}"] * (held > 0)
        if preferences:
            headers["Prefer"] = ", ".join(preferences)
        content = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            content = json.dumps({name: value for name, value in body.items() if value is not None}).encode()
        return Request(
            operation.id, operation.method, self.url + _fill(operation.path, path or {}), _pairs(query or {}),
            headers, content, operation.method == "GET" or operation.idempotent, float(held),
        )

    def send(self, request: Request, urgency: Urgency = ORDINARY, stream: bool = False) -> Flow[Answer]:
        """Sends a request until its answer is final or the retry budget is used up, and returns the last answer.

        Only delays between attempts count against the budget, not those of the pace. Raises ConnectionFailed.
        """
        budget = self.retry_budget if urgency.budget is None else urgency.budget
        timeout = min(self.timeout, urgency.timeout or self.timeout) + request.wait
        waited, backoff = 0.0, FIRST_WAIT
        while True:
            yield from self._turn(request, urgency)
            answer: Answer | None = None
            lost: ConnectionFailed | None = None
            try:
                answer = yield Send(request, timeout, stream)
            except ConnectionFailed as failure:
                lost = failure
            finally:
                self.pace.done()
            if answer is not None:
                self.pace.observe(answer.headers)
                log.debug("%s %s: %d, request %s", request.method, request.url, answer.status,
                          answer.headers.get("X-Request-Id", "unknown"))
            later = _retry(request, answer, lost)
            if later is not None and urgency.step:
                later, backoff = min(later, urgency.step.retry), min(backoff, urgency.step.backoff)
            wait = jitter(max(later or 0.0, backoff))
            waited += wait
            if later is None or budget is not None and waited > budget:
                if answer is None:
                    raise lost or ConnectionFailed("no answer")
                return answer
            log.debug("%s %s: again in %.1f s, after %s", request.method, request.url, wait, lost or "its answer")
            yield Sleep(wait)
            backoff = min(2 * backoff, MAX_WAIT)

    def _turn(self, request: Request, urgency: Urgency) -> Flow[None]:
        """Waits as long as the pace asks for: within a duel it sends a step in time, and a read after it."""
        deadline = None
        if urgency.step:
            deadline = self.pace.now() + urgency.step.pace * (2 if request.method == "GET" else 1)
        while (wait := self.pace.reserve(deadline)) > 0:
            if wait > LONG_PAUSE:
                log.info("%s %s: in %.1f s, as the request limit asks for", request.method, request.url, wait)
            yield Sleep(wait)

    def answer(self, request: Request, urgency: Urgency = ORDINARY, stream: bool = False) -> Flow[Answer]:
        """Returns the answer with status 200, and raises the ServiceError of any other one."""
        answer = yield from self.send(request, urgency, stream)
        if answer.status != 200:
            raise service_error(answer.status, answer.headers, answer.body)
        return answer

    def json(self, request: Request, urgency: Urgency = ORDINARY) -> Flow[Any]:
        """Returns the JSON of an answer, an object with its meta, and keeps the token that belongs to a new session."""
        answer = yield from self.answer(request, urgency)
        value = parse(answer.body, f"{request.method} {request.url}")
        if not isinstance(value, dict):
            return value
        if not self.key and isinstance(value.get("csrf_token"), str):
            self.csrf = value["csrf_token"]
        return Answered(value, read_meta(answer.headers))


def parse(text: bytes, source: str) -> Any:
    """Parses JSON. Raises AnswerError."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise AnswerError(f"{source}: the answer is not JSON") from error


def _retry(request: Request, answer: Answer | None, lost: ConnectionFailed | None) -> float | None:
    """Returns the delay that the service asks for, 0 if it names none, and None if no attempt should follow.

    A request without an Idempotency-Key is repeated only if nothing happened. So is no start of a run that a recovery
    refused: the account has another commitment then, and a start with it needs another client seed.
    """
    if answer is None:
        return 0.0 if request.repeatable or lost is not None and not lost.sent else None
    error: ServiceError
    if answer.status == 409:
        error = service_error(answer.status, answer.headers, answer.body)
        return 0.0 if error.code == "idempotency_in_flight" else None
    if answer.status not in RETRIED:
        return None
    error = service_error(answer.status, answer.headers, answer.body)
    if request.operation == "startRun" and error.code == "recovering":
        return None
    if not request.repeatable and answer.status not in (408, 429) and error.code not in WITHOUT_EFFECT:
        return None
    return error.retry_after or 0.0


def jitter(wait: float) -> float:
    """Lengthens a delay by up to a quarter, so that clients which were refused together do not return together."""
    return wait * (1 + secrets.randbelow(1 << 20) / (4 << 20))


def _header(name: str, value: str) -> str:
    """Returns a value that fits into a header; another one would fail only when it is sent, again and again."""
    if not value.isascii() or not value.isprintable() or " " in value:
        raise ValueError(f"the {name} has a character that no header may have")
    return value


def _fill(path: str, values: Mapping[str, Any]) -> str:
    """Fills the parameters of a path. A value that would name another path is refused."""
    for name, value in values.items():
        text = str(value)
        if text in ("", ".", ".."):
            raise ValueError(f"{name}={text!r} has no place in a path")
        path = path.replace("{" + name + "}", quote(text, safe=""))
    return path


def _pairs(query: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Returns the parameters of a query as texts, a list as several of them."""
    pairs = []
    for name, value in query.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is not None:
                pairs.append((name, str(one).lower() if isinstance(one, bool) else str(one)))
    return tuple(pairs)

"""The errors of this package: RoshamboError and the types below it."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

LONGEST = 86_400.0  # seconds of a delay that is believed


class RoshamboError(Exception):
    """The base of all errors of this package."""


class ServiceError(RoshamboError):
    """An answer other than 200. Its subclasses are for groups of statuses; branch on code for one cause."""

    status: int
    """The HTTP status."""
    code: str
    """A code of docs/errors.md; "invalid" for a 422, "unknown" for an answer that a proxy wrote."""
    message: str
    """A sentence for people."""
    request_id: str
    """Identifies the request in the service's log; "" if a proxy answered."""
    retry_after: float | None
    """Seconds after which a repetition can succeed; None if it cannot help."""
    detail: list[str]
    """Each invalid value of a 422, in one sentence."""
    body: dict[str, Any]
    """All members of the answer: some errors have more of them."""

    def __init__(self, status: int, headers: Mapping[str, str], text: bytes) -> None:
        try:
            body = json.loads(text)
        except (ValueError, RecursionError):
            body = None
        self.body = body if isinstance(body, dict) else {}
        self.status, self.request_id = status, headers.get("X-Request-Id", "")
        self.code, self.message, self.detail = _unknown(status)
        violations = self.body.get("detail")
        if isinstance(violations, list) and violations:
            self.code, self.message = "invalid", "the request is invalid"
            self.detail = [_violation(one) for one in violations if isinstance(one, dict)]
        elif isinstance(self.body.get("code"), str) and self.body["code"]:
            self.code, self.message = self.body["code"], str(self.body.get("message", ""))
        self.retry_after = _retry_after(self.body.get("retry_after_ms"), headers.get("Retry-After", ""))
        super().__init__(str(self))

    def __str__(self) -> str:
        text = f"{self.status} {self.code}: {self.message}"
        if self.detail:
            text += ": " + "; ".join(self.detail)
        return text + (f" (request {self.request_id})" if self.request_id else "")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the error with all of its fields."""
        return _restore, (type(self), self.__dict__)


def _restore(kind: type[ServiceError], fields: dict[str, Any]) -> ServiceError:
    error = kind.__new__(kind)
    error.__dict__.update(fields)
    return error


def _unknown(status: int) -> tuple[str, str, list[str]]:
    try:
        return "unknown", HTTPStatus(status).phrase, []
    except ValueError:
        return "unknown", "an unknown status", []


def _violation(one: dict[str, Any]) -> str:
    place = one.get("loc")
    path = ".".join(str(step) for step in place) if isinstance(place, list) else ""
    return f"{path}: {one.get('msg', '')}"


def _retry_after(milliseconds: Any, header: str) -> float | None:
    """Returns the delay in seconds. retry_after_ms is more precise than the header, which a proxy may write as a date."""
    if type(milliseconds) is int and milliseconds > 0:
        return min(LONGEST, milliseconds / 1000)
    if header.isascii() and header.isdigit():
        return min(LONGEST, float(header[:9]))
    try:
        return min(LONGEST, max(0.0, parsedate_to_datetime(header).timestamp() - time.time()))
    except (TypeError, ValueError, OverflowError):
        return None


class InvalidRequest(ServiceError):
    """422: the request violates the contract; detail has every violation. It had no effect."""


class Unauthenticated(ServiceError):
    """401: the key or session is missing, unknown or no longer valid."""


class Forbidden(ServiceError):
    """403: the caller may not do this."""


class NotFound(ServiceError):
    """404: nothing exists under this name."""


class Conflict(ServiceError):
    """409: the state does not allow this; code says why."""


class RateLimited(ServiceError):
    """429: too many calls, and the retry budget has no room for the delay."""


class Unavailable(ServiceError):
    """408, 500 or above: the service or the network is in trouble, for longer than the retry budget."""


_KINDS: dict[int, type[ServiceError]] = {
    401: Unauthenticated, 403: Forbidden, 404: NotFound, 408: Unavailable, 409: Conflict, 422: InvalidRequest,
    429: RateLimited,
}


def service_error(status: int, headers: Mapping[str, str], text: bytes) -> ServiceError:
    """Returns the error of an answer other than 200, of the type for its status."""
    return _KINDS.get(status, Unavailable if status >= 500 else ServiceError)(status, headers, text)


class ConnectionFailed(RoshamboError):
    """No connection, or no complete answer, for longer than the retry budget."""

    def __init__(self, text: str, sent: bool = True) -> None:
        super().__init__(text)
        self.sent = sent
        """Whether the service may have received the request."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the error with all of its fields."""
        return type(self), (str(self), self.sent)


class AnswerError(RoshamboError):
    """A complete answer with status 200 that is not what the contract states."""


class ReceiptError(RoshamboError):
    """The house did not sign both commitments of a round, or signed something else than it answered.

    Nothing is revealed after it: after a reveal, the house could exchange the opponent's commitment (docs/protocol.md,
    section 11).
    """


class TextsError(RoshamboError):
    """The house has recorded other texts than were sent, or states another commitment for a run than before.

    It could have chosen its hands then. Another program that plays the same account is the harmless reason.
    """


class StateError(RoshamboError):
    """A state file is not what this package writes."""

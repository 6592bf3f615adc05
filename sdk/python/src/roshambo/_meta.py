"""The facts about an answer besides its body."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

_LIMIT = re.compile(r";r=(\d{1,9});t=(\d{1,9})", re.ASCII)
_POLICY = re.compile(r";q=(\d{1,9});w=(\d{1,9})", re.ASCII)


class RateLimit(NamedTuple):
    """The state of a request limit, as the headers RateLimit and RateLimit-Policy state it."""

    left: int
    """Requests that are answered now."""
    limit: int
    """Requests in a whole window."""
    reset: int
    """Seconds until there are more."""
    window: int
    """The window in seconds."""


class Meta(NamedTuple):
    """The facts about an answer besides its body."""

    request_id: str
    """Identifies the request in the service's log; "" for the answer of a proxy."""
    rate_limit: RateLimit | None
    """The request limit after the call; None if the answer does not state it."""
    held: bool
    """Whether the service followed wait: it held the answer, or there was news at once."""
    replayed: bool
    """Whether this is the stored answer to an earlier call with the same Idempotency-Key."""


class Answered(dict[str, Any]):
    """The object of an answer, with the facts about the answer."""

    def __init__(self, members: Mapping[str, Any], meta: Meta) -> None:
        super().__init__(members)
        self.meta = meta


def meta_of(answer: object) -> Meta | None:
    """Returns the facts about the answer that a method of a client has returned; None for any other value."""
    return answer.meta if isinstance(answer, Answered) else None


def read_meta(headers: Mapping[str, str]) -> Meta:
    """Reads the facts about an answer from its headers."""
    return Meta(
        headers.get("X-Request-Id", ""), rate_limit(headers), "wait=" in headers.get("Preference-Applied", ""),
        "Idempotent-Replayed" in headers,
    )


def rate_limit(headers: Mapping[str, str]) -> RateLimit | None:
    """Reads the request limit; None if the headers state none."""
    limit = _LIMIT.search(headers.get("RateLimit", ""))
    policy = _POLICY.search(headers.get("RateLimit-Policy", ""))
    if not limit or not policy:
        return None
    return RateLimit(left=int(limit[1]), limit=int(policy[1]), reset=int(limit[2]), window=int(policy[2]))

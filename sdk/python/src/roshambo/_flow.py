"""Flows: the logic of both clients, without input and output.

A flow is a generator. It yields what it needs from outside, gets the result, and returns its own: the clients perform
the same effects, one by blocking calls, the other by awaiting. So retries, pacing and the loop of a bot exist once.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Request:
    """A request with all that its repetitions have in common."""

    operation: str
    method: str
    url: str
    query: tuple[tuple[str, str], ...]
    headers: dict[str, str] = field(repr=False)  # with the key
    content: bytes | None = field(repr=False)
    repeatable: bool
    """Whether a second one has no second effect: it reads, or has an Idempotency-Key."""
    wait: float = 0.0
    """Seconds for which the request asks the service to hold the answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with any status, complete unless it has a stream."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    stream: Any = None


@dataclass(frozen=True, slots=True)
class Send:
    """One attempt of a request. Its result is an Answer; it raises ConnectionFailed."""

    request: Request
    timeout: float
    stream: bool


@dataclass(frozen=True, slots=True)
class Sleep:
    """A delay in seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Ask:
    """A call of the user's code. Its result is the function's, awaited by the asynchronous client if needed."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]


Effect: TypeAlias = Send | Sleep | Ask
Flow: TypeAlias = Generator[Effect, Any, T]

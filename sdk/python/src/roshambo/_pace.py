"""The pace of requests, by the headers RateLimit and RateLimit-Policy."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping

from ._meta import rate_limit

_LONGEST_WINDOW = 300
"""Seconds of a window that is obeyed. To space requests over the hours of a daily limit would look like a hang."""
_STEADY = 235
"""The requests of 240 that are used at a steady pace: at exactly the limit, jitter makes the service refuse some."""


class Pace:
    """Spaces out requests when less than a quarter of the limit is left, so that the service need not refuse any.

    r of the header includes what other clients of the same network address do. Steps of a duel are spaced out below
    half of the limit, over its whole window: what several bots have used in a moment comes back a window later.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()  # guards the fields below: threads may share a client
        self._gap = self._step_gap = 0.0
        self._next = self._step_next = 0.0
        self._left = self._most = 0
        self._in_flight = 0

    def now(self) -> float:
        """Returns the time by which requests are spaced, in seconds."""
        return self._clock()

    def reserve(self, deadline: float | None) -> float:
        """Returns 0 if a request may be sent now, which done must end, or else the seconds until the next try.

        A step of a duel has a deadline, until which it waits at most; None is for other requests.
        """
        with self._lock:
            now = self._clock()
            wait = self._next - now
            if deadline is not None:
                wait = min(max(wait, self._step_next - now), deadline - now)
            if wait > 0:
                return wait
            self._next, self._step_next = now + self._gap, now + self._step_gap
            self._in_flight += 1
            return 0.0

    def done(self) -> None:
        """Ends a request, with or without an answer."""
        with self._lock:
            self._in_flight -= 1

    @property
    def covered(self) -> bool:
        """Whether a third of the limit is left, enough to begin a duel beside other clients at the address."""
        with self._lock:
            return 3 * self._left >= self._most

    def observe(self, headers: Mapping[str, str]) -> None:
        """Reads the headers of an answer. Requests in flight count as used, as r may not include them."""
        limit = rate_limit(headers)
        if limit is None or limit.reset > _LONGEST_WINDOW:
            return
        r, q, t, w = limit
        with self._lock:
            now = self._clock()
            r = max(0, r - self._in_flight)
            self._left, self._most = r, q
            self._step_gap = w / (r + 1) if 2 * r < q else 0.0
            self._step_next = max(self._step_next, now + self._step_gap)
            if 4 * r >= q:
                self._gap = 0.0
                return
            self._gap = t / (r + 1) * 240 / _STEADY
            self._next = max(self._next, now + self._gap)

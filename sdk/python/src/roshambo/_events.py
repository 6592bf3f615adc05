"""Streams: lines, server-sent events, and where a broken one goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from ._errors import AnswerError, ConnectionFailed
from ._request import jitter

MAX_LINE = 16 << 20
"""Bytes of the longest line that is read."""
LONGEST_PAUSE = 30.0
"""Seconds to which the delays between connections grow while no event arrives, unless the service names more."""


class Event(NamedTuple):
    """An event of a stream (docs/events.md)."""

    name: str
    """A member of types.Events, for example "matched". Expect others, too."""
    id: int | None
    """Grows within a stream; None for an event that is not stored."""
    data: Any
    """An object of the type of that member."""


class Lines:
    """Splits the pieces of an answer into lines."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """Yields the lines that a piece completes, without their ends."""
        self._rest += piece
        if b"\n" in piece:
            *lines, rest = self._rest.split(b"\n")
            self._rest = rest
            for line in lines:
                yield bytes(line).removesuffix(b"\r")
        if len(self._rest) > MAX_LINE:
            raise AnswerError(f"a line of more than {MAX_LINE} bytes")

    @property
    def rest(self) -> bytes:
        """The line without an end; it is complete if the answer is."""
        return bytes(self._rest)


class Events:
    """Reads the lines of a stream of events."""

    def __init__(self) -> None:
        self.last: int | None = None
        """The id to go on behind. A comment of the service may advance it without an event."""
        self.retry = 2.0
        """Seconds to wait before the stream is opened again."""
        self._name, self._data = "", list[str]()
        self._id: int | None = None

    def feed(self, line: bytes) -> Event | None:
        """Takes a line, and returns the event that it ends, if any."""
        if line:
            name, _, value = line.decode("utf-8", "replace").partition(":")
            self._field(name, value.removeprefix(" "))
            return None
        name, data, number = self._name, self._data, self._id
        self._name, self._data, self._id = "", [], None
        if number is not None:
            self.last = number
        if not data:
            return None
        try:
            return Event(name or "message", number, json.loads("\n".join(data)))
        except (ValueError, RecursionError) as error:
            raise AnswerError(f"the event {name} is not JSON") from error

    def _field(self, name: str, value: str) -> None:
        number = value.isascii() and value.isdigit() and len(value) < 19
        if name == "event":
            self._name = value
        elif name == "data":
            self._data.append(value)
        elif name == "id" and number:
            self._id = int(value)
        elif name == "retry" and number:
            self.retry = min(60.0, int(value) / 1000)

    def restart(self) -> None:
        """Forgets an event that the end of a connection has cut off."""
        self._name, self._data, self._id = "", [], None


class Resume:
    """The delays between the connections of one stream, which grow until an item arrives."""

    def __init__(self, longest: float, budget: float | None) -> None:
        self._longest = longest
        self._budget = budget  # seconds of all delays since the last item; None: without end
        self.progress()

    def progress(self) -> None:
        """Notes that an item has arrived."""
        self._waited = self._next = 0.0

    def delay(self, least: float, lost: ConnectionFailed | None) -> float:
        """Returns the seconds until the next connection: at first least, then twice as many as before.

        Raises ConnectionFailed when the budget is used up.
        """
        seconds = max(least, min(self._next, self._longest))
        self._next = 2 * seconds
        wait = jitter(seconds)
        self._waited += wait
        if self._budget is not None and self._waited > self._budget:
            raise lost or ConnectionFailed("the stream ends again and again")
        return wait

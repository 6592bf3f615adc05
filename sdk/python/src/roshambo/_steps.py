"""The bounds of calls about a duel, whose steps have deadlines."""

from __future__ import annotations

from typing import NamedTuple

from . import _types as types

USUAL_STEP, SHORTEST_STEP = 15, 5
"""Seconds of a step between bots, and the fewest that the host of a cup or the creator of a duel may choose."""


class Bounds(NamedTuple):
    """The longest times of the calls about a duel, in seconds.

    A missed deadline costs a round, and a refused call nothing, so each is well below the time of a step.
    """

    hold: float
    """For which the bot asks the service to hold an answer; whole."""
    attempt: float
    """Of an attempt beside that: one that is lost in silence is given up with time for another."""
    pace: float
    """Of the delay of a step by the pace; a read waits for twice as long at most."""
    retry: float
    """Of a Retry-After that is obeyed."""
    backoff: float
    """Of the delay after a failure that names none."""


USUAL = Bounds(hold=5.0, attempt=4.0, pace=3.0, retry=5.0, backoff=1.0)
"""The bounds of a step of USUAL_STEP or more, and of calls that look for a duel."""


def bounds_of(duel: types.Duel) -> Bounds:
    """Returns the bounds of the calls about a duel: shorter ones by the same factor as its steps."""
    step = min(USUAL_STEP, max(SHORTEST_STEP, duel.get("move_seconds") or USUAL_STEP))
    hold, *others = (seconds * step / USUAL_STEP for seconds in USUAL)
    return Bounds(float(int(hold)), *others)

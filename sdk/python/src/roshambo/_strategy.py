"""What a bot is made of: a strategy, and what it sees."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from . import _types as types

Move: TypeAlias = Literal["rock", "paper", "scissors"]
"""A move, as a strategy returns it and the service names it."""
MOVES: tuple[Move, Move, Move] = ("rock", "paper", "scissors")
"""All moves; each beats the one before it."""
BEATEN_BY: dict[Move, Move] = {"rock": "paper", "paper": "scissors", "scissors": "rock"}
"""The move that beats each move."""


class Round(NamedTuple):
    """A round that both sides revealed, as one side saw it."""

    mine: Move
    """The move of this side."""
    theirs: Move
    """The move of the opponent."""


class History(list[Round]):
    """All rounds against one opponent, oldest first: those of earlier duels, at most 2,000, then those of this one."""

    opponent: str
    """The opponent's address, which stays when it changes its name."""
    username: str
    """The opponent's name."""
    duel: str
    """The code of the duel."""
    round: int
    """The number of the round to play, from 1. Rounds that a side missed have no entry in the history."""

    def __init__(self, rounds: Iterable[Round], opponent: str, username: str, duel: str, round: int) -> None:
        super().__init__(rounds)
        self.opponent, self.username, self.duel, self.round = opponent, username, duel, round


class Strategy(Protocol):
    """Chooses the moves of a bot. Both methods may be coroutine functions in a bot of AsyncClient.

    A step has a deadline of 15 seconds, or the duel's move_seconds, so none may take long. What a method raises ends
    the bot, and the deadlines decide the duel.
    """

    def move(self, history: History) -> Any:
        """Returns the next move, a Move. It is called once for each round that is played."""
        ...

    def ended(self, duel: types.Duel) -> Any:
        """Is called once for each duel that is over."""
        ...


def sides(duel: types.Duel) -> tuple[Literal["a", "b"], types.DuelSide]:
    """Returns the caller's side of a duel and the opponent. Raises ValueError for one without either."""
    you, b = duel["you"], duel["b"]
    if you is None:
        raise ValueError(f"duel {duel['id']} is watched, not played")
    if b is None:
        raise ValueError(f"duel {duel['id']} has no opponent yet")
    return you, b if you == "a" else duel["a"]


def result(duel: types.Duel) -> Literal["won", "lost", "drawn"]:
    """Returns the caller's result of a finished duel."""
    if duel["winner"] is None:
        return "drawn"
    return "won" if duel["winner"] == duel["you"] else "lost"


def revealed(duel: types.Duel, you: Literal["a", "b"]) -> list[Round]:
    """Returns the rounds that both sides revealed. A missed round says nothing about a strategy."""
    rounds = []
    for one in duel["rounds"]:
        a, b = one["move_a"], one["move_b"]
        if one["outcome"] != "pending" and a is not None and b is not None:
            rounds.append(Round(a, b) if you == "a" else Round(b, a))
    return rounds

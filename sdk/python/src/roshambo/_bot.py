"""The loop of a bot: it queues, commits, reveals, and queues again."""

from __future__ import annotations

import asyncio
import hashlib
import os
import secrets
from pathlib import Path
from typing import Any, Literal

from . import _operations as operations
from . import _types as types
from ._client import AsyncClient, Client
from ._errors import AnswerError, Conflict, ReceiptError, RoshamboError, ServiceError, StateError
from ._flow import Ask, Flow, Request, Sleep
from ._meta import meta_of
from ._receipts import Notary
from ._request import FIRST_WAIT, Operation, Session, Urgency, log
from ._state import read_state, write_state
from ._steps import USUAL, bounds_of
from ._strategy import MOVES, History, Round, Strategy, result, revealed, sides

LOOK = Urgency.of(USUAL)
"""Of reads that look for a duel in play: its deadlines go on meanwhile."""
QUEUE = Urgency(timeout=USUAL.attempt)
LEAVE = Urgency(timeout=2.0, budget=0.0)
POLL_EVERY = 1.0
"""Seconds between calls if the service does not hold answers."""
RECALLED = 20
"""Past duels that a bot reads when it starts. Each is one call of the limit."""
MAX_OPPONENTS, MAX_PAST = 64, 2000


class Hand:
    """A move for one round with the salt that hides it until the reveal."""

    def __init__(self, duel: str, round: int, move: str, salt: str) -> None:
        self.duel, self.round, self.move, self.salt = duel, round, move, salt

    @property
    def commitment(self) -> str:
        """SHA-256 of move:salt in hexadecimal."""
        return hashlib.sha256(f"{self.move}:{self.salt}".encode()).hexdigest()

    def is_for(self, duel: types.Duel, round_: types.DuelRound) -> bool:
        """Whether it was drawn for this round."""
        return self.duel == duel["id"] and self.round == round_["round"]

    @staticmethod
    def read(path: Path | None) -> Hand | None:
        """Reads the hand of a stopped bot. Raises StateError."""
        state = read_state(path)
        if state is None:
            return None
        if not isinstance(state, dict) or not isinstance(state.get("round"), int):
            raise StateError(f"{path} has no hand of a bot")
        texts = [state.get(name) for name in ("duel", "move", "salt")]
        if not all(isinstance(text, str) for text in texts):
            raise StateError(f"{path} has no hand of a bot")
        return Hand(str(texts[0]), state["round"], str(texts[1]), str(texts[2]))

    def write(self, path: Path | None) -> None:
        """Stores the hand, before its commitment is sent."""
        write_state(path, {"duel": self.duel, "round": self.round, "move": self.move, "salt": self.salt})


class Memory:
    """The rounds of finished duels by opponent, the opponent that was met last at the end."""

    def __init__(self) -> None:
        self._past: dict[str, list[Round]] = {}

    def __bool__(self) -> bool:
        return bool(self._past)

    def past(self, address: str) -> list[Round]:
        """Returns the rounds against an opponent. The one that was not met for the longest time is forgotten."""
        rounds = self._past.pop(address, [])
        self._past[address] = rounds
        if len(self._past) > MAX_OPPONENTS:
            del self._past[next(iter(self._past))]
        return rounds

    def record(self, address: str, rounds: list[Round]) -> None:
        """Adds the rounds of a finished duel."""
        past = self.past(address)
        past.extend(rounds)
        if len(past) > MAX_PAST:
            del past[:-MAX_PAST // 2]


class Loop:
    """The flows of both bots."""

    def __init__(self, session: Session, strategy: Strategy, *, state: str | os.PathLike[str] | None = None,
                 receipts: str | os.PathLike[str] | None = None, verifier_key: str | None = None,
                 version: str | None = None) -> None:
        self._session = session
        self._strategy = strategy
        self._state = Path(state) if state is not None else None
        self._notary = Notary(Path(receipts) if receipts is not None else None, verifier_key)
        self._hand = Hand.read(self._state)
        self._version = version
        self._memory = Memory()
        self._stopping = False
        # Of a run: whether it has looked for an unfinished duel, whether it is prepared for ranked ones, and whether
        # the memory was empty at its beginning.
        self._looked = self._prepared = self._recalls = False

    def stop(self) -> None:
        """Makes run return after the duel that is being played; a handler of a signal or another thread may call it."""
        self._stopping = True

    def run(self, duels: int) -> Flow[None]:
        """Plays ranked duels, 0 for without end; first one that a killed bot has left unfinished."""
        self._looked, self._prepared, self._recalls = False, False, not self._memory
        played = 0
        while not self._stopping and (duels == 0 or played < duels):
            duel = yield from self._queue()
            if duel is None:
                return
            log.info("matched: duel %s", duel["id"])
            duel = yield from self.play(duel)
            played += 1

    def play(self, duel: types.Duel) -> Flow[types.Duel]:
        """Plays a duel to its end and returns its final state."""
        you, other = sides(duel)
        while duel["status"] == "active":
            try:
                duel = yield from self._step(duel, you, other)
            except Conflict as refused:
                log.debug("refused: duel %s, %s", duel["id"], refused.code)
                if refused.code == "conflict":  # without effect
                    yield Sleep(FIRST_WAIT)
                else:  # a deadline has passed, or an earlier attempt of this step took effect
                    duel = yield from self._wait(duel)
        self._memory.record(other["address"], revealed(duel, you))
        wins = duel["wins"]
        log.info("finished: duel %s %s, %d:%d", duel["id"], result(duel), wins["a"], wins["b"])
        yield Ask(self._strategy.ended, (duel,))
        return duel

    def _step(self, duel: types.Duel, you: Literal["a", "b"], other: types.DuelSide) -> Flow[types.Duel]:
        """Does the next step: commit or reveal, each answered once the other side has moved, or wait for it."""
        last = duel["rounds"][-1]
        if not last["committed"][you]:
            drawn = yield from self._draw(duel, last, you, other)
            body = {"commitment": drawn.commitment, "round": last["round"]}
            return (yield from self._duel(operations._COMMIT_DUEL, duel, body=body))
        both = last["committed"]["a"] and last["committed"]["b"]
        hand, own = self._hand, last["commitment_a"] if you == "a" else last["commitment_b"]
        # Another program that plays with the same key may have committed: then there is nothing to reveal here.
        if not both or last["you_revealed"] or hand is None or not hand.is_for(duel, last) or hand.commitment != own:
            return (yield from self._wait(duel))
        if not self._notary.holds(duel, last):
            # The answer that showed both commitments may have been lost, or stored under an Idempotency-Key before
            # the opponent had committed: ask once more.
            again = yield from self._duel(operations._GET_DUEL, duel, held=False)
            now = again["rounds"][-1]
            if again["status"] != "active" or now["round"] != last["round"] or now["committed"] != last["committed"]:
                return again
            if now["commitment_a"] != last["commitment_a"] or now["commitment_b"] != last["commitment_b"] or (
                not self._notary.holds(again, now)
            ):
                raise ReceiptError(f"duel {duel['id']}, round {last['round']}: the house has not signed both "
                                   "commitments. It could exchange one after a reveal")
        body = {"move": hand.move, "salt": hand.salt, "round": hand.round}
        return (yield from self._duel(operations._REVEAL_DUEL, duel, body=body))

    def _wait(self, duel: types.Duel) -> Flow[types.Duel]:
        """Returns the duel when it has changed, or when the service no longer holds the answer."""
        return (yield from self._duel(operations._GET_DUEL, duel, query={"version": duel["version"]}))

    def _duel(self, operation: Operation, duel: types.Duel, *, query: dict[str, Any] | None = None,
              body: dict[str, Any] | None = None, held: bool = True) -> Flow[types.Duel]:
        """Sends a call about a duel, keeps the receipts of its answer, and returns the duel."""
        bounds = bounds_of(duel)
        step = Urgency.of(bounds)
        request = self._session.request(operation, path={"code": duel["id"]}, query=query, body=body,
                                        wait=bounds.hold if held else 0.0, receipts=True)
        out = yield from self._session.json(request, step)
        answered: types.Duel = out["duel"]
        if answered["id"] != duel["id"] or not answered["rounds"]:
            raise AnswerError(f"duel {duel['id']}: the answer is about another one")
        if out.get("receipts") and self._notary.wants(answered):
            if self._notary.public is None:
                head = yield from self._session.json(self._session.request(operations._GET_HEAD), step)
                self._notary.learn(head)
            self._notary.keep(answered, out["receipts"])
        return answered

    def _draw(self, duel: types.Duel, last: types.DuelRound, you: Literal["a", "b"],
                 other: types.DuelSide) -> Flow[Hand]:
        """Returns the hand of a round, which is stored before its commitment is sent.

        A hand of this round may have been sent: it is sent again, as another one would be a second draw.
        """
        if self._hand is not None and self._hand.is_for(duel, last):
            return self._hand
        rounds = self._memory.past(other["address"]) + revealed(duel, you)
        history = History(rounds, other["address"], other["username"], duel["id"], last["round"])
        move = yield Ask(self._strategy.move, (history,))
        if move not in MOVES:
            raise ValueError(f"the strategy's move is {move!r}, not rock, paper or scissors")
        hand = Hand(duel["id"], last["round"], move, secrets.token_hex(32))
        hand.write(self._state)
        self._hand = hand
        return hand

    def _queue(self) -> Flow[types.Duel | None]:
        """Waits until there is a duel. Returns None when the bot was stopped before."""
        try:
            while not self._stopping:
                duel = yield from self._ask()
                if duel is not None:
                    return duel
        except (KeyboardInterrupt, asyncio.CancelledError):
            yield from self._leave()  # so that it is not matched any more
            raise
        return (yield from self._leave())

    def _ask(self) -> Flow[types.Duel | None]:
        """Asks once for a duel, and returns None if there is none yet.

        While less than a third of the request limit is left, it asks for no ranked duel and plays only those that
        begin without its asking, so that a duel in play always has the calls that it needs.
        """
        if not self._looked or not self._session.pace.covered:
            duel = yield from self._begun()
            self._looked = True
            if duel is None and not self._session.pace.covered:
                yield Sleep(USUAL.hold)
            return duel
        if not self._prepared:
            yield from self._prepare()
            self._prepared = True
        held = False
        try:
            request = self._session.request(operations._QUEUE, wait=USUAL.hold)
            place: types.QueueOut = yield from self._session.json(request, QUEUE)
            if place["duel"] is not None:
                return place["duel"]
            meta = meta_of(place)
            held = meta is not None and meta.held
        except Conflict as refused:  # without effect: another request of the same bot was first
            log.debug("refused: queue, %s", refused.code)
        if not held:
            yield Sleep(POLL_EVERY)
        return None

    def _begun(self) -> Flow[types.Duel | None]:
        """Returns a duel of the arena that the bot plays already, such as one of a cup, or None."""
        mine = {"mine": True, "status": "active"}
        listed: types.DuelsOut = yield from self._get(operations._LIST_DUELS, LOOK, query=mine)
        for duel in listed["duels"]:
            if duel["kind"] in ("ranked", "cup"):
                step, path = Urgency.of(bounds_of(duel)), {"code": duel["id"]}
                whole: types.GetDuelOut = yield from self._get(operations._GET_DUEL, step, path=path)
                return whole["duel"]
        return None

    def _leave(self) -> Flow[types.Duel | None]:
        """Leaves the queue, and returns the duel that was found before; None without one.

        Errors are only logged: the service drops a silent bot after ten seconds.
        """
        try:
            out: types.LeaveOut = yield from self._session.json(self._session.request(operations._LEAVE_QUEUE), LEAVE)
            return out["duel"]
        except RoshamboError as error:
            log.debug("leaving the queue: %s", error)
            return None

    def _prepare(self) -> Flow[None]:
        """Does what can wait for a duel in play: a delay of its calls would cost that duel its rounds."""
        if self._version is not None:
            yield from self._name_version(self._version)
        if self._recalls:
            yield from self._recall()

    def _name_version(self, version: str) -> Flow[None]:
        """Names the version of the program on the bot's profile. A restart with the same one changes nothing."""
        me: types.MeOut = yield from self._get(operations._GET_ME, QUEUE)
        request = self._session.request(operations._DESCRIBE_BOT, path={"address": me["account"]["address"]},
                                        body={"version": version})
        try:
            yield from self._session.json(request, QUEUE)
        except ServiceError as refused:
            if refused.code != "words_hidden":
                raise
            log.warning("an operator has hidden the words of this bot: version %s", version)  # it plays all the same

    def _recall(self) -> Flow[None]:
        """Fills the memory from the latest finished duels, so that a restarted bot knows its opponents.

        A duel that it has played since its start is among them.
        """
        finished = {"mine": True, "status": "finished", "limit": RECALLED}
        listed: types.DuelsOut = yield from self._get(operations._LIST_DUELS, QUEUE, query=finished)
        self._memory = Memory()
        for duel in reversed(listed["duels"]):  # the list begins with the newest, and omits rounds
            whole: types.GetDuelOut = yield from self._get(operations._GET_DUEL, QUEUE, path={"code": duel["id"]})
            you, other = sides(whole["duel"])
            self._memory.record(other["address"], revealed(whole["duel"], you))

    def _get(self, operation: Operation, urgency: Urgency, *, path: dict[str, Any] | None = None,
             query: dict[str, Any] | None = None) -> Flow[Any]:
        request: Request = self._session.request(operation, path=path, query=query)
        return (yield from self._session.json(request, urgency))


class Bot:
    """A bot of the arena: it plays ranked duels, and those of the cups that it has joined.

    client needs the key of a bot (rsb_…); with retry_budget=None it waits for a service that restarts, however long.
    strategy chooses the moves. state is the file in which the bot stores each hand before it sends the commitment, so
    that a killed bot can continue; without it a restart between commit and reveal loses the round. receipts is the file
    to which it appends the house's signed statements, a line for each round: evidence if the proof of a duel differs
    later. verifier_key is the trusted key of the service's log; without it the one that the service states is taken.
    version is the version of the program, which run names on the bot's profile before it asks for its first ranked
    duel: letters, digits and . _ + -, at most 32; each change of the rating names it. Without it the one that the
    service has stays.

    It reveals only with the house's signature under both commitments of the round, and raises ReceiptError without.
    It must not be used by two threads at a time, but for stop. Raises StateError.
    """

    def __init__(self, client: Client, strategy: Strategy, *, state: str | os.PathLike[str] | None = None,
                 receipts: str | os.PathLike[str] | None = None, verifier_key: str | None = None,
                 version: str | None = None) -> None:
        self._client = client
        self._loop = Loop(client._session, strategy, state=state, receipts=receipts, verifier_key=verifier_key,
                          version=version)

    def run(self, duels: int = 0) -> None:
        """Plays that many duels; 0 means until stop is called.

        The first one is a duel that a killed bot has left unfinished. Only then, with enough of the request limit left,
        it reads the past duels from which the strategy knows its opponents. KeyboardInterrupt leaves the queue first;
        within a duel it ends the bot at once, and the deadlines decide.
        """
        self._client._run(self._loop.run(duels))

    def play(self, duel: types.Duel) -> types.Duel:
        """Plays a duel to its end, of the arena or any other, and returns its final state."""
        return self._client._run(self._loop.play(duel))

    def stop(self) -> None:
        """Makes run return after the duel that is being played; a handler of a signal or another thread may call it."""
        self._loop.stop()


class AsyncBot:
    """Bot for an AsyncClient. The methods of its strategy may be coroutine functions.

    It writes its files within the event loop: each takes as long as the disk needs to sync.
    """

    def __init__(self, client: AsyncClient, strategy: Strategy, *, state: str | os.PathLike[str] | None = None,
                 receipts: str | os.PathLike[str] | None = None, verifier_key: str | None = None,
                 version: str | None = None) -> None:
        self._client = client
        self._loop = Loop(client._session, strategy, state=state, receipts=receipts, verifier_key=verifier_key,
                          version=version)

    async def run(self, duels: int = 0) -> None:
        """Plays that many duels; 0 means until stop is called.

        A task that is cancelled leaves the queue first; within a duel it ends at once, and the deadlines decide.
        """
        await self._client._run(self._loop.run(duels))

    async def play(self, duel: types.Duel) -> types.Duel:
        """Plays a duel to its end, of the arena or any other, and returns its final state."""
        return await self._client._run(self._loop.play(duel))

    def stop(self) -> None:
        """Makes run return after the duel that is being played."""
        self._loop.stop()

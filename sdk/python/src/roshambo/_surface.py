"""The input and output of both clients: they perform the effects of flows, and read streams."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Generator, Mapping
from contextlib import aclosing, closing
from typing import Any, TypeVar

import httpx

from ._errors import AnswerError, ConnectionFailed
from ._events import LONGEST_PAUSE, Event, Events, Lines, Resume
from ._flow import Answer, Ask, Effect, Flow, Request, Send, Sleep
from ._request import FIRST_WAIT, MAX_WAIT, Operation, Session, parse

T = TypeVar("T")

MAX_ANSWER = 64 << 20
"""Bytes of the largest answer that is read whole."""
STREAM_TIMEOUT = 45.0
"""Seconds of silence after which a stream is given up. The service sends a comment every 15."""

_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


def _failed(request: Request, error: Exception) -> ConnectionFailed:
    """Returns the error of an attempt without a complete answer."""
    text = f"{request.method} {request.url}: {str(error) or type(error).__name__}"
    return ConnectionFailed(text, sent=not isinstance(error, _NOT_SENT))


def _timeouts(effect: Send) -> httpx.Timeout:
    """Returns the limits of one attempt. A connection that does not open is given up sooner than a held answer."""
    longest = max(effect.timeout, STREAM_TIMEOUT) if effect.stream else effect.timeout
    held = effect.request.wait
    return httpx.Timeout(longest, connect=min(effect.timeout - held, 10.0 if held == 0 else 4.0))


def _built(client: httpx.Client | httpx.AsyncClient, effect: Send) -> httpx.Request:
    request = effect.request
    return client.build_request(
        request.method, request.url, params=request.query or None, headers=request.headers, content=request.content,
        timeout=_timeouts(effect),
    )


def _too_large(request: Request) -> AnswerError:
    return AnswerError(f"{request.method} {request.url}: the answer has more than {MAX_ANSWER} bytes")


class _Following:
    """The state of a stream of events over its connections."""

    def __init__(self, session: Session, operation: Operation, query: Mapping[str, Any] | None) -> None:
        self._session, self._operation, self._query = session, operation, dict(query or {})
        self.once = self._query.get("follow") is False
        self.events = Events()
        self.resume = Resume(LONGEST_PAUSE, None)

    def request(self) -> Request:
        self.events.restart()
        if self.events.last is not None:
            self._query["after"] = self.events.last
        return self._session.request(self._operation, query=self._query)


class _Reading:
    """The state of lines of objects over their connections: each line has the cursor behind which it goes on.

    An answer ends where a budget of the service ends, so only an answer without a line is the end.
    """

    def __init__(self, session: Session, operation: Operation, path: Mapping[str, Any] | None,
                 query: Mapping[str, Any] | None) -> None:
        self._session, self._operation, self._path, self._query = session, operation, path, dict(query or {})
        self.resume = Resume(MAX_WAIT, session.retry_budget)
        self.over = False
        self._asked: Any = None

    def request(self) -> Request:
        self.over = True
        self._asked = self._query.get("after")
        return self._session.request(self._operation, path=self._path, query=self._query)

    def line(self, line: bytes) -> Any:
        value = parse(line, self._operation.path)
        if not isinstance(value, dict) or not isinstance(value.get("cursor"), str):
            raise AnswerError(f"{self._operation.path}: a line without a cursor")
        if value["cursor"] == self._asked:  # reading on would bring it again without end
            raise AnswerError(f"{self._operation.path}: a line behind a cursor has this cursor itself")
        self._query["after"] = value["cursor"]
        self.over = False
        self.resume.progress()
        return value


class Surface:
    """The blocking side: what the operations of Client are made of."""

    _session: Session
    _http: httpx.Client

    def _run(self, flow: Flow[T]) -> T:
        """Performs the effects of a flow and returns its result. An interrupt of an effect is raised inside the flow."""
        try:
            effect = next(flow)
            while True:
                try:
                    outcome = self._perform(effect)
                except BaseException as failure:
                    effect = flow.throw(failure)
                else:
                    effect = flow.send(outcome)
        except StopIteration as stop:
            result: T = stop.value
            return result

    def _perform(self, effect: Effect) -> Any:
        if isinstance(effect, Sleep):
            time.sleep(effect.seconds)
            return None
        if isinstance(effect, Ask):
            outcome = effect.function(*effect.arguments)
            if inspect.isawaitable(outcome):
                raise TypeError("an asynchronous function needs AsyncClient")
            return outcome
        try:
            response = self._http.send(_built(self._http, effect), stream=True)
        except httpx.RequestError as error:
            raise _failed(effect.request, error) from error
        if effect.stream and response.status_code == 200:
            return Answer(200, response.headers, b"", response)
        return self._read(effect, response)

    def _read(self, effect: Send, response: httpx.Response) -> Answer:
        """Reads an answer whole. The timeout of the attempt is checked between its pieces."""
        end, body = time.monotonic() + effect.timeout, bytearray()
        try:
            with closing(response):
                for piece in response.iter_bytes():
                    body += piece
                    if len(body) > MAX_ANSWER:
                        raise _too_large(effect.request)
                    if time.monotonic() > end:
                        raise ConnectionFailed(f"{effect.request.url}: the answer takes too long")
        except httpx.RequestError as error:
            raise _failed(effect.request, error) from error
        return Answer(response.status_code, response.headers, bytes(body))

    def _json(self, operation: Operation, **parts: Any) -> Any:
        return self._run(self._session.json(self._session.request(operation, **parts)))

    def _bytes(self, operation: Operation, **parts: Any) -> bytes:
        return self._run(self._session.answer(self._session.request(operation, **parts))).body

    def _text(self, operation: Operation, **parts: Any) -> str:
        return self._bytes(operation, **parts).decode("utf-8", "replace")

    def _pages(self, items: str, operation: Operation, *, path: Mapping[str, Any] | None = None,
               query: Mapping[str, Any] | None = None) -> Generator[Any, None, None]:
        cursor: str | None = None
        while True:
            page = self._json(operation, path=path, query={**(query or {}), "cursor": cursor})
            yield from page[items]
            if (cursor := page["next"]) is None:
                return

    def _open(self, request: Request) -> httpx.Response:
        response: httpx.Response = self._run(self._session.answer(request, stream=True)).stream
        return response

    def _split(self, request: Request, response: httpx.Response) -> Generator[bytes, None, None]:
        """Yields the lines of an open answer. Raises ConnectionFailed if it breaks."""
        lines = Lines()
        try:
            with closing(response):
                for piece in response.iter_bytes():
                    yield from lines.feed(piece)
        except httpx.RequestError as error:
            raise _failed(request, error) from error
        if lines.rest:
            yield lines.rest

    def _texts(self, operation: Operation, **parts: Any) -> Generator[str, None, None]:
        request = self._session.request(operation, **parts)
        with closing(self._split(request, self._open(request))) as lines:
            for line in lines:
                yield line.decode("utf-8", "replace")

    def _lines(self, operation: Operation, *, path: Mapping[str, Any] | None = None,
               query: Mapping[str, Any] | None = None) -> Generator[Any, None, None]:
        reading = _Reading(self._session, operation, path, query)
        while not reading.over:
            request = reading.request()
            response = self._open(request)
            try:
                with closing(self._split(request, response)) as lines:
                    for line in lines:
                        yield reading.line(line)
            except ConnectionFailed as lost:
                reading.over = False
                self._perform(Sleep(reading.resume.delay(FIRST_WAIT, lost)))

    def _events(self, operation: Operation, *, query: Mapping[str, Any] | None = None) -> Generator[Event, None, None]:
        following = _Following(self._session, operation, query)
        while True:
            lost: ConnectionFailed | None = None
            request = following.request()
            response = self._open(request)
            try:
                with closing(self._split(request, response)) as lines:
                    for line in lines:
                        if (event := following.events.feed(line)) is None:
                            continue
                        following.resume.progress()
                        yield event
                        if event.name == "end":
                            return
                if following.once:
                    return
            except ConnectionFailed as failure:
                lost = failure
            self._perform(Sleep(following.resume.delay(following.events.retry, lost)))


class AsyncSurface:
    """The asynchronous side: what the operations of AsyncClient are made of."""

    _session: Session
    _http: httpx.AsyncClient

    async def _run(self, flow: Flow[T]) -> T:
        """Performs the effects of a flow and returns its result. What cancels an effect is raised inside the flow."""
        try:
            effect = next(flow)
            while True:
                try:
                    outcome = await self._perform(effect)
                except BaseException as failure:
                    effect = flow.throw(failure)
                else:
                    effect = flow.send(outcome)
        except StopIteration as stop:
            result: T = stop.value
            return result

    async def _perform(self, effect: Effect) -> Any:
        if isinstance(effect, Sleep):
            await asyncio.sleep(effect.seconds)
            return None
        if isinstance(effect, Ask):
            outcome = effect.function(*effect.arguments)
            return await outcome if inspect.isawaitable(outcome) else outcome
        # httpx bounds each of its reads alone.
        return await _alone(effect.request, self._attempt(effect), effect.timeout + 1)

    async def _attempt(self, effect: Send) -> Answer:
        try:
            response = await self._http.send(_built(self._http, effect), stream=True)
            if effect.stream and response.status_code == 200:
                return Answer(200, response.headers, b"", response)
            body = bytearray()
            async with aclosing(response):
                async for piece in response.aiter_bytes():
                    body += piece
                    if len(body) > MAX_ANSWER:
                        raise _too_large(effect.request)
        except httpx.RequestError as error:
            raise _failed(effect.request, error) from error
        return Answer(response.status_code, response.headers, bytes(body))

    async def _json(self, operation: Operation, **parts: Any) -> Any:
        return await self._run(self._session.json(self._session.request(operation, **parts)))

    async def _bytes(self, operation: Operation, **parts: Any) -> bytes:
        return (await self._run(self._session.answer(self._session.request(operation, **parts)))).body

    async def _text(self, operation: Operation, **parts: Any) -> str:
        return (await self._bytes(operation, **parts)).decode("utf-8", "replace")

    async def _pages(self, items: str, operation: Operation, *, path: Mapping[str, Any] | None = None,
                     query: Mapping[str, Any] | None = None) -> AsyncGenerator[Any, None]:
        cursor: str | None = None
        while True:
            page = await self._json(operation, path=path, query={**(query or {}), "cursor": cursor})
            for item in page[items]:
                yield item
            if (cursor := page["next"]) is None:
                return

    async def _open(self, request: Request) -> httpx.Response:
        response: httpx.Response = (await self._run(self._session.answer(request, stream=True))).stream
        return response

    async def _split(self, request: Request, response: httpx.Response) -> AsyncGenerator[bytes, None]:
        """Yields the lines of an open answer. Raises ConnectionFailed if it breaks."""
        lines = Lines()
        try:
            async with aclosing(response):
                pieces = response.aiter_bytes()
                while piece := await _alone(request, _next(pieces)):
                    for line in lines.feed(piece):
                        yield line
        except httpx.RequestError as error:
            raise _failed(request, error) from error
        if lines.rest:
            yield lines.rest

    async def _texts(self, operation: Operation, **parts: Any) -> AsyncGenerator[str, None]:
        request = self._session.request(operation, **parts)
        async with aclosing(self._split(request, await self._open(request))) as lines:
            async for line in lines:
                yield line.decode("utf-8", "replace")

    async def _lines(self, operation: Operation, *, path: Mapping[str, Any] | None = None,
                     query: Mapping[str, Any] | None = None) -> AsyncGenerator[Any, None]:
        reading = _Reading(self._session, operation, path, query)
        while not reading.over:
            request = reading.request()
            response = await self._open(request)
            try:
                async with aclosing(self._split(request, response)) as lines:
                    async for line in lines:
                        yield reading.line(line)
            except ConnectionFailed as lost:
                reading.over = False
                await self._perform(Sleep(reading.resume.delay(FIRST_WAIT, lost)))

    async def _events(self, operation: Operation, *,
                      query: Mapping[str, Any] | None = None) -> AsyncGenerator[Event, None]:
        following = _Following(self._session, operation, query)
        while True:
            lost: ConnectionFailed | None = None
            request = following.request()
            response = await self._open(request)
            try:
                async with aclosing(self._split(request, response)) as lines:
                    async for line in lines:
                        if (event := following.events.feed(line)) is None:
                            continue
                        following.resume.progress()
                        yield event
                        if event.name == "end":
                            return
                if following.once:
                    return
            except ConnectionFailed as failure:
                lost = failure
            await self._perform(Sleep(following.resume.delay(following.events.retry, lost)))


async def _next(pieces: AsyncIterator[bytes]) -> bytes:
    """Returns the next piece, or nothing at the end."""
    return await anext(pieces, b"")


async def _alone(request: Request, work: Coroutine[Any, Any, T], seconds: float | None = None) -> T:
    """Returns the result of work on a request. Raises ConnectionFailed once it has taken longer.

    It is a task of its own: a connection that takes long to open, or a read without an answer, leaves its task cancelled
    (by anyio below httpx), and asyncio.timeout would take its own end for a cancellation of the caller then.
    """
    task = asyncio.create_task(work)
    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # a caller that has left takes none
    try:
        await asyncio.wait({task}, timeout=seconds)
    finally:
        while not task.done():  # for the same reason, one may be lost
            task.cancel()
            await asyncio.wait({task}, timeout=1)
    if task.cancelled():
        raise ConnectionFailed(f"{request.method} {request.url}: no answer in time")
    return task.result()

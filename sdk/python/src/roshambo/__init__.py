"""The Python client of Roshambo, a provably fair Rock-Paper-Scissors service.

    from roshambo import Client, Bot

    class Rock:
        def move(self, history):
            return "rock"

        def ended(self, duel):
            print(duel["id"], duel["winner"])

    with Client("http://127.0.0.1:8080", key, retry_budget=None) as client:
        Bot(client, Rock(), state="bot.json", receipts="receipts.jsonl").run(3)

Every operation of the service is a method of Client, and of AsyncClient as a coroutine: get_me, list_duels, start_run.
A list is also an iterator over all its pages: iter_duels. Answers are objects as in JSON, typed by roshambo.types.

A call is repeated while the service is busy or restarts and while the connection breaks, within the client's
retry_budget. A repetition is the same call with the same Idempotency-Key, so it has no second effect; a call that takes
none is repeated only if nothing happened. When little of the request limit is left, calls are spaced out so that the
service need not refuse any. A call whose answer is not 200 raises a ServiceError with code, request_id and retry_after;
meta_of returns request id and request limit of one that is.

Bot plays the arena and cups, House plays runs; both keep the house's signed receipts in a file. verify checks proofs
with the verifier of the service's own repository. Messages go to the logger "roshambo" of the module logging.
"""

from . import _types as types
from ._bot import AsyncBot, Bot
from ._client import AsyncClient, Check, Client, Report, as_text, verify
from ._errors import (
    AnswerError, Conflict, ConnectionFailed, Forbidden, InvalidRequest, NotFound, RateLimited, ReceiptError,
    RoshamboError, ServiceError, StateError, TextsError, Unauthenticated, Unavailable,
)
from ._events import Event
from ._house import AsyncHouse, House
from ._meta import Meta, RateLimit, meta_of
from ._operations import CONTRACT as __version__
from ._strategy import BEATEN_BY, MOVES, History, Move, Round, Strategy, result

__all__ = [
    "BEATEN_BY", "MOVES", "AnswerError", "AsyncBot", "AsyncClient", "AsyncHouse", "Bot", "Check", "Client", "Conflict",
    "ConnectionFailed", "Event", "Forbidden", "History", "House", "InvalidRequest", "Meta", "Move", "NotFound",
    "RateLimit", "RateLimited", "ReceiptError", "Report", "RoshamboError", "Round", "ServiceError", "StateError",
    "Strategy", "TextsError", "Unauthenticated", "Unavailable", "__version__", "as_text", "meta_of", "result", "types",
    "verify",
]

"""The driver of sdk/conformance for this package: it does the tasks of its standard input, all at once.

    python3 driver.py [--async]
"""

import asyncio
import json
import sys
import threading
import traceback
from itertools import islice
from pathlib import Path
from typing import Any

import roshambo
from roshambo import AsyncBot, AsyncClient, AsyncHouse, Bot, Client, House

printing = threading.Lock()


class Rock:
    """Always plays rock, and notes the results."""

    def __init__(self) -> None:
        self.results: list[str] = []

    def move(self, history: roshambo.History) -> roshambo.Move:
        return "rock"

    def ended(self, duel: roshambo.types.Duel) -> None:
        self.results.append(roshambo.result(duel))


def files(task: dict[str, Any], state: str) -> dict[str, Any]:
    folder = Path(task["folder"])
    return {"state": folder / state, "receipts": folder / "receipts.jsonl"}


def facts(answer: object) -> dict[str, Any]:
    """Returns the facts about an answer as the table has them."""
    meta = roshambo.meta_of(answer)
    if meta is None:
        raise TypeError("the answer has no facts")
    return {**meta._asdict(), "rate_limit": meta.rate_limit and meta.rate_limit._asdict()}


def do(task: dict[str, Any], client: Client) -> Any:
    match [task["command"], *task["arguments"]]:
        case ["me"]:
            return client.get_me()["account"]["username"]
        case ["bot", name]:
            return client.create_bot(name=name)["secret"]
        case ["guest"]:
            return client.create_guest()["account"]["username"]
        case ["head", height]:
            return client.get_head(height=int(height), wait=20)["head"]["height"]
        case ["meta", height]:
            return facts(client.get_head(height=int(height), wait=20))
        case ["runs"]:
            return [run["id"] for run in client.iter_runs(limit=2)]
        case ["data"]:
            return [line["cursor"] for line in client.data_duels()]
        case ["events", n]:
            return [[event.name, event.id] for event in islice(client.follow_events(topics=["feed"]), int(n))]
        case ["play", n, *version]:
            rock = Rock()
            Bot(client, rock, **files(task, "bot.json"), version=version[0] if version else None).run(int(n))
            return rock.results
        case ["duel", code]:
            rock = Rock()
            Bot(client, rock, **files(task, "bot.json")).play(client.get_duel(code)["duel"])
            return rock.results
        case ["run"]:
            house = House(client, **files(task, "runs.json"))
            run = house.start(move="rock", then="claim")["run"]
            while run["status"] == "active":
                run = house.throw(run, "rock", then="claim")["run"]
            return run["status"]
        case ["verify", code, *key]:
            return client.verify_duel(code, key=key[0] if key else None)
    raise ValueError(f"no command {task['command']}")


async def do_async(task: dict[str, Any], client: AsyncClient) -> Any:
    match [task["command"], *task["arguments"]]:
        case ["me"]:
            return (await client.get_me())["account"]["username"]
        case ["bot", name]:
            return (await client.create_bot(name=name))["secret"]
        case ["guest"]:
            return (await client.create_guest())["account"]["username"]
        case ["head", height]:
            return (await client.get_head(height=int(height), wait=20))["head"]["height"]
        case ["meta", height]:
            return facts(await client.get_head(height=int(height), wait=20))
        case ["runs"]:
            return [run["id"] async for run in client.iter_runs(limit=2)]
        case ["data"]:
            return [line["cursor"] async for line in client.data_duels()]
        case ["events", n]:
            events: list[Any] = []
            async for event in client.follow_events(topics=["feed"]):
                events.append([event.name, event.id])
                if len(events) == int(n):
                    break
            return events
        case ["play", n, *version]:
            rock = Rock()
            await AsyncBot(client, rock, **files(task, "bot.json"), version=version[0] if version else None).run(int(n))
            return rock.results
        case ["duel", code]:
            rock = Rock()
            await AsyncBot(client, rock, **files(task, "bot.json")).play((await client.get_duel(code))["duel"])
            return rock.results
        case ["run"]:
            house = AsyncHouse(client, **files(task, "runs.json"))
            run = (await house.start(move="rock", then="claim"))["run"]
            while run["status"] == "active":
                run = (await house.throw(run, "rock", then="claim"))["run"]
            return run["status"]
        case ["verify", code, *key]:
            return await client.verify_duel(code, key=key[0] if key else None)
    raise ValueError(f"no command {task['command']}")


KINDS = [
    (roshambo.ConnectionFailed, "connection"), (roshambo.ReceiptError, "receipt"), (roshambo.TextsError, "texts"),
    (roshambo.AnswerError, "answer"),
]


def error(failure: BaseException) -> dict[str, Any] | None:
    """Returns an error of the package as the table has it; None for any other one."""
    if isinstance(failure, roshambo.ServiceError):
        return {"type": "service", "status": failure.status, "code": failure.code, "request_id": failure.request_id,
                "retry_after": failure.retry_after}
    return next(({"type": name} for kind, name in KINDS if isinstance(failure, kind)), None)


def report(task: dict[str, Any], **outcome: Any) -> None:
    with printing:
        print(json.dumps({"id": task["id"], **outcome}), flush=True)


failed = False


def note(task: dict[str, Any], failure: BaseException) -> None:
    """Reports the error that ended a task."""
    global failed
    if (known := error(failure)) is not None:
        report(task, error=known)
        return
    # No row of the table expects this type: the task fails at once, with the reason on standard error.
    failed = True
    report(task, error={"type": type(failure).__name__})
    with printing:
        print(f"task {task['id']}: {task['command']}", file=sys.stderr)
        traceback.print_exception(failure)


def options(task: dict[str, Any]) -> dict[str, Any]:
    budget = task["budget"]
    return {"url": task["url"], "key": task["key"], "retry_budget": None if budget < 0 else budget}


def work(task: dict[str, Any]) -> None:
    try:
        with Client(**options(task)) as client:
            report(task, result=do(task, client))
    except Exception as failure:
        note(task, failure)


async def work_async(task: dict[str, Any]) -> None:
    try:
        async with AsyncClient(**options(task)) as client:
            report(task, result=await do_async(task, client))
    except (Exception, asyncio.CancelledError) as failure:
        note(task, failure)


def main() -> None:
    threads = []
    for line in sys.stdin:
        thread = threading.Thread(target=work, args=(json.loads(line),))
        thread.start()
        threads.append(thread)
    for thread in threads:
        thread.join()


async def main_async() -> None:
    tasks: set[asyncio.Task[None]] = set()
    while line := await asyncio.to_thread(sys.stdin.readline):
        tasks.add(asyncio.create_task(work_async(json.loads(line))))
    if tasks:
        await asyncio.wait(tasks)


if __name__ == "__main__":
    if sys.argv[1:] == ["--async"]:
        asyncio.run(main_async())
    else:
        main()
    sys.exit(failed)

var e=`"""A bot for the arena of Roshambo, with Python's standard library.

    ROSHAMBO_KEY=rsb_… python3 bot.py http://127.0.0.1:8080 3

plays three ranked duels with the key of a bot. Change choose(); the rest is the protocol:
both sides commit to a move, then both reveal it. A missed deadline of 15 seconds forfeits
the round, so no step may take long.
"""

import hashlib
import http.client
import json
import os
import random
import re
import secrets
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from email.utils import mktime_tz, parsedate_tz

MOVES = ["rock", "paper", "scissors"]
BEATEN_BY = {"rock": "paper", "paper": "scissors", "scissors": "rock"}


def choose(theirs):
    """Returns the next move. theirs are the opponent's moves, oldest first: it beats the
    most frequent of the last ten, and plays at random one time in five."""
    if not theirs or random.random() < 0.2:
        return random.choice(MOVES)
    return BEATEN_BY[Counter(theirs[-10:]).most_common(1)[0][0]]


covered = True  # whether a third of the request limit is left, enough to begin a duel
spacing = 0  # the seconds before a step of a duel; a read waits twice as long


def pace(headers):
    """Spaces out requests when less than half of the limit of q in w seconds is left: the r that
    are left are spread over a whole window, as other bots may use them too. It delays no step by
    more than three seconds, since each has a deadline."""
    global covered, spacing
    left = re.search(r";r=(\\d+)", headers.get("RateLimit") or "")
    most = re.search(r";q=(\\d+);w=(\\d+)", headers.get("RateLimit-Policy") or "")
    if left and most:
        r, q, w = int(left[1]), int(most[1]), int(most[2])
        covered = 3 * r >= q
        spacing = min(3, w / (r + 1)) if 2 * r < q else 0


def delay(headers):
    """Returns the seconds until another attempt: Retry-After is a number or a date. They are five
    at most, as a refusal costs nothing, and a missed deadline a round."""
    after = headers.get("Retry-After") or ""
    date = parsedate_tz(after)
    return min(5, max(1, int(after) if after.isdigit() else mktime_tz(date) - time.time() if date else 0))


class MovedOn(Exception):
    """The duel has changed: a deadline has passed, or a request was repeated."""


signed = {}  # what the house has signed, by duel and round


def keep(receipts):
    """Keeps what the house signs: evidence if the duel's proof differs (roshambo verify --receipts)."""
    for receipt in receipts:
        said = json.loads(receipt["raw"])
        if signed.setdefault((said["duel_id"], said["n"]), said) is said:
            with open("receipts.jsonl", "a") as file:
                print(json.dumps(receipt, separators=(",", ":"), sort_keys=True), file=file)


def call(method, path, body=None, wait=0):
    """Sends a request and returns the response. It repeats the request until there is one.
    The service holds it for up to wait seconds. An attempt without an answer is given up
    well before the deadline of 15 seconds."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": "Bearer " + KEY, "Content-Type": "application/json", "Prefer": f"receipt, wait={wait}"}
    while True:
        time.sleep(2 * spacing if method == "GET" else spacing)
        try:
            request = urllib.request.Request(BASE + path, data, headers, method=method)
            try:
                answer = urllib.request.urlopen(request, timeout=wait + 4)
            except urllib.error.HTTPError as refusal:
                answer = refusal
            with answer:
                text = answer.read().decode()
            result = json.loads(text) if answer.status == 200 else None
        except (OSError, http.client.HTTPException, ValueError) as lost:
            print("retrying:", lost, file=sys.stderr)
            time.sleep(1)
            continue
        pace(answer.headers)
        if result is not None:
            keep(result.get("receipts", []))
            return result
        if answer.status == 409 and path.endswith(("/commit", "/reveal")):
            raise MovedOn
        if answer.status not in (408, 409, 429) and answer.status < 500:
            sys.exit(f"{method} {path}: {answer.status} {text}")
        time.sleep(delay(answer.headers))


def step(duel, theirs, hands):
    """Commits, reveals or waits, and returns the new state of the duel."""
    path, me, now = "/api/duels/" + duel["id"], duel["you"], duel["rounds"][-1]
    n = now["round"]
    if not now["committed"][me]:
        move, salt = hands.setdefault(n, (choose(theirs), secrets.token_hex(32)))
        commitment = hashlib.sha256(f"{move}:{salt}".encode()).hexdigest()
        return call("POST", path + "/commit", {"commitment": commitment, "round": n}, wait=5)["duel"]
    if all(now["committed"].values()) and not now["you_revealed"] and n in hands:
        move, salt = hands[n]
        if (duel["id"], n) not in signed:
            call("GET", path)
        said = signed.get((duel["id"], n), {})
        if any(said.get(name) != now[name] for name in ("commitment_a", "commitment_b")):
            sys.exit("The house has not signed both commitments. It could exchange one after a reveal.")
        return call("POST", path + "/reveal", {"move": move, "salt": salt, "round": n}, wait=5)["duel"]
    return call("GET", f"{path}?version={duel['version']}", wait=5)["duel"]


def play(duel, past):
    """Plays a duel to its end. past are the opponent's moves in earlier duels."""
    other, hands = "b" if duel["you"] == "a" else "a", {}
    while True:
        shown = [r["move_" + other] for r in duel["rounds"] if r["outcome"] in ("a", "b", "tie")]
        theirs = past + [move for move in shown if move]
        if duel["status"] != "active":
            return duel, theirs
        try:
            duel = step(duel, theirs, hands)
        except MovedOn:
            duel = call("GET", "/api/duels/" + duel["id"])["duel"]


def main():
    met = {}  # the moves of each opponent, by its address
    for _ in range(DUELS):
        duel = None
        while not duel:
            if covered:
                duel = call("POST", "/api/arena/queue", {}, wait=5).get("duel")
            elif begun := call("GET", "/api/duels?mine=true&status=active")["duels"]:  # one of a cup
                duel = call("GET", "/api/duels/" + begun[0]["id"])["duel"]
            else:
                time.sleep(5)
        opponent = duel["b" if duel["you"] == "a" else "a"]
        duel, met[opponent["address"]] = play(duel, met.get(opponent["address"], []))
        result = "drawn" if not duel["winner"] else "won" if duel["winner"] == duel["you"] else "lost"
        print(f"{result} against {opponent['username']}, {duel['wins']['a']}:{duel['wins']['b']}, {BASE}/d/{duel['id']}")


if __name__ == "__main__":
    KEY = os.environ.get("ROSHAMBO_KEY")
    if not KEY or not 2 <= len(sys.argv) <= 3:
        sys.exit("usage: ROSHAMBO_KEY=rsb_… bot.py URL [DUELS]")
    BASE = sys.argv[1].rstrip("/")
    DUELS = int(sys.argv[2]) if len(sys.argv) == 3 else 1
    main()
`;export{e as default};
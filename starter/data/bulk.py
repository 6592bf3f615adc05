"""The lines of an answer with data in bulk (docs/data.md), for the examples beside it."""

import http.client
import json
import sys
import time
import urllib.error
import urllib.request
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

TRIES = 6  # of one request, over a quarter of a minute


def lines(url):
    """Yields all lines, resuming after each answer until one has none; ends the program if it cannot have them."""
    after, failed = "", 0
    while True:
        try:
            with urllib.request.urlopen(url + ("&" if "?" in url else "?") + "after=" + after if after else url,
                                        timeout=30) as answer:
                text = answer.read().decode()
        except urllib.error.HTTPError as refusal:
            problem = f"{refusal.code} {refusal.read(300).decode(errors='replace')}"
            if refusal.code != 429 and refusal.code < 500:
                sys.exit(f"{url}: {problem}")
            wait = pause(refusal.headers.get("Retry-After"))
        except (OSError, http.client.HTTPException) as broken:  # refused, closed, or cut off before its end
            problem, wait = repr(broken), None
        else:
            if not text:
                return
            failed = 0
            for line in text.splitlines():
                entry = json.loads(line)
                after = entry["cursor"]
                yield entry
            continue
        failed += 1
        if failed == TRIES:
            sys.exit(f"{url}: {problem}, {TRIES} times")
        time.sleep(2 ** (failed - 2) if wait is None else wait)


def pause(text):
    """Returns the seconds that a Retry-After asks for, a number or a date; None if it says nothing."""
    try:
        return max(0, int(text))
    except (TypeError, ValueError):
        pass
    try:
        return max(0, (parsedate_to_datetime(text) - datetime.now(timezone.utc)).total_seconds())
    except (TypeError, ValueError):
        return None

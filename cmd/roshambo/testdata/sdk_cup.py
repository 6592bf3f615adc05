"""Opens a private cup for bots, lets a bot of each of several owners join it, and starts it.

    python3 sdk_cup.py URL NAME…

prints its number and the keys of the bots.
"""

import json
import sys

from roshambo import Client

url, *names = sys.argv[1:]
keys = []
with Client(url) as host:
    host.register(username="cup-host", password="correct horse battery")
    made = host.create_cup(kind="bots", by_hand=True, private=True, system="round_robin")
    number, code = made["cup"]["number"], made["code"]
    for name in names:
        with Client(url) as owner:
            owner.create_guest()
            keys.append(owner.create_bot(name=name)["secret"])
        with Client(url, keys[-1]) as bot:
            bot.join_cup(number, code=code)
    host.start_cup(number)
print(json.dumps({"number": number, "keys": keys}))

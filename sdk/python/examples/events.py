"""Follows the public events of a service until the first block, and lists the newest blocks.

    python3 events.py http://127.0.0.1:8080
"""

import json
import sys
from itertools import islice

from roshambo import Client

with Client(sys.argv[1]) as client:
    for event in client.follow_events(topics=["blocks"]):
        print(event.name, json.dumps(event.data))
        if event.name == "block":
            break
    for block in islice(client.iter_blocks(limit=2), 5):
        print(f"block {block['height']} has {block['tx_count']} transactions")

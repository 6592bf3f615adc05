"""A run against the house, with a fresh text for each throw, and the offline verification of its proof.

    python3 house.py http://127.0.0.1:8080
"""

import sys

from roshambo import Client, House, as_text

with Client(sys.argv[1]) as client:
    client.create_guest()
    house = House(client, state="runs.json", receipts="house-receipts.jsonl")
    run = house.start(move="rock", then="claim")["run"]
    while run["status"] == "active":  # after a tie
        run = house.throw(run, "rock", then="claim")["run"]
    print(f"{run['status']} after {len(run['throws'])} throws")

    # The proof covers the run once its end is in a block, within a second.
    report = client.verify_run(run["id"], receipts="house-receipts.jsonl")
    while report["verdict"] == "PENDING":
        client.get_head(height=client.get_head()["head"]["height"], wait=5)
        report = client.verify_run(run["id"], receipts="house-receipts.jsonl")
    print(as_text(report))

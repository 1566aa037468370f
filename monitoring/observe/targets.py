#!/usr/bin/env python3
"""From the ready file of `toolway dev` to Prometheus' file_sd: targets.py READY_FILE > targets/toolway.json"""
import json
import sys
from urllib.parse import urlsplit


def targets(ready):
    """One entry for each process: its job is its role, its instance its role and number."""
    return [
        {"targets": [urlsplit(url).netloc], "labels": {"job": f"toolway-{role}", "instance": f"{role}-{number}"}}
        for role, urls in sorted(ready["metrics"].items()) for number, url in enumerate(urls)
    ]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1]) as file:
        print(json.dumps(targets(json.load(file)), indent=1))

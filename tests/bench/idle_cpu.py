#!/usr/bin/env python3
"""What a stack costs that does nothing: CPU time of each kind of process, in percent of a core.

    tests/bench/idle_cpu.py build/toolway [--seconds 60] [--followers 0] [options of toolway dev …]

`toolway dev` runs one gateway, worker and collector with a nats-server and a Postgres; with --followers, as many event streams
are open. Exit status 1 when gateway, worker or collector takes 0.5 % or more.
"""

import argparse
import http.client
import sys
import time

import stacks

MOST = 0.5  # percent of a core
OURS = ("gateway", "worker", "collector")


def follow(stack, count):
    """Connections that follow the events of a session each."""
    streams = []
    for number in range(count):
        stream = http.client.HTTPConnection(stack.url.removeprefix("http://"))
        stream.request("POST", "/v1/sessions", f'{{"session_id":"idle-{number}","namespaces":["time"]}}', {"Content-Type": "application/json"})
        stream.getresponse().read()
        stream.request("GET", f"/v1/sessions/idle-{number}/events", headers={"Accept": "text/event-stream"})
        if stream.getresponse().status != 200:
            sys.exit("an event stream was refused")
        streams.append(stream)
    return streams


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--followers", type=int, default=0)
    options, more = parser.parse_known_args()
    with stacks.Stack(options.program, more) as stack:
        streams = follow(stack, options.followers)
        time.sleep(10)  # what a start leaves to do
        before, begun = stack.cpu(), time.monotonic()
        time.sleep(options.seconds)
        after, took = stack.cpu(), time.monotonic() - begun
        for stream in streams:
            stream.close()
    shares = {part: (after[part] - before[part]) / took * 100 for part in stacks.PARTS}
    for part, share in shares.items():
        print(f"{part}: {share:.2f} % of a core")
    sys.exit(0 if all(shares[part] < MOST for part in OURS) else 1)


if __name__ == "__main__":
    main()

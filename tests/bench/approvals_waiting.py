#!/usr/bin/env python3
"""What many calls that wait for approval cost, on a `toolway dev` of its own: the list of them, from an approval to the call's start, and other
calls, first without them and then with 10,000.

    tests/bench/approvals_waiting.py build/toolway [--waiting 10000] [--ended 0]

Judges: a page of the list p99 at most 20 ms, from an approval to `started` p99 at most 50 ms, other calls' p50 at most 0.5 ms more. Exit status 1
when one of them is not met. `--ended N`: N calls that were held and denied are in the record besides.
"""

import argparse
import datetime
import http.client
import json
import sys
import time

import stacks

POLICY = """
rules:
  - {name: all, tools: bench.work, approval: always}
"""
PAGE = 50
LIST_MS, START_MS, OTHER_MS = 20, 50, 0.5


def at(values, percent):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


class Dev(stacks.Stack):
    """A gateway, and a connection to it for each user."""

    def __init__(self, program):
        super().__init__(program, policy=POLICY)
        self.connections = {}

    def ask(self, user, method, path, body=None, headers=()):
        connection = self.connections.setdefault(user, http.client.HTTPConnection(self.url.removeprefix("http://")))
        connection.request(method, path, json.dumps(body) if body is not None else None,
                           {"content-type": "application/json", "x-toolway-user": user, **dict(headers)})
        answer = connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            sys.exit(f"{method} {path}: {answer.status} {text.decode()}")
        return json.loads(text)

    def hold(self, count):
        """Their ids."""
        made = []
        while len(made) < count:
            batch = [{"tool": "bench.work", "arguments": {}}] * min(100, count - len(made))
            answer = self.ask("ann", "POST", "/v1/sessions/s/calls:batch", {"calls": batch})
            made += [one["call_id"] for one in answer["calls"]]
        return made

    def settle(self):
        """Until all that was accepted is recorded."""
        while self.ask("bea", "GET", "/v1/approvals?limit=1")["behind"]:
            time.sleep(0.05)


def timed(count, ask):
    """Milliseconds of each."""
    took = []
    for number in range(count):
        begun = time.perf_counter()
        ask(number)
        took.append((time.perf_counter() - begun) * 1000)
    return took


def others(dev):
    """Calls that nothing holds, one after the other, to their ends."""
    call = {"tool": "bench.echo", "arguments": {"payload": "x"}}
    return timed(1500, lambda _: dev.ask("cid", "POST", "/v1/sessions/o/calls", call, {"prefer": "wait=5"}))[500:]


def pages(dev, count):
    """The list from page to page, from the first again after its end."""
    after = [""]

    def one(_):
        answer = dev.ask("bea", "GET", f"/v1/approvals?limit={PAGE}{after[0]}")
        after[0] = f"&after={answer['next']}" if answer["next"] else ""

    return timed(count, one)


def starts(dev, calls):
    """From an approval's request to the call's `started`, by this machine's clock."""
    took = []
    for call in calls:
        begun = time.time()
        dev.ask("bea", "POST", f"/v1/calls/{call}/approve", {})
        time.sleep(0.01)
        while True:
            shown = dev.ask("ann", "GET", f"/v1/calls/{call}")
            if shown["started_at"]:
                break
            time.sleep(0.005)
        started = datetime.datetime.fromisoformat(shown["started_at"].replace("Z", "+00:00")).timestamp()
        took.append((started - begun) * 1000)
    return took


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--waiting", type=int, default=10_000)
    parser.add_argument("--ended", type=int, default=0)
    options = parser.parse_args()
    with Dev(options.program) as dev:
        for user, session in (("ann", "s"), ("cid", "o")):
            dev.ask(user, "POST", "/v1/sessions", {"session_id": session, "namespaces": ["bench"]})
        before = others(dev)
        ended = dev.hold(options.ended)
        dev.settle()
        for call in ended:
            dev.ask("bea", "POST", f"/v1/calls/{call}/deny", {"reason": "no"})
        waiting = dev.hold(options.waiting)
        dev.settle()
        listed = pages(dev, 1000)
        other = others(dev)
        started = starts(dev, waiting[:: max(1, len(waiting) // 500)][:500])
    more = at(other, 50) - at(before, 50)
    met = at(listed, 99) <= LIST_MS and at(started, 99) <= START_MS and more <= OTHER_MS
    print(f"{options.waiting} calls wait, {options.ended} were denied")
    print(f"a page of {PAGE}: p50 {at(listed, 50):.1f} ms, p99 {at(listed, 99):.1f} ms (at most {LIST_MS})")
    print(f"approve to started: p50 {at(started, 50):.1f} ms, p99 {at(started, 99):.1f} ms (at most {START_MS})")
    print(f"other calls: p50 {at(before, 50):.2f} ms without, {at(other, 50):.2f} with: {more:+.2f} (at most {OTHER_MS:+}); "
          f"p99 {at(before, 99):.1f} and {at(other, 99):.1f}")
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What limits of the policy let through: three gateways of a stack of its own in turn, offered three times the limit.

    tests/bench/limits_rate.py build/toolway [--seconds 30]

Offers 3,000 calls/s, in batches of 100, to a limit of 1,000/s, then 60 calls/s to one of 5/s with burst 5. Fails (status 1) when the accepted
rate of the first is more than 5 % off, or the second lets through more than 10 calls in any second.
"""

import argparse
import http.client
import json
import sys
import time

import stacks

FAST, SLOW = 1000, 5
POLICY = f"""
rules:
  - {{name: fast, tools: bench.echo, limit: {{rate: {FAST}/s, burst: 100, per: user}}}}
  - {{name: slow, tools: bench.work, limit: {{rate: {SLOW}/s, burst: 5, per: user}}}}
"""


class Stack(stacks.Stack):
    """`toolway dev` with three gateways, and a connection to each."""

    def __init__(self, program):
        super().__init__(program, ["--gateways", "3"], policy=POLICY)
        self.gateways = [http.client.HTTPConnection(url.removeprefix("http://")) for url in self.told()["http_all"]]
        self.post(0, "/v1/sessions", {"session_id": "s", "namespaces": ["bench"]})

    def post(self, turn, path, body):
        gateway = self.gateways[turn % len(self.gateways)]
        gateway.request("POST", path, json.dumps(body), {"content-type": "application/json"})
        answer = gateway.getresponse()
        return json.loads(answer.read())

    def accepted(self, turn, tool, calls):
        """How many of `calls` in one batch."""
        arguments = {"payload": "x"} if tool == "bench.echo" else {}
        answer = self.post(turn, "/v1/sessions/s/calls:batch", {"calls": [{"tool": tool, "arguments": arguments}] * calls})
        if "calls" not in answer and answer.get("code") != "rate_limited":
            sys.exit(f"unexpected: {answer}")
        outcomes = answer.get("calls", [])
        strange = [one for one in outcomes if "call_id" not in one and one.get("error", one).get("code") != "rate_limited"]
        if strange:
            sys.exit(f"unexpected: {strange[0]}")
        return sum("call_id" in one for one in outcomes)


def offer(stack, tool, rate, batch, seconds):
    """The times and numbers of what was accepted, from the first request on."""
    began = time.monotonic()
    accepted = []
    for turn in range(int(seconds * rate / batch)):
        time.sleep(max(0.0, began + turn * batch / rate - time.monotonic()))
        count = stack.accepted(turn, tool, batch)
        accepted.append((time.monotonic() - began, count))
    return accepted


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=30)
    options = parser.parse_args()
    with Stack(options.program) as stack:
        fast = offer(stack, "bench.echo", 3 * FAST, 100, options.seconds)
        slow = offer(stack, "bench.work", 60, 1, options.seconds)
    took = fast[-1][0]
    rate = sum(count for _, count in fast) / took
    print(f"limit {FAST}/s: offered {len(fast) * 100 / took:.0f}/s for {took:.1f} s, accepted {rate:.0f}/s ({rate / FAST * 100 - 100:+.1f} %)")
    times = [at for at, count in slow for _ in range(count)]
    most = max(sum(begin <= at < begin + 1 for at in times) for begin in times)
    print(f"limit {SLOW}/s, burst 5: accepted {len(times)} in {slow[-1][0]:.1f} s, at most {most} in any second")
    return 0 if abs(rate / FAST - 1) <= 0.05 and most <= 10 else 1


if __name__ == "__main__":
    sys.exit(main())

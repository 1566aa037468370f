#!/usr/bin/env python3
"""What the audit costs a call: `toolway bench` of two programs by turns, on stacks of their own, one from before the audit and
one with it. With a policy, so that each record has the reasons of its call's admission.

    tests/bench/audit_cost.py BEFORE AFTER [--rounds 6] [--seconds 10] [bench options …]

Prints calls/s and the CPU time per call of each kind of process, as medians, and the differences. What the collector and
Postgres alone pay is also in `persistence_write_bench`, which writes batches with and without records in one process.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

POLICY = """roles:
  agent: {permissions: ["call:*", "fleet:read"]}
default_roles: [agent]
rules:
  - {name: nothing_dangerous, dangerous: true, refuse: dangerous tools are for operators}
"""


def bench(program, seconds, policy, more):
    with tempfile.TemporaryDirectory() as directory:
        store = pathlib.Path(directory) / "profiles.jsonl"
        subprocess.run([program, "bench", "--check", "--rounds", "1", "--warm-up", "1", "--store", store, "--rate", "0", "--seconds", str(seconds),
                        "--extensions", policy, *more], check=True, stdout=subprocess.DEVNULL)
        found = json.loads(store.read_text())
    costs = {name: cost["user_us"] + cost["system_us"] for name, cost in found["per_call"].items()}
    return {"calls/s": found["figures"]["calls_per_s"], **costs, "all": sum(costs.values())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=int, default=10)
    options, more = parser.parse_known_args()
    results = {options.before: [], options.after: []}
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as policy:
        policy.write(POLICY)
        policy.flush()
        for turn in range(options.rounds):
            for program in list(results) if turn % 2 == 0 else reversed(list(results)):
                results[program].append(bench(program, options.seconds, policy.name, more))
            print(f"round {turn + 1}: " + ", ".join(f"{found[-1]['calls/s']:.0f} calls/s, {found[-1]['all']:.1f} µs" for found in results.values()),
                  flush=True)
    print("| | before | with the audit | difference |\n|---|---|---|---|")
    for name in results[options.after][0]:
        before, after = (statistics.median(found.get(name, 0) for found in results[program]) for program in results)
        unit = "" if name == "calls/s" else " µs"
        print(f"| {name} | {before:.1f}{unit} | {after:.1f}{unit} | {after - before:+.1f}{unit} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())

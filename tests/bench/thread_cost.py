#!/usr/bin/env python3
"""What each thread takes of a call at full load, and how many of each process 100,000 calls/s need.

    tests/bench/thread_cost.py build/toolway [--seconds 10] [--calls-per-s 100000] [--busy 0.7] [BENCH OPTION…]

Runs `toolway bench` on a stack of its own, and reads /proc/PID/task/TID/stat of its processes in the middle of the measured
part (nats-server and Postgres: /proc/PID/stat of each process). Measured: CPU per call. Computed from it: at how many
calls/s what a process does in turn would fill a core (gateway and worker: their busiest thread; collector: itself and the
process of Postgres that serves it, as they wait for each other), and how many processes keep that at most `--busy` of a
core. It takes for granted that CPU per call stays what it was here. `cores` is all CPU, if it were spread evenly.
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

WARM_UP_S = 2
TICK_US = 1e6 / os.sysconf("SC_CLK_TCK")


def stat(path):
    """Name, parent and CPU in us, of a process or thread; None: it has ended."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    name, rest = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()
    return name, int(rest[1]), (int(rest[11]) + int(rest[12])) * TICK_US


def descendants(pid):
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit() and (found := stat(entry / "stat")):
            parents.setdefault(found[1], []).append(int(entry.name))
    found, todo = [], [pid]
    while todo:
        children = parents.get(todo.pop(), [])
        found += children
        todo += children
    return found


def role(pid):
    try:
        words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (FileNotFoundError, ProcessLookupError):
        return None
    if len(words) > 1 and words[1] in (b"gateway", b"worker", b"collector"):
        return words[1].decode()
    program = os.path.basename(words[0].decode()).split(":")[0]
    return program if program in ("nats-server", "postgres") else None


def sample(pid):
    """CPU in us so far, by (role, what runs). Threads of Toolway's; of the servers, processes."""
    used = {}
    for child in descendants(pid):
        name = role(child)
        if name in ("gateway", "worker", "collector"):
            for task in pathlib.Path(f"/proc/{child}/task").glob("*/stat"):
                if found := stat(task):
                    used[name, f"{found[0]} {task.parent.name}"] = found[2]
        elif name and (found := stat(pathlib.Path(f"/proc/{child}/stat"))):
            used[name, f"{found[0]} {child}"] = found[2]
    return used


def costs(before, after, calls):
    """CPU in us per call of each role: the sum, and its threads, the busiest first."""
    roles = {}
    for key, used in after.items():
        us = (used - before.get(key, 0)) / calls
        if us > 0:
            roles.setdefault(key[0], []).append((us, key[1].rsplit(" ", 1)[0]))
    return {name: sorted(threads, reverse=True) for name, threads in roles.items()}


def serial(by_role):
    """CPU in us per call of what a process does one thing after another: it makes at most 1e6 / this calls/s."""
    most = {name: threads[0][0] for name, threads in by_role.items()}
    # A collector and the server's process of its connection wait for each other.
    if "collector" in most and "postgres" in most:
        most["collector"] = sum(us for us, _ in by_role["collector"]) + most["postgres"]
    return {name: most[name] for name in ("gateway", "worker", "collector") if name in most}


def table(by_role, wanted, busy):
    in_turn = serial(by_role)
    lines = [f"{'PROCESS':<13}{'CPU per call':>14}{'in turn':>11}{'fills a core at':>21}{f'for {wanted:,} calls/s':>24}{'cores':>8}"]
    for name in ("gateway", "worker", "collector", "nats-server", "postgres"):
        total = sum(us for us, _ in by_role.get(name, []))
        line = f"{name:<13}{total:>11.1f} us"
        if name in in_turn:
            processes = math.ceil(wanted * in_turn[name] / 1e6 / busy)
            line += f"{in_turn[name]:>8.1f} us{1e6 / in_turn[name]:>13,.0f} calls/s{processes:>24}"
        else:
            line += f"{'-':>11}{'-':>21}{'-':>24}"
        lines.append(line + f"{wanted * total / 1e6:>8.1f}")
    total = sum(us for threads in by_role.values() for us, _ in threads)
    lines.append(f"{'all':<13}{total:>11.1f} us{'':>56}{wanted * total / 1e6:>8.1f}")
    for name, threads in by_role.items():
        lines.append(f"{name}: " + ", ".join(f"{thread} {us:.1f}" for us, thread in threads[:5]) + " us")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("toolway")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--calls-per-s", type=int, default=100_000)
    parser.add_argument("--busy", type=float, default=0.7, help="share of a core that a thread may take")
    options, more = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as directory:
        result = pathlib.Path(directory) / "bench.json"
        with subprocess.Popen([options.toolway, "bench", "--warm-up", str(WARM_UP_S), "--seconds", str(options.seconds), "--json", result,
                               *more], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as bench:
            deadline = time.monotonic() + 60
            while sum(used for (name, _), used in sample(bench.pid).items() if name == "worker") < 2e5:
                if bench.poll() is not None or time.monotonic() > deadline:
                    sys.exit("thread_cost: the bench made no load; run it alone to see why")
                time.sleep(0.1)
            time.sleep(WARM_UP_S + 1)
            before, began = sample(bench.pid), time.monotonic()
            time.sleep(options.seconds / 2)
            after, took = sample(bench.pid), time.monotonic() - began
        figures = json.loads(result.read_text(encoding="utf-8"))
    by_role = costs(before, after, figures["calls_per_s"] * took)
    print(f"{figures['calls_per_s']:.0f} calls/s, {figures['errors']} errors, {os.cpu_count()} cores, "
          f"load average {os.getloadavg()[0]:.1f}; CPU over {took:.1f} s of it")
    print(table(by_role, options.calls_per_s, options.busy))
    return 0 if figures["errors"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())

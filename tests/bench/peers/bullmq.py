#!/usr/bin/env python3
"""Toolway and BullMQ in the same minutes: calls/s of both by turns, on this machine.

    tests/bench/peers/bullmq.py build/toolway [--rounds 3] [--seconds 10] [--in-flight 192] [--progress 1] [--one-process]
                                [--aof]

Both: a closed loop with the same number of calls in flight, a payload of 64 bytes, one worker of 128 slots, an echo that
reports its progress, and a client that sees each report and each completion. BullMQ keeps nothing in a database, and its
Redis nothing on a disk (--aof: an append-only file, synced every second); Toolway's calls must all be in Postgres before
they count. BullMQ's client and worker have a process each, unless --one-process is given.

Installs what is missing: Debian's redis-server (with apt, as root), and BullMQ from npm in the version that package.json
pins, below build/. Redis runs on a free port in a directory of its own. Exit status: 1 when a call of either was lost or
came twice.
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

WARM_UP_S = 2
BYTES = 64
SLOTS = 128  # of Toolway's worker by itself
HERE = pathlib.Path(__file__).resolve().parent
INSTALLED = HERE.parents[2] / "build" / "peers"


def install_redis():
    if shutil.which("redis-server"):
        return
    as_root = [] if os.getuid() == 0 else ["sudo"]
    quiet = {"check": True, "stdout": subprocess.DEVNULL}
    subprocess.run([*as_root, "apt-get", "-qq", "update"], **quiet)
    subprocess.run([*as_root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "install", "-y",
                    "--no-install-recommends", "redis-server"], **quiet)
    if pathlib.Path("/run/systemd/system").exists():  # Debian starts it, and we use none of it
        subprocess.run([*as_root, "systemctl", "disable", "--now", "redis-server"], **quiet)


def install_bullmq():
    INSTALLED.mkdir(parents=True, exist_ok=True)
    wanted = (HERE / "package.json").read_text(encoding="utf-8")
    done = INSTALLED / "installed.json"
    if not done.exists() or done.read_text(encoding="utf-8") != wanted:
        shutil.copy(HERE / "package.json", INSTALLED)
        # Without a lock: npm ci fails where a registry lacks the parts for other systems, which are optional.
        subprocess.run(["npm", "install", "--prefix", INSTALLED, "--no-package-lock", "--ignore-scripts", "--no-audit",
                        "--no-fund", "--loglevel=error"], check=True, stdout=subprocess.DEVNULL)
        done.write_text(wanted, encoding="utf-8")
    shutil.copy(HERE / "bullmq.mjs", INSTALLED)  # next to what it imports


@contextlib.contextmanager
def child(*argv, **options):
    """Runs until the block ends, then is asked to end, by its own pid."""
    process = subprocess.Popen([str(part) for part in argv], **options)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def free_port():
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        return any_port.getsockname()[1]


def wait_for(port, server):
    while server.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.02)
    raise RuntimeError(f"redis-server ended with status {server.returncode}")


def client(options, *argv):
    said = subprocess.run([str(part) for part in argv], check=True, stdout=subprocess.PIPE, timeout=options.seconds + 60).stdout
    return json.loads(said)


def bullmq(options):
    """One turn on a Redis of its own."""
    port = free_port()
    aof = ["yes", "--appendfsync", "everysec"] if options.aof else ["no"]
    with tempfile.TemporaryDirectory() as directory, \
         child("redis-server", "--port", port, "--bind", "127.0.0.1", "--dir", directory, "--save", "",
               "--maxmemory-policy", "noeviction", "--appendonly", *aof, stdout=subprocess.DEVNULL) as redis:
        wait_for(port, redis)
        node = ["node", INSTALLED / "bullmq.mjs"]
        work = ["worker", port, SLOTS, options.progress]
        load = [options.in_flight, WARM_UP_S, options.seconds, BYTES, options.progress]
        if options.one_process:
            return client(options, *node, *work, *load)
        with child(*node, *work, stdout=subprocess.PIPE) as worker:
            worker.stdout.readline()  # it is ready
            return client(options, *node, "client", port, *load)


def toolway(options):
    """One turn on a stack of its own."""
    with tempfile.TemporaryDirectory() as directory:
        result = pathlib.Path(directory) / "bench.json"
        subprocess.run([options.toolway, "bench", "--warm-up", str(WARM_UP_S), "--seconds", str(options.seconds),
                        "--payload", str(BYTES), "--concurrency", str(options.in_flight),
                        "--progress", str(options.progress), "--json", result], check=False, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        figures = json.loads(result.read_text(encoding="utf-8"))
    return {"calls": figures["calls"], "errors": figures["errors"], "calls_per_s": figures["calls_per_s"],
            "p50_ms": figures["completion"]["p50_ms"], "p99_ms": figures["completion"]["p99_ms"]}


def first_line(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[0].strip()


def versions():
    pinned = json.loads((HERE / "package.json").read_text(encoding="utf-8"))["dependencies"]
    redis = first_line("redis-server", "--version").split(" sha=")[0]
    return ", ".join([f"BullMQ {pinned['bullmq']}", f"ioredis {pinned['ioredis']}", f"node {first_line('node', '--version')}",
                      redis, first_line("nats-server", "--version"), f"{os.cpu_count()} cores"])


def report(turns):
    """The table, and whether no call was lost or came twice. `turns`: pairs of Toolway's and BullMQ's figures."""
    lines = [f"{'':8}{'toolway':>26}{'BullMQ':>30}", f"{'round':8}{'calls/s    p50    p99 ms':>26}"
             f"{'calls/s    p50    p99 ms':>30}{'ratio':>8}"]
    for number, (ours, theirs) in enumerate(turns, 1):
        cells = [f"{of['calls_per_s']:.0f} {of['p50_ms']:6.1f} {of['p99_ms']:6.1f}   " for of in (ours, theirs)]
        lines.append(f"{number:<8}{cells[0]:>26}{cells[1]:>30}{ours['calls_per_s'] / theirs['calls_per_s']:>8.2f}")
    ours, theirs = (statistics.median(turn[side]["calls_per_s"] for turn in turns) for side in (0, 1))
    errors = [sum(turn[side]["errors"] for turn in turns) for side in (0, 1)]
    lines.append(f"medians: {ours:.0f} and {theirs:.0f} calls/s, {ours / theirs:.2f} times BullMQ's; "
                 f"errors: {errors[0]} and {errors[1]}")
    return "\n".join(lines), errors == [0, 0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("toolway")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--in-flight", type=int, default=192)
    parser.add_argument("--progress", type=int, default=1, help="reports of each call")
    parser.add_argument("--one-process", action="store_true", help="BullMQ's client and worker share a process, and so a core")
    parser.add_argument("--aof", action="store_true", help="Redis keeps an append-only file, synced every second")
    options = parser.parse_args()
    install_redis()
    install_bullmq()
    turns = []
    for number in range(options.rounds):
        # Every second round the other way round, so that neither always comes after the other.
        sides = {}
        for side in (toolway, bullmq) if number % 2 == 0 else (bullmq, toolway):
            sides[side] = side(options)
        turns.append((sides[toolway], sides[bullmq]))
    text, held = report(turns)
    print(f"{versions()}; {options.in_flight} in flight, {options.progress} report(s) of progress, "
          f"BullMQ's client and worker in {'one process' if options.one_process else 'a process each'}, "
          f"Redis {'with' if options.aof else 'without'} an append-only file")
    print(text)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())

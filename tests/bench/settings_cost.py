#!/usr/bin/env python3
"""What settings of nats-server and Postgres, and nats-server's versions, cost: `toolway bench` with each of them, by turns.

    tests/bench/settings_cost.py build/toolway [--rounds 3] [--seconds 3] [--server NATS_SERVER…] [BENCH OPTION…]

Prints a table in Markdown: calls/s as the median of all rounds, with the lowest and the highest, the median of completion's
p99, and the difference from the first line. Every program that --server names gets a line; the first is the one that the
settings are tried with. Settings of nats-server are put into the configuration by a script that takes its place; those of
Postgres go to every connection by PGOPTIONS, and so only settings that a connection may change can be tried.
"""

import argparse
import json
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile

NATS_SETTINGS = ["sync_interval: 10s", "sync_interval: always"]
POSTGRES_SETTINGS = ["synchronous_commit=off", "wal_compression=lz4"]

# nats-server CONFIGURATION… with one more setting of JetStream.
WRAPPER = """#!/bin/sh
[ "$1" != --config ] || sed -i 's/^jetstream {{/& {setting},/' "$2"
exec {server} "$@"
"""


def version(server):
    return subprocess.run([server, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1].lstrip("v")


def variants(servers, directory):
    """(name, variables of the environment) of each; the first is what the others are compared with."""
    found = [(f"nats-server {version(server)}", {"TOOLWAY_NATS_SERVER": server}) for server in servers]
    for number, setting in enumerate(NATS_SETTINGS):
        wrapper = pathlib.Path(directory, f"nats-server-{number}")
        wrapper.write_text(WRAPPER.format(setting=setting, server=shlex.quote(servers[0])))
        wrapper.chmod(0o755)
        found.append((f"`{setting}`", {"TOOLWAY_NATS_SERVER": str(wrapper)}))
    for setting in POSTGRES_SETTINGS:
        found.append((f"`{setting}`", {"TOOLWAY_NATS_SERVER": servers[0], "PGOPTIONS": f"-c {setting}"}))
    return found


def measure(toolway, variables, options):
    with tempfile.NamedTemporaryFile(suffix=".json") as result:
        ended = subprocess.run([toolway, "bench", *options, "--json", result.name], env={**os.environ, **variables},
                               capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            sys.exit(f"toolway bench ended with status {ended.returncode}:\n{ended.stdout[-1000:]}{ended.stderr[-1000:]}")
        found = json.loads(pathlib.Path(result.name).read_text())
    return found["calls_per_s"], found["completion"]["p99_ms"]


def table(names, results):
    usual = statistics.median(rate for rate, _ in results[0])
    lines = ["| with | calls/s | lowest to highest | completion p99, ms | difference |", "|---|---|---|---|---|"]
    for name, measured in zip(names, results):
        rates = [rate for rate, _ in measured]
        rate = statistics.median(rates)
        p99 = statistics.median(each for _, each in measured)
        lines.append(f"| {name} | {rate:,.0f} | {min(rates):,.0f} to {max(rates):,.0f} | {p99:.0f} | {100 * (rate / usual - 1):+.0f} % |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("toolway")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--server", action="append", help="a nats-server; repeatable (the installed one)")
    arguments, options = parser.parse_known_args()
    options = ["--warm-up", "1", "--seconds", str(arguments.seconds), *options]
    servers = arguments.server or [os.environ.get("TOOLWAY_NATS_SERVER") or shutil.which("nats-server")]
    with tempfile.TemporaryDirectory() as directory:
        all_variants = variants(servers, directory)
        results = [[] for _ in all_variants]
        for _ in range(arguments.rounds):
            for measured, (name, variables) in zip(results, all_variants):
                measured.append(measure(arguments.toolway, variables, options))
                print(f"{name}: {measured[-1][0]:,.0f} calls/s", file=sys.stderr)
    print(table([name for name, _ in all_variants], results))


if __name__ == "__main__":
    main()

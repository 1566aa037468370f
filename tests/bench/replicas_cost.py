#!/usr/bin/env python3
"""What three replicas on three nats-servers cost, synced or not, and what a killed server does to calls.

    tests/bench/replicas_cost.py build/toolway [--rounds 3] [--seconds 4] [--rate 300] [BENCH OPTION…]

Each line is a stack of its own, all on this machine: one nats-server, or a cluster of three whose streams have three replicas, with and
without `sync_interval: always`. By turns it gets a closed loop, and --rate calls/s; then a server that leads a stream is killed (-9)
while such a load runs, and both are measured again with the two that are left. Prints a table in Markdown, of medians. Exit status 1 when
a call was lost or failed.
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import stacks

# A nats-server for `toolway dev`, which starts the two others of a cluster first.
WRAPPER = """#!/bin/sh
[ "$1" = --config ] || exec {server} "$@"
exec {python} {script} --as-server {server} {place} "$2"
"""
NODES = ("toolway_local", "second", "third")
KILL_AFTER_S = 5
KILLED = """name: killed
description: A server of the cluster is killed.
warm_up: 1s
sessions: 16
repeat: same_key
stages: [{{for: 15s, rate: {rate}}}]
thresholds: [lost == 0, failed == 0, repeats == 0, refused == 0]
"""


def free_ports(count):
    with contextlib.ExitStack() as held:
        found = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in found:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in found]


class Cluster:
    """The servers that run in place of the one that `toolway dev` starts: one, or three. `synced`: each message."""

    def __init__(self, nodes, synced):
        self.names, self.synced = NODES[:nodes], synced
        self.own = tempfile.TemporaryDirectory()
        self.directory = pathlib.Path(self.own.name)
        ports = free_ports(3 * nodes)
        place = {"synced": synced, "nodes": {name: {"client": ports[3 * i], "route": ports[3 * i + 1], "http": ports[3 * i + 2]}
                                             for i, name in enumerate(self.names)}}
        self.place = self.directory / "place.json"
        self.place.write_text(json.dumps(place))
        self.nodes = place["nodes"]
        server = os.environ.get("TOOLWAY_NATS_SERVER") or shutil.which("nats-server")
        self.wrapper = self.directory / "nats-server"
        self.wrapper.write_text(WRAPPER.format(server=server, python=sys.executable, script=pathlib.Path(__file__).resolve(), place=self.place))
        self.wrapper.chmod(0o755)

    def streams_of(self, name):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.nodes[name]['http']}/jsz?accounts=true&streams=true", timeout=5) as answer:
            accounts = json.load(answer).get("account_details", [])
        return [stream for account in accounts for stream in account.get("stream_detail", [])]

    def led_by(self):
        """The streams that each node leads. Only a stream's leader knows what the others have of it."""
        return {name: [stream for stream in self.streams_of(name) if stream["cluster"].get("leader") == name] for name in self.names}

    def settle(self):
        """Waits until every replica has all that its stream has."""
        for _ in range(600):
            led = [stream for streams in self.led_by().values() for stream in streams]
            replicas = [replica for stream in led for replica in stream["cluster"].get("replicas", [])]
            whole = len(led) == len(self.streams_of(NODES[0])) and len(replicas) == (len(self.names) - 1) * len(led)
            if whole and all(replica["current"] for replica in replicas):
                return
            time.sleep(0.1)
        raise SystemExit("the replicas of the cluster do not catch up")

    def kill_a_leader(self):
        """Kills a server that leads CALLS or EVENTS, or else any but the first, to which all are connected. Says which."""
        leads = {name: {stream["name"] for stream in streams} for name, streams in self.led_by().items()}
        node = max(self.names[1:], key=lambda name: len({"CALLS", "EVENTS"} & leads[name]))
        os.kill(int((self.directory / f"{node}.pid").read_text()), signal.SIGKILL)
        return f"the leader of {', '.join(sorted(leads[node])) or 'nothing'}"

    def end(self):
        for name in self.names[1:]:
            with contextlib.suppress(OSError, ValueError):
                os.kill(int((self.directory / f"{name}.pid").read_text()), signal.SIGTERM)
        self.own.cleanup()


def configuration(given, place, name, directory):
    """What the node's server reads, made of what `toolway dev` gave to the first one."""
    node = place["nodes"][name]
    lines = []
    for line in given.splitlines():
        if name != NODES[0] and line.startswith(("listen:", "server_name:", "pid_file:")):
            continue
        if line.startswith("server_name:") and len(place["nodes"]) > 1:
            line = f"server_name: {name}"
        if line.startswith("jetstream {"):
            if name != NODES[0]:
                before, _, rest = line.partition('store_dir: "')
                line = f'{before}store_dir: "{directory / name}"{rest[rest.index(chr(34)) + 1:]}'
            if place["synced"]:
                line = line.replace("{", "{ sync_interval: always,", 1)
        lines.append(line)
    if name != NODES[0]:
        lines += [f'listen: "127.0.0.1:{node["client"]}"', f"server_name: {name}", f'pid_file: "{directory / name}.pid"']
    lines.append(f'http: "127.0.0.1:{node["http"]}"')
    if len(place["nodes"]) > 1:
        routes = ", ".join(f'"nats://127.0.0.1:{other["route"]}"' for other in place["nodes"].values())
        lines.append(f'cluster {{ name: toolway, listen: "127.0.0.1:{node["route"]}", no_advertise: true, routes: [{routes}] }}')
    return "\n".join(lines) + "\n"


def be_server(server, place_file, given_file):
    """Takes the place of nats-server, and starts the others of its cluster before it."""
    directory = pathlib.Path(place_file).parent
    place, given = json.loads(pathlib.Path(place_file).read_text()), pathlib.Path(given_file).read_text()
    for name in place["nodes"]:
        config = directory / f"{name}.conf"
        config.write_text(configuration(given, place, name, directory))
        config.chmod(0o600)
        if name != NODES[0]:
            subprocess.Popen([server, "--config", config], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    os.execv(server, [server, "--config", str(directory / f"{NODES[0]}.conf")])


class Line:
    """A line of the table: a stack, and what it measured."""

    def __init__(self, program, nodes, synced, load):
        self.name = f"{'three servers, three replicas' if nodes > 1 else 'one server'}, {'`sync_interval: always`' if synced else 'no sync'}"
        self.cluster = Cluster(nodes, synced)
        self.results, self.when_killed = {}, "–"
        with contextlib.ExitStack() as ends:
            ends.callback(self.cluster.end)
            self.stack = stacks.Stack(program, load=load, variables={"TOOLWAY_NATS_SERVER": str(self.cluster.wrapper)})
            ends.callback(self.stack.end)
            self.ends = ends.pop_all()

    def replicate(self, program):
        """Three replicas of what `toolway dev` made with one."""
        told = self.stack.told()
        file = self.cluster.directory / "postgres-url"
        file.write_text(told["postgres"])
        subprocess.run([program, "migrate", "--replicas", str(len(self.cluster.names)), "--nats", told["nats"], "--postgres-url-file", file,
                        "--log-level", "warn"], check=True)
        self.cluster.settle()

    def measure(self, what, seconds, rate):
        """A closed loop's calls/s, and p50 and p99 at the rate."""
        loop, steady = self.stack.load(seconds), self.stack.load(seconds, "--rate", rate)
        self.results.setdefault(what, []).append((loop["calls_per_s"], steady["completion"]["p50_ms"], steady["completion"]["p99_ms"]))

    def kill_while_it_runs(self, rate):
        """A load in which a server is killed. Requests that are refused while it runs are made again, under their Idempotency-Key."""
        scenario, result = self.cluster.directory / "killed.yaml", self.cluster.directory / "killed.json"
        scenario.write_text(KILLED.format(rate=rate))
        load = subprocess.Popen([self.stack.program, "bench", "--scenario", scenario, "--url", self.stack.url, "--json", result, "--store",
                                 self.cluster.directory], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        time.sleep(KILL_AFTER_S)
        print(f"{self.name}: killed {self.cluster.kill_a_leader()}", file=sys.stderr)
        told = load.communicate()[0]
        if load.returncode != 0:
            raise SystemExit(told)
        figures = json.loads(result.read_text())["figures"]
        self.when_killed = f"{figures['max'] / 1000:.1f} s; {figures['retries']:,.0f} of {figures['calls']:,.0f}"

    def row(self, what):
        found = self.results.get(what)
        if not found:
            return ["–", "–", "–"]
        rate, p50, p99 = (statistics.median(values) for values in zip(*found))
        return [f"{rate:,.0f}", f"{p50:.1f}", f"{p99:.1f}"]

    def end(self):
        self.ends.close()


def main():
    if sys.argv[1:2] == ["--as-server"]:
        be_server(*sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--rate", type=int, default=300)
    options, load = parser.parse_known_args()
    lines = []
    with contextlib.ExitStack() as ends:
        for nodes in (1, 3):
            for synced in (False, True):
                lines.append(Line(options.program, nodes, synced, load))
                ends.callback(lines[-1].end)
                if nodes > 1:
                    lines[-1].replicate(options.program)
        for number in range(options.rounds):
            for line in lines:
                line.measure("all", options.seconds, options.rate)
                print(f"{number + 1} of {options.rounds}: {line.name}: {line.results['all'][-1][0]:,.0f} calls/s", file=sys.stderr)
        for line in lines:
            if len(line.cluster.names) == 1:
                continue
            line.kill_while_it_runs(options.rate)
            for _ in range(options.rounds):
                line.measure("killed", options.seconds, options.rate)
        print(f"| | calls/s | p50, p99 in ms at {options.rate} calls/s | a server is killed: slowest completion; requests made again | "
              "two left: calls/s | p50, p99 |\n|---|---|---|---|---|---|")
        for line in lines:
            rate, p50, p99 = line.row("all")
            left, left_p50, left_p99 = line.row("killed")
            print(f"| {line.name} | {rate} | {p50}, {p99} | {line.when_killed} | {left} | {left_p50}, {left_p99} |")


if __name__ == "__main__":
    main()

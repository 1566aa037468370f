#!/usr/bin/env python3
"""What many API keys cost a gateway: how long it takes to be ready, and how much memory it has then, without keys and with
100,000, on a `toolway dev` of its own whose gateway is restarted.

    tests/bench/api_keys_start.py build/toolway [--keys 100000] [--restarts 3]

Judges the medians: at most 2 s longer, at most 40 MB more. Exit status 1 when one of them is not met.
"""

import argparse
import hashlib
import json
import os
import pathlib
import secrets
import signal
import socket
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import stacks


def field(number, data):
    """Of a protobuf message: bytes of less than 128."""
    return bytes([number << 3 | 2, len(data)]) + data


def record(user, key):
    """An ApiKeyRecord (proto/toolway/v1/api_key.proto)."""
    return (field(1, b"default") + field(2, user.encode()) + field(3, hashlib.sha256(key.encode()).digest()) + field(4, b"agent") +
            field(7, b"bench"))


def put_keys(url, count):
    at = urllib.parse.urlsplit(url)
    connection = socket.create_connection((at.hostname, at.port))
    connection.recv(65536)  # INFO
    who = {"verbose": False, "user": at.username, "pass": at.password} if at.password else {"verbose": False, "auth_token": at.username}
    connection.sendall(b"CONNECT " + json.dumps(who if at.username else {"verbose": False}).encode() + b"\r\n")
    batch = []
    for number in range(count):
        key_id = secrets.token_hex(6)
        value = record(f"user-{number}", f"tw_{key_id}_{secrets.token_hex(20)}")
        batch.append(f"PUB $KV.api_keys.{key_id} {len(value)}\r\n".encode() + value + b"\r\n")
        if len(batch) == 500:
            connection.sendall(b"".join(batch))
            batch.clear()
    connection.sendall(b"".join(batch) + b"PING\r\n")
    said = b""
    while b"PONG" not in said:
        said += connection.recv(65536)
        if b"-ERR" in said:
            sys.exit(said.decode())
    connection.close()


class Dev(stacks.Stack):
    def __init__(self, program):
        super().__init__(program, ["--auth", "keys"])

    def restart_gateway(self):
        """Seconds from its start until it is ready, its memory in MB then, and the CPU seconds it took."""
        before = self.told()["pids"]["gateway"][0]
        os.kill(before, signal.SIGTERM)
        while pathlib.Path(f"/proc/{before}").exists() and self.pid() == before:
            time.sleep(0.005)
        while (pid := self.pid()) == before or not pid:
            time.sleep(0.005)
        begun = started_at(pid)
        while not self.is_ready(pid):
            time.sleep(0.01)
        took = time.clock_gettime(time.CLOCK_BOOTTIME) - begun
        cpu = cpu_seconds(pid)
        time.sleep(2.5)  # what it needed for reading is given back within a second or two
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        return took, int(status.split("VmRSS:")[1].split()[0]) / 1024, cpu

    def pid(self):
        """Of the gateway that runs."""
        children = subprocess.run(["pgrep", "-P", str(self.process.pid), "-f", "toolway gateway"], capture_output=True, text=True, check=False)
        pids = [int(pid) for pid in children.stdout.split()]
        return pids[0] if pids else 0

    def is_ready(self, pid):
        told = self.told()
        if told.get("pids", {}).get("gateway") != [pid]:
            return False
        try:
            with urllib.request.urlopen(told["http"] + "/readyz", timeout=1) as answer:
                return json.load(answer).get("auth") == "ok"
        except (urllib.error.URLError, OSError):
            return False


def started_at(pid):
    ticks = int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[19])
    return ticks / os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--keys", type=int, default=100_000)
    parser.add_argument("--restarts", type=int, default=3)
    options = parser.parse_args()
    with Dev(options.program) as dev:
        without = [dev.restart_gateway() for _ in range(options.restarts)]
        put_keys(dev.told()["nats"], options.keys)
        with_them = [dev.restart_gateway() for _ in range(options.restarts)]
    medians = [[statistics.median(one[at] for one in rounds) for at in (0, 1, 2)] for rounds in (without, with_them)]
    met = True
    for what, at, most, unit in (("until it is ready", 0, 2, "s"), ("memory", 1, 40, "MB")):
        more = medians[1][at] - medians[0][at]
        met = met and more <= most
        print(f"{what}: {medians[0][at]:.2f} {unit} without keys, {medians[1][at]:.2f} with {options.keys}: {more:+.2f} (at most {most:+d})")
    print(f"the gateway's CPU until then: {medians[0][2]:.2f} s and {medians[1][2]:.2f} s")
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What asking callers who they are costs: `toolway bench` with 1,000 ES256 tokens in turn and the chain of extensions, and
with `--auth none` and no chain, by turns, on stacks of its own.

    tests/bench/extensions_cost.py build/toolway [--rounds 6] [--seconds 10] [bench options …]

Prints calls/s, the CPU time per call of all processes, and p50 at 1,000 calls/s, and judges their medians: throughput at
most 5 % less, CPU at most 7 µs more, p50 at most 0.1 ms more. Then, on a `toolway dev` of its own: what the first use of a
token adds (p99 at most 1 ms), and what 2,000 wrong signatures a second from one address leave of the good calls' rate (at
least 80 %). Exit status 1 when one of them is not met. Needs the openssl program, which makes the tokens.
"""

import argparse
import base64
import concurrent.futures
import http.client
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

TOKENS = 1000
ISSUER = "https://login.example"
POLICY = """roles:
  agent: {permissions: ["call:*", "fleet:read"]}
default_roles: [agent]
rules:
  - {name: nothing_dangerous, dangerous: true, refuse: dangerous tools are for operators}
  - {name: hide_tokens, tools: "examples.*", redact: [/token]}
"""


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Issuer:
    """A key on P-256, with its JWK Set and the file of --auth-config, in a directory."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.key = self.directory / "key.pem"
        subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", self.key], check=True)
        point = subprocess.run(["openssl", "ec", "-in", self.key, "-pubout", "-outform", "DER"], check=True, capture_output=True).stdout[-64:]
        jwk = {"kty": "EC", "crv": "P-256", "kid": "bench", "x": b64(point[:32]), "y": b64(point[32:])}
        jwks = self.directory / "jwks.json"
        jwks.write_text(json.dumps({"keys": [jwk]}))
        self.config = self.directory / "auth.yaml"
        self.config.write_text(f"issuers:\n  - {{issuer: {ISSUER}, audience: toolway, tenant: default, jwks_file: {jwks}}}\n")
        self.policy = self.directory / "extensions.yaml"
        self.policy.write_text(POLICY)

    def tokens(self, count, serial):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(lambda number: self.token(f"{serial}-{number}"), range(count)))

    def token(self, jti):
        claims = {"iss": ISSUER, "aud": "toolway", "sub": "bench", "exp": int(time.time()) + 7200, "jti": jti}
        text = b64(json.dumps({"alg": "ES256", "kid": "bench", "typ": "JWT"}).encode()) + "." + b64(json.dumps(claims).encode())
        der = subprocess.run(["openssl", "dgst", "-sha256", "-sign", self.key], input=text.encode(), check=True, capture_output=True).stdout
        return text + "." + b64(signature(der))


def signature(der):
    """R and S of a DER signature, 32 bytes each (RFC 7518 §3.4)."""
    def number(at):
        length = der[at + 1]
        return der[at + 2:at + 2 + length].lstrip(b"\0").rjust(32, b"\0"), at + 2 + length
    r, after = number(2)
    s, _ = number(after)
    return r + s


def bench(program, *more):
    # A store without results: it measures, and compares with nothing.
    with tempfile.TemporaryDirectory() as directory:
        store = pathlib.Path(directory) / "profiles.jsonl"
        subprocess.run([program, "bench", "--check", "--rounds", "1", "--warm-up", "1", "--store", store, *map(str, more)], check=True,
                       stdout=subprocess.DEVNULL)
        return json.loads(store.read_text())


def measure(program, seconds, more):
    full = bench(program, "--rate", 0, "--seconds", seconds, *more)
    at_rate = bench(program, "--rate", 1000, "--seconds", seconds, *more)
    cpu = sum(cost["user_us"] + cost["system_us"] for cost in full["per_call"].values())
    return full["figures"]["calls_per_s"], cpu, at_rate["figures"]["p50"]


class Dev:
    """A `toolway dev` with tokens, on one loop."""

    def __init__(self, program, issuer):
        self.data = tempfile.TemporaryDirectory()
        ready = pathlib.Path(self.data.name) / "ready.json"
        self.process = subprocess.Popen([program, "dev", "--quiet", "--data", f"{self.data.name}/data", "--http", "127.0.0.1:0", "--auth", "jwt",
                                         "--auth-config", issuer.config, "--extensions", issuer.policy, "--ready-file", ready],
                                        stdout=subprocess.DEVNULL)
        while not ready.exists() or not ready.read_text().strip():
            if self.process.poll() is not None:
                sys.exit("toolway dev ended at its start")
            time.sleep(0.05)
        self.address = json.loads(ready.read_text())["http"].removeprefix("http://")

    def ask(self, connection, token, method="GET", path="/v1/sessions/none", body=None):
        headers = {"Authorization": f"Bearer {token}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status

    def connect(self):
        return http.client.HTTPConnection(self.address)

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)
        self.data.cleanup()


def first_use(dev, tokens):
    """Seconds that the first use of a token adds to its second, p99."""
    connection = dev.connect()
    added = []
    for token in tokens:
        times = []
        for _ in range(2):
            begun = time.perf_counter()
            dev.ask(connection, token)
            times.append(time.perf_counter() - begun)
        added.append(times[0] - times[1])
    return statistics.quantiles(added, n=100)[98]


def good_rate(dev, token, seconds):
    """Calls accepted each second, one after another over each of 4 connections."""
    counts = []

    def call():
        connection, count, until = dev.connect(), 0, time.perf_counter() + seconds
        while time.perf_counter() < until:
            count += dev.ask(connection, token, "POST", "/v1/sessions/good/calls", '{"tool":"get_current_time","arguments":{}}') == 202
        counts.append(count)
    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / seconds


# Sends ten requests in one write: what a client costs on the same two cores would be taken for the gateway's.
FLOOD = r"""
import socket, sys, time
address, rate, good = sys.argv[1], float(sys.argv[2]), sys.argv[3]
host, port = address.rsplit(":", 1)
connection, sent, begun, dot = socket.create_connection((host, int(port))), 0, time.perf_counter(), good.rfind(".")
while True:
    requests = []
    for _ in range(10):
        wrong = good[:dot + 1] + f"{sent:012d}".replace("0", "A") + good[dot + 13:]
        requests.append(f"GET /v1/sessions HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {wrong}\r\n\r\n")
        sent += 1
    connection.sendall("".join(requests).encode())
    answers = 0
    while answers < 10:
        data = connection.recv(65536)
        if not data:
            sys.exit("the gateway closed the connection")
        answers += data.count(b"HTTP/1.1 ")
    if sent % 100 == 0:
        print(sent / (time.perf_counter() - begun), flush=True)
    pause = begun + sent / rate - time.perf_counter()
    if pause > 0:
        time.sleep(pause)
"""


def under_flood(dev, token, seconds):
    """The good calls' rate while 2,000 wrong signatures come each second, and how many of those came."""
    floods = [subprocess.Popen([sys.executable, "-c", FLOOD, dev.address, "1000", token], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    time.sleep(1)
    rate = good_rate(dev, token, seconds)
    wrong = 0
    for flood in floods:
        flood.terminate()
        lines = flood.communicate()[0].split()
        wrong += float(lines[-1]) if lines else 0
    return rate, wrong


def judge(what, value, most, unit):
    print(f"{what}: {value:+.2f} {unit} (at most {most:+g}): {'met' if value <= most else 'NOT MET'}", flush=True)
    return value <= most


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=10)
    options, more = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as directory:
        issuer = Issuer(directory)
        tokens = issuer.tokens(TOKENS, "bench")
        file = pathlib.Path(directory) / "tokens"
        file.write_text("\n".join(tokens) + "\n")
        asked = ["--auth", "jwt", "--auth-config", issuer.config, "--tokens", file, "--extensions", issuer.policy]
        without, with_it = [], []
        for turn in range(options.rounds):
            without.append(measure(options.program, options.seconds, more))
            with_it.append(measure(options.program, options.seconds, [*more, *asked]))
            print(f"round {turn + 1}: " + "; ".join(
                f"{name} {calls:.0f} calls/s, {cpu:.1f} us of CPU per call, p50 {p50:.2f} ms at 1,000/s"
                for name, (calls, cpu, p50) in (("without", without[-1]), ("with", with_it[-1]))), flush=True)
        a, b = ([statistics.median(one[at] for one in rounds) for at in range(3)] for rounds in (without, with_it))
        met = [judge("throughput lost", (1 - b[0] / a[0]) * 100, 5, "%"), judge("CPU per call", b[1] - a[1], 7, "us"),
               judge("p50 at 1,000/s", b[2] - a[2], 0.1, "ms")]
        dev = Dev(options.program, issuer)
        try:
            met.append(judge("first use of a token, p99", first_use(dev, issuer.tokens(500, "first")) * 1000, 1, "ms"))
            connection = dev.connect()
            dev.ask(connection, tokens[0], "POST", "/v1/sessions", '{"session_id":"good","namespaces":["time"]}')
            quiet, flooded = [], []
            for _ in range(3):
                quiet.append(good_rate(dev, tokens[0], 5))
                flooded.append(under_flood(dev, tokens[0], 5))
                time.sleep(1)
            alone, (rate, wrong) = statistics.median(quiet), sorted(flooded)[1]
            print(f"good calls: {alone:.0f}/s alone, {rate:.0f}/s with {wrong:.0f} wrong signatures/s")
            met.append(judge("good calls lost", (1 - rate / alone) * 100, 20, "%"))
        finally:
            dev.end()
    sys.exit(0 if all(met) else 1)


if __name__ == "__main__":
    main()

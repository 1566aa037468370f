#!/usr/bin/env python3
"""What asking callers who they are costs: two stacks side by side, one with 1,000 ES256 tokens in turn and the chain of
extensions, one with `--auth none` and no chain, under the same load by turns of a second.

    tests/bench/extensions_cost.py build/toolway [--turns 40] [--seconds 1] [bench options …]

Prints calls/s, the CPU time per call of each kind of process, and p50 at 1,000 calls/s, and judges the medians of the
differences within a pair of turns: throughput at most 5 % less, CPU at most 7 µs more, p50 at most 0.1 ms more. Then, on the
stack with tokens: what the first use of a token adds (p99 at most 1 ms), and what 2,000 wrong signatures a second from one
address leave of the good calls' rate (at least 80 %). Exit status 1 when one of them is not met. Needs the openssl program,
which makes the tokens.
"""

import argparse
import base64
import concurrent.futures
import http.client
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import stacks

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


class Client:
    """Requests with tokens to a stack."""

    def __init__(self, stack):
        self.address = stack.url.removeprefix("http://")

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


def first_use(client, tokens):
    """Seconds that the first use of a token adds to its second, p99."""
    connection = client.connect()
    added = []
    for token in tokens:
        times = []
        for _ in range(2):
            begun = time.perf_counter()
            client.ask(connection, token)
            times.append(time.perf_counter() - begun)
        added.append(times[0] - times[1])
    return statistics.quantiles(added, n=100)[98]


def good_rate(client, token, seconds):
    """Calls accepted each second, one after another over each of 4 connections."""
    counts = []

    def call():
        connection, count, until = client.connect(), 0, time.perf_counter() + seconds
        while time.perf_counter() < until:
            count += client.ask(connection, token, "POST", "/v1/sessions/good/calls", '{"tool":"get_current_time","arguments":{}}') == 202
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


def under_flood(client, token, seconds):
    """The good calls' rate while 2,000 wrong signatures come each second, and how many of those came."""
    floods = [subprocess.Popen([sys.executable, "-c", FLOOD, client.address, "1000", token], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    time.sleep(1)
    rate = good_rate(client, token, seconds)
    wrong = 0
    for flood in floods:
        flood.terminate()
        lines = flood.communicate()[0].split()
        wrong += float(lines[-1]) if lines else 0
    return rate, wrong


def judge(what, value, most, unit):
    print(f"{what}: {value:+.2f} {unit} (at most {most:+g}): {'met' if value <= most else 'NOT MET'}", flush=True)
    return value <= most


def judge_load(without, with_it, options):
    """Whether what the chain costs calls is within its bounds."""
    pairs = stacks.by_turns(without, with_it, options.turns, options.seconds)
    print(stacks.table(pairs, "without", "with the chain"))
    plain, _, lost = stacks.median(pairs, lambda found: found["calls_per_s"])
    met = [judge("throughput lost", -lost / plain * 100, 5, "%"),
           judge("CPU per call", stacks.median(pairs, lambda found: found["us"]["all"])[2], 7, "us")]
    pairs = stacks.by_turns(without, with_it, options.turns // 2, options.seconds, "--rate", 1000)
    return [*met, judge("p50 at 1,000/s", stacks.median(pairs, lambda found: found["completion"]["p50_ms"])[2], 0.1, "ms")]


def judge_tokens(client, fresh, token):
    """Whether what tokens cost, right ones and wrong ones, is within its bounds."""
    met = [judge("first use of a token, p99", first_use(client, fresh) * 1000, 1, "ms")]
    client.ask(client.connect(), token, "POST", "/v1/sessions", '{"session_id":"good","namespaces":["time"]}')
    quiet, flooded = [], []
    for _ in range(3):
        quiet.append(good_rate(client, token, 5))
        flooded.append(under_flood(client, token, 5))
        time.sleep(1)
    alone, (rate, wrong) = statistics.median(quiet), sorted(flooded)[1]
    print(f"good calls: {alone:.0f}/s alone, {rate:.0f}/s with {wrong:.0f} wrong signatures/s")
    return [*met, judge("good calls lost", (1 - rate / alone) * 100, 20, "%")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--turns", "--rounds", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=1)
    options, more = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as directory:
        issuer = Issuer(directory)
        tokens = issuer.tokens(TOKENS, "bench")
        file = pathlib.Path(directory) / "tokens"
        file.write_text("\n".join(tokens) + "\n")
        asked = ["--auth", "jwt", "--auth-config", issuer.config, "--extensions", issuer.policy]
        with stacks.Stack(options.program, load=more) as without, stacks.Stack(options.program, asked, [*more, "--tokens", file]) as with_it:
            met = judge_load(without, with_it, options)
        with stacks.Stack(options.program, asked) as stack:
            met += judge_tokens(Client(stack), issuer.tokens(500, "first"), tokens[0])
    sys.exit(0 if all(met) else 1)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What tracing at 1 % and metrics over OTLP cost: `toolway bench` with and without them, by turns, on stacks of its own.

    tests/bench/telemetry_cost.py build/toolway [--rounds 5] [--seconds 10] [--sample 0.01] [bench options …]

Prints calls/s and the CPU time per call of all processes that `toolway bench --check` measures (gateway, worker, collector,
NATS, Postgres and bench), which other work on the machine disturbs less. The receiver's time is not counted.
"""

import argparse
import http.server
import json
import multiprocessing
import pathlib
import statistics
import subprocess
import tempfile


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


def receive(port):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    port.send(server.server_port)
    server.serve_forever()


def run(program, seconds, more):
    # A store without results: it measures, and compares with nothing.
    with tempfile.TemporaryDirectory() as directory:
        store = pathlib.Path(directory) / "profiles.jsonl"
        subprocess.run([program, "bench", "--check", "--rounds", "1", "--rate", "0", "--seconds", str(seconds), "--warm-up", "1",
                        "--store", store, *more], check=True, stdout=subprocess.DEVNULL)
        result = json.loads(store.read_text())
    return result["figures"]["calls_per_s"], sum(cost["user_us"] + cost["system_us"] for cost in result["per_call"].values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--sample", default="0.01")
    options, bench = parser.parse_known_args()
    ours, theirs = multiprocessing.Pipe()
    receiver = multiprocessing.Process(target=receive, args=(theirs,), daemon=True)
    receiver.start()
    url = f"http://127.0.0.1:{ours.recv()}"
    without, with_it = [], []
    for turn in range(options.rounds):
        without.append(run(options.program, options.seconds, bench))
        with_it.append(run(options.program, options.seconds,
                           [*bench, "--otlp", url, "--trace-sample", options.sample]))
        print(f"round {turn + 1}: without {without[-1][0]:.0f} calls/s, {without[-1][1]:.0f} us of CPU per call; "
              f"with {with_it[-1][0]:.0f}, {with_it[-1][1]:.0f}", flush=True)
    receiver.terminate()
    for what, at, better in (("calls/s", 0, 1), ("us of CPU per call", 1, -1)):
        a, b = statistics.median(r[at] for r in without), statistics.median(r[at] for r in with_it)
        print(f"median {what}: {a:.0f} without, {b:.0f} with: {(b / a - 1) * 100 * better:+.1f} %")


if __name__ == "__main__":
    main()

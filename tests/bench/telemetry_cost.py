#!/usr/bin/env python3
"""What tracing at 1 % and metrics over OTLP cost: two stacks, one with and one without them, under the same load by turns of
a second.

    tests/bench/telemetry_cost.py build/toolway [--turns 40] [--seconds 1] [--sample 0.01] [bench options …]

Prints calls/s and the CPU time per call of each kind of process. The receiver's time is not counted.
"""

import argparse
import http.server
import multiprocessing

import stacks


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--turns", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--sample", default="0.01")
    options, more = parser.parse_known_args()
    ours, theirs = multiprocessing.Pipe()
    receiver = multiprocessing.Process(target=receive, args=(theirs,), daemon=True)
    receiver.start()
    told = ["--otlp", f"http://127.0.0.1:{ours.recv()}", "--trace-sample", options.sample]
    try:
        with stacks.Stack(options.program, load=more) as without, stacks.Stack(options.program, told, more) as with_it:
            print(stacks.table(stacks.by_turns(without, with_it, options.turns, options.seconds), "without", "with"))
    finally:
        receiver.terminate()


if __name__ == "__main__":
    main()

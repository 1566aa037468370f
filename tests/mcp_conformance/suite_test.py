"""The conformance suite of the Model Context Protocol against `toolway dev` with the pack of this folder: through one gateway, and
through three in rotation, which are killed in turn."""

import itertools
import json
import os
import pathlib
import re
import signal
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PACK = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(PACK.parents[0] / "e2e/telemetry"))
from dev_stack import Dev  # noqa: E402

PROGRAM, PACKAGES = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
SUITE = PACKAGES / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
NODE = next(PACKAGES.glob("node_modules/node-linux-*/bin/node"))
# What `--requirements` runs of each revision.
SCORED = {"2025-11-25": 30, "2026-07-28": 37}


def conformance(url, *options):
    """Its status, what it printed at the end, and the checks that failed."""
    with tempfile.TemporaryDirectory(prefix="toolway-conformance-") as directory:
        done = subprocess.run([NODE, SUITE, "server", "--url", url, *options, "-o", directory], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=400)
        checks = [(file.parent.name, check) for file in pathlib.Path(directory).rglob("checks.json") for check in json.loads(file.read_text())]
    failed = [(scenario, check["id"], check.get("errorMessage")) for scenario, check in checks if check["status"] == "FAILURE"]
    return done.returncode, done.stdout[done.stdout.rfind("=== SUMMARY"):], failed


def kill(pid):
    """And waits until it takes no connection any more. False: it starts again just now."""
    try:
        os.kill(pid, signal.SIGKILL)
        while pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
            time.sleep(0.001)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def is_there(gateway):
    try:
        socket.create_connection(gateway, 1).close()
        return True
    except OSError:
        return False


class Turns:
    """Hands each request to the next of several gateways, and kills one that answers none, once all are there."""

    def __init__(self, dev):
        self.gateways = [url.removeprefix("http://").rsplit(":", 1) for url in dev.ready["http_all"]]
        self.dev = dev
        self.next = itertools.count()
        self.busy = [0] * len(self.gateways)
        self.lock = threading.Lock()
        self.killed = 0
        self.ended = threading.Event()
        turns = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                turns.forward(self.rfile, self.connection)

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True
            request_queue_size = 128

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.killer = threading.Thread(target=self.kill)
        self.killer.start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/mcp"

    def forward(self, reader, client):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = reader.readline()
            if not line:
                return
            head += line
        length = re.search(rb"(?i)content-length: *(\d+)", head)
        body = reader.read(int(length.group(1))) if length else b""
        head = re.sub(rb"(?i)\r\nconnection:[^\r]*", b"", head).removesuffix(b"\r\n") + b"connection: close\r\n\r\n"
        for _ in range(200):
            with self.lock:
                index = next(self.next) % len(self.gateways)
                self.busy[index] += 1
            try:
                with socket.create_connection(self.gateways[index]) as gateway:
                    gateway.sendall(head + body)
                    if self.answer(gateway, client):
                        return
            except (BrokenPipeError, ConnectionRefusedError, ConnectionResetError):
                pass
            finally:
                with self.lock:
                    self.busy[index] -= 1
            time.sleep(0.05)  # it was just killed, and starts again

    def answer(self, gateway, client):
        # To notice a client that goes away.
        def watch():
            try:
                if not client.recv(1):
                    gateway.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        threading.Thread(target=watch, daemon=True).start()
        answered = False
        while data := gateway.recv(65536):
            client.sendall(data)
            answered = True
        return answered

    def kill(self):
        """A gateway that answers nothing just now: what it knew of its clients is lost."""
        while not self.ended.wait(1):
            index = self.killed % len(self.gateways)
            with self.lock:
                if self.busy[index] or not all(is_there(gateway) for gateway in self.gateways):
                    continue
                if kill(json.loads(self.dev.ready_file.read_text())["pids"]["gateway"][index]):
                    self.killed += 1

    def close(self):
        self.ended.set()
        self.killer.join()
        self.server.shutdown()
        self.server.server_close()


class OneGateway(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dev = cls.enterClassContext(Dev(PROGRAM, "--specs", PACK, "--python-path", PACK))
        cls.url = cls.dev.ready["http"] + "/mcp"

    def test_what_each_revision_requires(self):
        for revision, scored in SCORED.items():
            status, said, failed = conformance(self.url, "--requirements", revision)
            self.assertEqual((status, failed), (0, []), "what is not scored passes too")
            self.assertGreaterEqual(len(re.findall("^✓ ", said, re.MULTILINE)), scored)

    def test_an_older_revision(self):
        status, _, failed = conformance(self.url, "--spec-version", "2025-06-18")
        self.assertEqual((status, failed), (0, []))


class ThreeGateways(unittest.TestCase):
    def test_what_each_revision_requires(self):
        with Dev(PROGRAM, "--gateways", "3", "--specs", PACK, "--python-path", PACK) as dev:
            turns = Turns(dev)
            try:
                for revision in SCORED:
                    status, _, failed = conformance(turns.url, "--requirements", revision)
                    self.assertEqual(status, 0, failed)
                self.assertGreater(turns.killed, 3)
            finally:
                turns.close()


if __name__ == "__main__":
    unittest.main()

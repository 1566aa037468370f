"""Agents whose calls end in every way. `toolway bench --scenario load.yaml` makes the calls that succeed and fail; the threads
here do what no load generator should: they exceed limits, cancel, are rejected, lost or end unknown, repeat themselves, open, close
and restore sessions, follow them and go away, and ask for what does not exist."""
import http.client
import itertools
import json
import pathlib
import threading
import time
from urllib.parse import urlsplit

from children import Child

SCENARIO = pathlib.Path(__file__).resolve().parent / "load.yaml"

NAMESPACES = ["bench", "shop", "time"]


class Client:
    """One user's connection to a gateway, for one thread. `None` as an answer: there was none."""

    def __init__(self, url, user):
        self.address, self.user, self.connection = urlsplit(url).netloc, user, None

    def request(self, method, path, body=None, headers=None):
        for fresh in (self.connection is None, True):
            if self.connection is None:
                self.connection = http.client.HTTPConnection(self.address, timeout=60)
            try:
                self.connection.request(method, path, None if body is None else json.dumps(body),
                                        {"Content-Type": "application/json", "X-Toolway-User": self.user, **(headers or {})})
                answer = self.connection.getresponse()
                return answer.status, json.loads(answer.read() or b"null")
            except (OSError, http.client.HTTPException, ValueError):
                self.close()
                if fresh:
                    return None, None
        return None, None

    def close(self):
        if self.connection:
            self.connection.close()
            self.connection = None

    def open(self, session):
        self.request("POST", "/v1/sessions", {"session_id": session, "namespaces": NAMESPACES})

    def call(self, session, tool, arguments=None, *, wait=None, key=None, limits=None):
        """The answer's JSON: the call as it is accepted, or completed when waited for (seconds)."""
        headers = {}
        if wait:
            headers["Prefer"] = f"wait={wait}"
        if key:
            headers["Idempotency-Key"] = key
        body = {"tool": tool, "arguments": arguments or {}}
        if limits:
            body["limits"] = limits
        return self.request("POST", f"/v1/sessions/{session}/calls", body, headers)[1] or {}


class Agents:
    """The load, again and again, and threads that each repeat one thing until stop()."""

    def __init__(self, stack, directory):
        self.stack, self.url, self.directory = stack, stack.ready()["http"], directory
        self.ended = threading.Event()
        self.numbers = itertools.count()
        self.threads = []

    def start(self):
        self._thread("load", self._loads)
        self._each("hurry", self._is_in_a_hurry, 0.7)
        self._each("undecided", self._cancels, 0.9)
        self._each("lost", self._is_lost, 5)
        self._each("again", self._repeats, 0.5)
        self._each("printer", self._prints, 1)
        self._each("wrong", self._asks_wrong, 0.4)
        self._each("traveller", self._comes_and_goes, 1)
        self._each("follower", self._follows, 1)
        self._each("switch", self._switches_off, 6)

    def break_a_worker(self):
        """One call whose outcome stays unknown, since its worker ends during it; reported as such 30 s later."""
        client = Client(self.url, "breaker")
        client.open("breaker")
        client.call("breaker", "shop.crash")

    def stop(self):
        """Starts nothing more; what still waits for an answer ends with the stack."""
        self.ended.set()
        deadline = time.monotonic() + 3
        for thread in self.threads:
            thread.join(max(0, deadline - time.monotonic()))

    def _thread(self, name, run):
        thread = threading.Thread(target=run, name=name, daemon=True)
        thread.start()
        self.threads.append(thread)

    def _loads(self):
        while not self.ended.is_set():
            bench = Child([self.stack.program, "bench", "--scenario", SCENARIO, "--url", self.url, "--store", ""],
                          self.directory / "bench.log")
            while not bench.ended() and not self.ended.wait(0.2):
                pass
            bench.stop()
            self.ended.wait(1)

    def _each(self, name, act, pause):
        """Runs act(client, session) every `pause` seconds."""
        def run():
            client = Client(self.url, name)
            client.open(name)
            while not self.ended.is_set():
                act(client, name)
                self.ended.wait(pause)
            client.close()
        self._thread(name, run)

    def _is_in_a_hurry(self, client, session):
        client.call(session, "shop.deliver", limits={"run_ms": 150}, wait=20)

    def _cancels(self, client, session):
        call = client.call(session, "shop.deliver")
        self.ended.wait(0.05)
        if "call_id" in call:
            client.request("POST", f"/v1/calls/{call['call_id']}/cancel", {"reason": "changed my mind"})

    def _is_lost(self, client, session):
        client.call(session, "shop.forgotten")

    def _repeats(self, client, session):
        key = f"{time.time_ns()}"
        for _ in range(2):
            client.call(session, "bench.echo", {"payload": key}, key=key, wait=20)

    def _prints(self, client, session):
        for _ in range(2):
            client.call(session, "shop.print")

    def _asks_wrong(self, client, session):
        client.call(session, "shop.sell")
        client.call(session, "bench.stream", {"chunks": "many"})
        client.request("GET", "/v1/calls/none")

    def _comes_and_goes(self, client, session):
        mine = f"{session}-{next(self.numbers)}"
        client.open(mine)
        client.call(mine, "shop.deliver")
        client.request("POST", f"/v1/sessions/{mine}/close", {"pending": "wait", "timeout_ms": 20})
        client.request("POST", f"/v1/sessions/{mine}/restore", {})
        client.request("POST", f"/v1/sessions/{mine}/restore", {})
        client.request("POST", "/v1/sessions/nobodys/restore", {})
        client.request("POST", f"/v1/sessions/{mine}/close", {"pending": "cancel", "timeout_ms": 2000})

    def _follows(self, client, session):
        """An event stream whose client goes away after some events."""
        client.call(session, "bench.stream", {"chunks": 5, "payload": "x" * 200})
        connection = http.client.HTTPConnection(client.address, timeout=5)
        try:
            connection.request("GET", f"/v1/sessions/{session}/events?after=0", headers={"X-Toolway-User": client.user})
            answer = connection.getresponse()
            for _ in range(100):
                if self.ended.is_set() or not answer.readline():
                    break
        except (OSError, http.client.HTTPException):
            pass
        finally:
            connection.close()

    def _switches_off(self, client, session):
        """Calls wait after a slow one while their tool is switched off, and are rejected."""
        for _ in range(4):
            client.call(session, "shop.pack")
        for _ in range(4):
            client.call(session, "shop.wrap")
        try:
            self.stack.run("tools", "disable", "shop.wrap", "--reason", "load of ./run observe")
            self.ended.wait(4)
            self.stack.run("tools", "enable", "shop.wrap")
        except (RuntimeError, OSError, ValueError):
            pass  # the stack is being stopped, or broken on purpose

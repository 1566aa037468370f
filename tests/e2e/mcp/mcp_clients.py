"""Clients of /mcp in both eras, and of REST, against a `toolway dev` with the tools of the conformance pack."""

import json
import os
import pathlib
import signal
import sys
import time
import unittest
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/e2e/telemetry"))
from dev_stack import Dev  # noqa: E402

PACK = ROOT / "tests/mcp_conformance"
EVERYTHING = {"elicitation": {}, "sampling": {}, "roots": {}}
META = "io.modelcontextprotocol/"
dev = None


def start(program, *options):
    """For the tests of a module: its setUpModule calls it."""
    global dev
    dev = Dev(program, "--specs", PACK, "--python-path", PACK, *options)
    unittest.addModuleCleanup(dev.__exit__)
    dev.__enter__()
    return dev


def is_up():
    dev.ready = json.loads(dev.ready_file.read_text())
    try:
        return ask("/readyz") is not None
    except (OSError, AssertionError, ValueError):
        return False


def restart(role, how=signal.SIGKILL):
    """Ends a process; once this returns, the next one is there."""
    pid = dev.pid_of(role)
    os.kill(pid, how)
    wait_for(lambda: dev.pid_of(role) != pid and is_up(), 60)


def open_request(path, body, method="POST", user="ann", **headers):
    request = urllib.request.Request(
        dev.ready["http"] + path, None if body is None else json.dumps(body).encode(), method=method,
        headers={"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "X-Toolway-User": user, **headers})
    try:
        return urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as error:
        return error


def ask(path, body=None, status=200, method=None, user="ann", **headers):
    with open_request(path, body, method or ("POST" if body is not None else "GET"), user, Accept="application/json", **headers) as answer:
        text = answer.read().decode()
        assert answer.status == status, (answer.status, text)
        return json.loads(text) if text else None


def newest_call(query):
    """Its id, once all that was accepted before is recorded."""
    def found():
        page = ask("/v1/calls?limit=1&" + query)
        return not page["behind"] and page["calls"]
    return wait_for(found)[0]["call_id"]


def messages(answer):
    """Of a stream, or the one of an answer in one piece."""
    if answer.headers.get_content_type() == "application/json":
        yield json.loads(answer.read())
        return
    for line in answer:
        if line.startswith(b"data: "):
            yield json.loads(line[6:])


def events(answer):
    """Of a stream: its ids and its data, as they come."""
    event = {}
    for line in answer:
        line = line.decode().rstrip("\n")
        if not line and event:
            yield event.get("id"), event.get("data", "")
            event = {}
        elif line and not line.startswith(":"):
            name, _, value = line.partition(":")
            event[name] = value.removeprefix(" ")


def said(answer):
    """The result or the error, whatever came before it."""
    last = list(messages(answer))[-1]
    return last["result"] if "result" in last else last["error"]


def events_of(call):
    return ask(f"/v1/calls/{call}/events?limit=1000")["events"]


def wait_for(what, seconds=30):
    deadline = time.monotonic() + seconds
    while True:
        found = what()
        if found:
            return found
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


class Handshake:
    """A client of 2025-11-25."""

    def __init__(self, capabilities, user="ann"):
        self.user = user
        params = {"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "test", "version": "1"}}
        with open_request("/mcp", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}, user=user) as answer:
            self.headers = {"MCP-Session-Id": answer.headers["MCP-Session-Id"], "MCP-Protocol-Version": "2025-11-25"}

    def open(self, method, params=None, id=1, **headers):
        return open_request("/mcp", {"jsonrpc": "2.0", "id": id, "method": method, "params": params or {}}, user=self.user, **self.headers, **headers)

    def call(self, tool, arguments=None):
        return messages(self.open("tools/call", {"name": tool, "arguments": arguments or {}}))

    def get(self, **headers):
        return open_request("/mcp", None, "GET", self.user, Accept="text/event-stream", **self.headers, **headers)

    def end(self):
        with open_request("/mcp", None, "DELETE", self.user, **self.headers) as answer:
            return answer.status

    def say(self, message):
        with open_request("/mcp", {"jsonrpc": "2.0", **message}, user=self.user, **self.headers) as answer:
            return answer.status, answer.read().decode()


def open_modern(method, params=None, capabilities=None, id=1, user="ann", meta=None, **headers):
    """A request of 2026-07-28, which says it all."""
    body = {**(params or {}), "_meta": {META + "protocolVersion": "2026-07-28",
                                        META + "clientCapabilities": EVERYTHING if capabilities is None else capabilities, **(meta or {})}}
    named = {"Mcp-Name": body["name"]} if method == "tools/call" else {}
    return open_request("/mcp", {"jsonrpc": "2.0", "id": id, "method": method, "params": body}, user=user,
                        **{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, **named, **headers})


def text_of(message):
    return message["result"]["content"][0]["text"]

"""MCP servers that ask while they run a call: their questions reach the call's client, which is an MCP client of either era or a client of REST.
The servers are tests/support/mcp/scripted_server.py, over stdio and HTTP, of both eras."""

import functools
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import mcp_clients
from mcp_clients import EVERYTHING, Handshake, ask, events_of, messages, open_modern, wait_for

PROGRAM = sys.argv.pop(1)
SCRIPTED = mcp_clients.ROOT / "tests/support/mcp/scripted_server.py"
YES = {"action": "accept", "content": {"confirm": True}}
NO = {"action": "decline"}
OLD, NEW = "2025-11-25", "2026-07-28"
SERVERS = [("stdio_old", OLD, False), ("stdio_new", NEW, False), ("http_old", OLD, True), ("http_new", NEW, True)]
running = []


def argv(name, revision):
    return [sys.executable, str(SCRIPTED), "--revision", revision, "--record", str(directory / f"{name}.record")]


def describe(name, revision, over_http):
    """The server as the file of servers has it; over HTTP it runs from now on, whatever becomes of workers."""
    defaults = {"idempotent": True}
    if not over_http:
        return {"command": argv(name, revision), "defaults": defaults}
    port = directory / f"{name}.port"
    running.append(subprocess.Popen([*argv(name, revision), "--http", port]))
    url = f"http://127.0.0.1:{wait_for(lambda: port.exists() and port.read_text())}/mcp"
    return {"url": url, "allow_addresses": ["127.0.0.1"], "defaults": defaults}


def setUpModule():
    global dev, directory
    temporary = tempfile.TemporaryDirectory(prefix="toolway-upstream-")
    unittest.addModuleCleanup(temporary.cleanup)
    directory = pathlib.Path(temporary.name)
    directory.chmod(0o711)
    servers = directory / "mcp.yaml"
    servers.write_text(json.dumps({name: describe(name, revision, http) for name, revision, http in SERVERS}))
    dev = mcp_clients.start(PROGRAM, "--set", f"mcp.servers={servers}", "--workers", "1")
    wanted = {f"{name}.confirms" for name, _, _ in SERVERS}
    wait_for(lambda: wanted <= {f"{tool['namespace']}.{tool['name']}" for tool in ask("/v1/tools")["tools"]})
    ask("/v1/sessions", {"session_id": "rest", "namespaces": [name for name, _, _ in SERVERS]}, 201)


def tearDownModule():
    for process in running:
        process.kill()
        process.wait()


def times_asked(name):
    """How often the server itself has asked."""
    record = directory / f"{name}.record"
    return len([line for line in record.read_text().splitlines() if json.loads(line)["event"] == "asks"])


def result_of(message):
    return json.loads(mcp_clients.text_of(message))


def told(message):
    """By the tool: what it was told itself."""
    return result_of(message)["told"]


def of_type(call, kind):
    return [event for event in events_of(call) if event["type"] == kind]


def begin(tool, arguments):
    return ask("/v1/sessions/rest/calls", {"tool": tool, "arguments": arguments}, 202)["call_id"]


def ended(call):
    return wait_for(lambda: (lambda shown: shown if shown["state"] == "completed" else None)(ask(f"/v1/calls/{call}")), 60)


def of_each_server(test):
    @functools.wraps(test)
    def run(self):
        for name, _, _ in SERVERS:
            with self.subTest(name):
                test(self, name)
    return run


class Answered(unittest.TestCase):
    @of_each_server
    def test_over_rest(self, name):
        call = begin(f"{name}.confirms", {"message": "Delete?", "times": 2})
        for count, answer in ((1, YES), (2, NO)):
            asked = wait_for(lambda: of_type(call, "input_requested")[count - 1:])[0]["questions"][0]
            self.assertEqual((asked["method"], asked["params"]["message"]), ("elicitation/create", "Delete?"))
            self.assertNotIn("_meta", asked["params"])
            self.assertEqual(ask(f"/v1/calls/{call}/input", {"answers": {asked["key"]: answer}})["waiting"], [])
        self.assertEqual(ended(call)["result"], {"told": [YES, NO]})

    @of_each_server
    def test_by_a_client_of_handshakes(self, name):
        client = Handshake(EVERYTHING)
        stream = client.call(f"{name}__confirms", {"message": "Delete?"})
        question = next(stream)
        self.assertEqual((question["method"], question["params"]["message"]), ("elicitation/create", "Delete?"))
        self.assertEqual(client.say({"id": question["id"], "result": YES}), (202, ""))
        self.assertEqual(told(next(stream)), [YES])
        stream = client.call(f"{name}__confirms", {"method": "sampling/createMessage"})
        answer = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Hi"}}
        self.assertEqual(client.say({"id": next(stream)["id"], "result": answer}), (202, ""))
        self.assertEqual(told(next(stream)), [answer])

    @of_each_server
    def test_by_a_client_of_requests(self, name):
        call = {"name": f"{name}__confirms", "arguments": {"message": "Delete?", "at_once": 2 if name.endswith("new") else 1}}
        asked = list(messages(open_modern("tools/call", call)))[-1]["result"]
        self.assertEqual(asked["resultType"], "input_required")
        self.assertEqual(len(asked["inputRequests"]), call["arguments"]["at_once"])
        answers = {key: YES for key in asked["inputRequests"]}
        done = list(messages(open_modern("tools/call", {**call, "inputResponses": answers, "requestState": asked["requestState"]})))[-1]
        self.assertEqual(told(done), [YES] * len(answers))

    @of_each_server
    def test_what_the_client_has_not_declared_is_not_asked(self, name):
        message = list(Handshake({"sampling": {}}).call(f"{name}__confirms", {}))[-1]
        result = message["result"]
        if name.endswith("old"):
            self.assertEqual(told(message)[0]["code"], -32601, "the server is told so, and the call continues")
        else:
            self.assertEqual((result["isError"], result["_meta"]["toolway/code"]), (True, "mcp_input_required"))
        self.assertEqual(of_type(result["_meta"]["toolway/call_id"], "input_requested"), [])

    @of_each_server
    def test_what_a_server_is_told_that_it_may_ask(self, name):
        elicitation, sampling = {"elicitation": {"form": {}}}, {"sampling": {}}
        declared = result_of(list(Handshake({"elicitation": {}}).call(f"{name}__declared", {}))[-1])
        shared = {"elicitation": {"form": {}, "url": {}}, **sampling}
        self.assertEqual(declared, elicitation if name.endswith("new") else shared)


class Interrupted(unittest.TestCase):
    def tearDown(self):
        # A server over stdio may still run the calls that were given up, and asks nothing of others until it starts again.
        mcp_clients.restart("worker")

    def interrupt(self, call, started):
        os.kill(dev.pid_of("worker"), signal.SIGKILL)
        wait_for(lambda: len(of_type(call, "started")) == started, 60)

    @of_each_server
    def test_a_worker_that_is_killed_asks_nothing_twice(self, name):
        before = times_asked(name)
        call = begin(f"{name}.confirms", {"message": "Delete?", "times": 2})
        first = wait_for(lambda: of_type(call, "input_requested"))[0]["questions"][0]["key"]
        self.interrupt(call, 2)  # while it waits for the first answer
        wait_for(lambda: times_asked(name) == before + 2)
        ask(f"/v1/calls/{call}/input", {"answers": {first: YES}})
        second = wait_for(lambda: of_type(call, "input_requested")[1:])[0]["questions"][0]["key"]
        self.interrupt(call, 3)  # with one answer stored
        wait_for(lambda: times_asked(name) == before + 5)
        ask(f"/v1/calls/{call}/input", {"answers": {second: NO}})
        self.assertEqual(ended(call)["result"], {"told": [YES, NO]})
        asked = [event["questions"][0]["key"] for event in of_type(call, "input_requested")]
        self.assertEqual(asked, [first, second], "the server asked five times, the client was asked twice")

    @of_each_server
    def test_a_server_that_asks_for_ever_ends_its_call(self, name):
        call = begin(f"{name}.confirms", {"method": "roots/list" if name.endswith("old") else "sampling/createMessage", "times": -1})
        if name.endswith("new"):
            self.answer_all(call)
        done = ended(call)
        self.assertEqual((done["outcome"], done["error"]["code"]), ("failed", "mcp_input_required"))
        self.assertIn("at most 100 questions", done["error"]["message"])

    def answer_all(self, call):
        answer = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Hi"}}
        for count in range(1, 101):
            key = wait_for(lambda: of_type(call, "input_requested")[count - 1:])[0]["questions"][0]["key"]
            ask(f"/v1/calls/{call}/input", {"answers": {key: answer}})

    @of_each_server
    def test_a_cancelled_call_asks_no_more(self, name):
        call = begin(f"{name}.confirms", {})
        key = wait_for(lambda: of_type(call, "input_requested"))[0]["questions"][0]["key"]
        ask(f"/v1/calls/{call}/cancel", {}, 202)
        self.assertEqual(ended(call)["outcome"], "cancelled")
        self.assertEqual(ask(f"/v1/calls/{call}/input", {"answers": {key: YES}}, 409)["code"], "not_asked")


if __name__ == "__main__":
    unittest.main()

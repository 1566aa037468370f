"""What MCP clients get besides answers: streams that another gateway continues, cancellations, ended sessions, and changes of the list of
tools. Over a `toolway dev` with the tools of the conformance pack."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
import unittest

import mcp_clients
from mcp_clients import EVERYTHING, Handshake, ask, events, messages, open_modern, restart, said, text_of, wait_for

PROGRAM = sys.argv.pop(1)
TOOLS = pathlib.Path(__file__).resolve().parent / "tools"
CHANGED = "notifications/tools/list_changed"


def setUpModule():
    global dev
    dev = mcp_clients.start(PROGRAM, "--specs", TOOLS, "--python-path", TOOLS)


def call_running(tool):
    """The id of the newest call of a tool, once it runs."""
    def found():
        calls = ask(f"/v1/calls?tool={tool}&limit=1")["calls"]
        return calls[0]["call_id"] if calls and calls[0]["state"] == "running" else None
    return wait_for(found)


def outcome(call):
    return wait_for(lambda: ask(f"/v1/calls/{call}").get("outcome"))


def switch(verb, name):
    data = pathlib.Path(dev.directory.name) / "data"
    subprocess.run([PROGRAM, "tools", verb, name, "--data", data], check=True, stdout=subprocess.DEVNULL)


class Resumed(unittest.TestCase):
    def begin(self, client, tool="slow_compute", seconds=2, token="t"):
        params = {"name": tool, "arguments": {"seconds": seconds}, "_meta": {"progressToken": token}}
        return events(client.open("tools/call", params, id=7))

    def test_a_stream_begins_with_an_id_and_no_data(self):
        ids = list(self.begin(Handshake({}), seconds=0.5))
        self.assertEqual(ids[0][1], "")
        self.assertTrue(all(id for id, _ in ids), ids)
        self.assertEqual(len({id for id, _ in ids}), len(ids))

    def test_another_gateway_shows_the_rest_and_the_answer(self):
        client = Handshake({})
        stream = self.begin(client, seconds=3)
        seen = [next(stream) for _ in range(4)]
        restart("gateway")
        rest = list(events(client.get(**{"Last-Event-ID": seen[-1][0]})))
        shown = [json.loads(data) for _, data in seen + rest if data]
        progress = [message["params"]["progress"] for message in shown if message.get("method") == "notifications/progress"]
        self.assertEqual(progress, sorted(set(progress)), "each once, and rising")
        self.assertGreater(len(progress), 5)
        self.assertEqual((shown[-1]["id"], json.loads(text_of(shown[-1]))), (7, {"steps": 30}))
        self.assertTrue(all(message["params"]["progressToken"] == "t" for message in shown[:-1]))

    def test_from_the_beginning_and_after_the_end(self):
        client = Handshake({})
        whole = list(self.begin(client, seconds=0.5))
        again = list(events(client.get(**{"Last-Event-ID": whole[0][0]})))
        self.assertEqual([data for _, data in again if data][-1], whole[-1][1])
        after = list(events(client.get(**{"Last-Event-ID": whole[-1][0]})))
        self.assertEqual([data for _, data in after if data], [])

    def test_of_two_questions_of_one_event_each_is_asked_once(self):
        client = Handshake(EVERYTHING)
        stream = events(client.open("tools/call", {"name": "multi_input", "arguments": {}}, id=7))
        asked = []
        for id, data in stream:
            if data and "method" in json.loads(data):
                asked.append((id, json.loads(data)))
                break
        restart("gateway")
        rest = events(client.get(**{"Last-Event-ID": asked[0][0]}))
        for id, data in rest:
            message = json.loads(data) if data else {}
            if "method" in message:
                asked.append((id, message))
                self.assertEqual(len(asked), 2)
                for _, question in asked:
                    client.say({"id": question["id"], "result": {"action": "decline"}})
            elif message:
                self.assertEqual(message["id"], 7)
                break
        texts = [message["params"]["message"] for _, message in asked]
        self.assertEqual(len(set(texts)), 2, texts)
        # From before both, none is asked again that was answered.
        again = [json.loads(data) for _, data in events(client.get(**{"Last-Event-ID": asked[0][0]})) if data]
        self.assertEqual([message.get("id") for message in again], [7])

    def test_ids_are_for_their_session_and_user(self):
        client = Handshake({})
        id = list(self.begin(client, seconds=0.3))[-1][0]
        bent = ("A" if id[20] != "A" else "B").join((id[:20], id[21:]))
        for other, given in ((Handshake({}), id), (Handshake({}, user="bea"), id), (client, bent), (client, id + "x"), (client, "0"),
                             (client, id.rpartition(":")[0])):
            with other.get(**{"Last-Event-ID": given}) as answer:
                self.assertEqual((answer.status, json.loads(answer.read())["error"]["code"]), (400, -32602), given)

    def test_a_client_that_goes_away_cancels_nothing(self):
        client = Handshake({})
        stream = client.open("tools/call", {"name": "slow_compute", "arguments": {"seconds": 1.5}})
        call = call_running("slow_compute")
        stream.close()
        self.assertEqual(outcome(call), "succeeded")


class Cancelled(unittest.TestCase):
    def test_by_the_id_of_the_request(self):
        client = Handshake({})
        stream = messages(client.open("tools/call", {"name": "silent", "arguments": {"seconds": 30}}, id="mine"))
        call = call_running("silent")
        cancel = {"method": "notifications/cancelled", "params": {"requestId": "mine", "reason": "enough"}}
        other = Handshake({})
        self.assertEqual(other.say(cancel), (202, ""))  # another session's request of that id
        self.assertEqual(client.say({**cancel, "params": {"requestId": "theirs"}}), (202, ""))
        self.assertEqual(ask(f"/v1/calls/{call}")["state"], "running")
        self.assertEqual(client.say(cancel), (202, ""))
        self.assertEqual(outcome(call), "cancelled")
        self.assertEqual(list(stream)[-1]["result"]["_meta"]["toolway/outcome"], "cancelled")
        self.assertEqual(client.say(cancel), (202, ""))  # once more

    def test_an_id_that_is_used_again_is_that_of_its_newest_request(self):
        client = Handshake({})
        streams, calls = [], []
        for _ in range(2):
            streams.append(messages(client.open("tools/call", {"name": "silent", "arguments": {"seconds": 8}}, id="again")))
            calls.append(wait_for(lambda: next((call for call in [call_running("silent")] if call not in calls), None)))
        self.assertEqual(client.say({"method": "notifications/cancelled", "params": {"requestId": "again"}}), (202, ""))
        self.assertEqual([list(stream)[-1]["id"] for stream in streams], ["again", "again"])
        self.assertEqual([outcome(call) for call in calls], ["succeeded", "cancelled"])

    def test_after_its_gateway_was_killed(self):
        client = Handshake({})
        client.open("tools/call", {"name": "silent", "arguments": {"seconds": 40}}, id=5)
        call = call_running("silent")
        restart("gateway")
        self.assertEqual(client.say({"method": "notifications/cancelled", "params": {"requestId": 5}}), (202, ""))
        self.assertEqual(outcome(call), "cancelled")

    def test_by_closing_the_stream_where_that_means_it(self):
        stream = open_modern("tools/call", {"name": "silent", "arguments": {"seconds": 30}})
        call = call_running("silent")
        stream.close()
        self.assertEqual(outcome(call), "cancelled")

    def test_a_call_that_asked_continues(self):
        asked = list(messages(open_modern("tools/call", {"name": "multi_input", "arguments": {}})))[-1]["result"]
        self.assertEqual(asked["resultType"], "input_required")
        time.sleep(0.5)
        self.assertEqual(ask(f"/v1/calls/{call_running('multi_input')}")["state"], "running")


class Unread(unittest.TestCase):
    def test_a_thousand_streams_whose_clients_read_nothing(self):
        client = Handshake({}, user="mute")
        with client.open("tools/call", {"name": "slow_compute", "arguments": {"seconds": 20}, "task": {}}) as answer:
            task = said(answer)["task"]["taskId"]
        asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tasks/result", "params": {"taskId": task}})
        host, port = dev.ready["http"].removeprefix("http://").split(":")
        lines = [f"Host: {host}:{port}", "Accept: application/json, text/event-stream", "X-Toolway-User: mute",
                 *(f"{name}: {value}" for name, value in client.headers.items())]
        requests = ["\r\n".join(["GET /mcp HTTP/1.1", *lines, "", ""]),
                    "\r\n".join(["POST /mcp HTTP/1.1", "Content-Type: application/json", f"Content-Length: {len(asked)}", *lines, "", asked])]
        files = lambda: len(os.listdir(f"/proc/{dev.pid_of('gateway')}/fd"))  # noqa: E731
        before = files()
        with contextlib.ExitStack() as open_ones:
            for number in range(1000):
                one = open_ones.enter_context(socket.socket())
                one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                one.connect((host, int(port)))
                one.sendall(requests[number % 2].encode())
            wait_for(lambda: files() >= before + 1000)
            for _ in range(20):
                begun = time.monotonic()
                result = said(open_modern("tools/call", {"name": "greet", "arguments": {"name": "x"}}))
                self.assertEqual(result["resultType"], "complete")
                self.assertLess(time.monotonic() - begun, 5, "others are answered")
        wait_for(lambda: files() < before + 50, 60)
        client.open("tasks/cancel", {"taskId": task}).close()


class Ended(unittest.TestCase):
    def test_a_session_that_was_deleted_is_unknown_to_every_gateway(self):
        client, other = Handshake({}), Handshake({})
        stream = client.open("tools/call", {"name": "slow_compute", "arguments": {"seconds": 2}})
        call = call_running("slow_compute")
        changes = client.get()
        self.assertEqual(client.end(), 204)
        for attempt in (client.end, lambda: client.open("ping").status, lambda: client.get().status,
                        lambda: client.say({"method": "notifications/cancelled", "params": {"requestId": 1}})[0]):
            self.assertEqual(attempt(), 404)
        self.assertEqual(list(messages(changes)), [], "its stream ends")
        restart("gateway")
        self.assertEqual(client.open("ping").status, 404)
        self.assertEqual(other.open("ping").status, 200)
        self.assertEqual(outcome(call), "succeeded", "what it has begun continues")
        stream.close()

    def test_what_names_no_session(self):
        for method, headers, status in (("GET", {}, 400), ("DELETE", {}, 400), ("GET", {"MCP-Session-Id": "x"}, 404), ("DELETE", {"MCP-Session-Id": "x"}, 404),
                                        ("GET", {"MCP-Protocol-Version": "2026-07-28"}, 405), ("DELETE", {"MCP-Protocol-Version": "2026-07-28"}, 405)):
            with mcp_clients.open_request("/mcp", None, method, **headers) as answer:
                self.assertEqual(answer.status, status, (method, headers))
        client = Handshake({})
        with mcp_clients.open_request("/mcp", None, "GET", Accept="application/json", **client.headers) as answer:
            self.assertEqual(answer.status, 406)
        self.assertEqual(Handshake({}, user="bea").open("ping", **{}).status, 200)
        with mcp_clients.open_request("/mcp", None, "DELETE", "bea", **client.headers) as answer:
            self.assertEqual(answer.status, 404)
        self.assertEqual(client.open("ping").status, 200)


class Logs(unittest.TestCase):
    def levels(self, client):
        answer = client.open("tools/call", {"name": "test_logging_tool", "arguments": {}})
        # Logs that come in quick succession are one, of the most severe level.
        return {message["params"]["level"] for message in messages(answer) if message.get("method") == "notifications/message"}

    def test_from_the_level_that_the_session_has_set(self):
        client = Handshake({})
        self.assertIn("error", self.levels(client))
        self.assertEqual(client.open("logging/setLevel", {"level": "critical"}).status, 200)
        self.assertEqual(self.levels(client), set())
        self.assertEqual(client.open("logging/setLevel", {"level": "error"}).status, 200)
        self.assertEqual(self.levels(client), {"error"})
        self.assertIn("error", self.levels(Handshake({})))
        for level in ("loud", 5, None):
            self.assertEqual(json.loads(client.open("logging/setLevel", {"level": level}).read())["error"]["code"], -32602)


class Changes(unittest.TestCase):
    def test_a_get_is_told(self):
        stream = messages(Handshake({}).get())
        switch("disable", "default.greet")
        self.assertEqual(next(stream)["method"], CHANGED)
        switch("enable", "default.greet")
        self.assertEqual(next(stream)["method"], CHANGED)

    def test_a_subscription_is_acknowledged_told_and_ended(self):
        stream = messages(open_modern("subscriptions/listen", {"notifications": {"toolsListChanged": True, "promptsListChanged": False}}, id="sub"))
        first = next(stream)
        self.assertEqual(first["method"], "notifications/subscriptions/acknowledged")
        self.assertEqual(first["params"], {"_meta": {"io.modelcontextprotocol/subscriptionId": "sub"}, "notifications": {"toolsListChanged": True}})
        began = time.monotonic()
        switch("disable", "default.greet")
        told = next(stream)
        self.assertEqual((told["method"], told["params"]["_meta"]), (CHANGED, {"io.modelcontextprotocol/subscriptionId": "sub"}))
        switch("enable", "default.greet")
        next(stream)
        self.assertLess(time.monotonic() - began, 30)
        restart("gateway", signal.SIGTERM)
        self.assertEqual(next(stream)["result"], {"resultType": "complete", "_meta": {"io.modelcontextprotocol/subscriptionId": "sub"}})

    def test_a_filter_that_is_none(self):
        for notifications in (None, 5, [], {"toolsListChanged": "yes"}, {"resourceSubscriptions": "x"}):
            with open_modern("subscriptions/listen", {"notifications": notifications}) as answer:
                self.assertEqual((answer.status, json.loads(answer.read())["error"]["code"]), (400, -32602), notifications)
        with open_modern("subscriptions/listen", {"notifications": {}}, Accept="application/json") as answer:
            self.assertEqual(answer.status, 400)
        self.assertEqual(json.loads(Handshake({}).open("subscriptions/listen", {"notifications": {}}).read())["error"]["code"], -32601)


class Mirrored(unittest.TestCase):
    def status(self, arguments, **headers):
        with open_modern("tools/call", {"name": "run_query", "arguments": arguments}, **headers) as answer:
            said = list(messages(answer))[-1]
            return answer.status, said.get("error", {}).get("code")

    def test_headers_and_arguments_agree(self):
        cases = [({"region": "eu"}, {"Mcp-Param-Region": "eu"}), ({"region": "eü"}, {"Mcp-Param-Region": "=?base64?ZcO8?="}),
                 ({"region": "=?base64?x"}, {"Mcp-Param-Region": "=?base64?x"}),
                 ({"region": "eu", "limit": 42}, {"Mcp-Param-Region": "eu", "Mcp-Param-Limit": "42.0"})]
        for arguments, headers in cases:
            self.assertEqual(self.status(arguments, **headers), (200, None), headers)
        cases = [({"region": "eu"}, {}), ({"region": "eu"}, {"Mcp-Param-Region": "us"}), ({"region": "eu"}, {"Mcp-Param-Region": "EU"}),
                 ({"region": "eu", "limit": 42}, {"Mcp-Param-Region": "eu"}), ({"region": "eu", "limit": 42}, {"Mcp-Param-Region": "eu", "Mcp-Param-Limit": "43"}),
                 ({"region": "eu", "limit": 42}, {"Mcp-Param-Region": "eu", "Mcp-Param-Limit": "42x"}),
                 ({"region": "eu"}, {"Mcp-Param-Region": "eu", "Mcp-Param-Limit": "1"}), ({"region": "eu"}, {"Mcp-Param-Region": "=?base64?ZXU?="}),
                 ({"region": "eu"}, {"Mcp-Param-Region": "=?base64?Z!?="})]
        for arguments, headers in cases:
            self.assertEqual(self.status(arguments, **headers), (400, -32020), headers)

    def test_older_revisions_have_no_such_headers(self):
        message = list(Handshake({}).call("run_query", {"region": "eu"}))[-1]
        self.assertFalse(message["result"]["isError"])


class Silent(unittest.TestCase):
    def test_a_client_that_wants_progress_gets_some_while_the_tool_is_silent(self):
        params = {"name": "silent", "arguments": {"seconds": 11.5}}
        said = list(messages(open_modern("tools/call", params, meta={"progressToken": 9})))
        self.assertEqual([message.get("method") for message in said], ["notifications/progress", None])
        self.assertEqual((said[0]["params"]["progressToken"], text_of(said[-1])), (9, "Done."))


if __name__ == "__main__":
    unittest.main()

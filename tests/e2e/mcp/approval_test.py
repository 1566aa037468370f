"""Held calls whose rule lets the requester decide: their own client is asked, in every revision. Over a `toolway dev` with such a policy."""

import json
import pathlib
import sys
import tempfile
import unittest

import mcp_clients
from mcp_clients import EVERYTHING, Handshake, ask, events, events_of, messages, open_modern, said, text_of, wait_for

PROGRAM = sys.argv.pop(1)
KEY = "toolway.approve"
TASKS = {**EVERYTHING, "extensions": {"io.modelcontextprotocol/tasks": {}}}
POLICY = """
rules:
  - name: own_word
    tools: "default.test_simple_text"
    approval: {mode: always, requester_may_decide: true}
  - name: two_words
    tools: "default.test_image_content"
    approval: {mode: always, requester_may_decide: true, quorum: 2}
  - name: others_word
    tools: "default.greet"
    approval: {mode: always}
"""


def says(approve, **more):
    return {"action": "accept", "content": {"approve": approve, **more}}


def setUpModule():
    global dev
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    policy = pathlib.Path(folder.name) / "extensions.yaml"
    policy.write_text(POLICY)
    dev = mcp_clients.start(PROGRAM, "--extensions", policy)


def newest(tool):
    return next(call["call_id"] for call in ask(f"/v1/calls?session=mcp&tool={tool}&limit=1")["calls"])


def kinds(call):
    return [event["type"] for event in events_of(call)]


class OfHandshakes(unittest.TestCase):
    def test_yes_runs_it(self):
        client = Handshake(EVERYTHING)
        stream = client.call("test_simple_text")
        question = next(stream)
        self.assertEqual(question["method"], "elicitation/create")
        self.assertIn("default.test_simple_text", question["params"]["message"])
        self.assertEqual(client.say({"id": question["id"], "result": says(True, reason="mine")}), (202, ""))
        rest = list(stream)
        self.assertEqual(len(rest), 1)
        self.assertNotIn("isError", [key for key, value in rest[0]["result"].items() if value is True])
        events = events_of(rest[0]["result"]["_meta"]["toolway/call_id"])
        decided = next(event for event in events if event["type"] == "approval_decided")
        self.assertEqual((decided["decision"], decided["by"], decided["reason"]), ("approve", "ann", "mine"))
        self.assertEqual(client.say({"id": question["id"], "result": says(False)}), (202, ""), "too late")

    def test_no_ends_it(self):
        client = Handshake(EVERYTHING)
        for answer in ({"result": {"action": "decline"}}, {"result": says(False, reason="not today")}):
            stream = client.call("test_simple_text")
            self.assertEqual(client.say({"id": next(stream)["id"], **answer})[0], 202)
            result = next(stream)["result"]
            self.assertEqual((result["isError"], result["_meta"]["toolway/code"]), (True, "approval_denied"))

    def test_neither_leaves_it_to_others_and_so_does_what_cannot_be_an_answer(self):
        client = Handshake(EVERYTHING)
        stream = client.call("test_simple_text")
        question = next(stream)["id"]
        for answer, status in (({"result": {"action": "cancel"}}, 202), ({"error": {"code": -1, "message": "away"}}, 202),
                               ({"result": says("yes")}, 400), ({"result": {"action": "accept"}}, 400)):
            self.assertEqual(client.say({"id": question, **answer})[0], status)
        other = Handshake(EVERYTHING, user="bea")
        self.assertEqual(other.say({"id": question, "result": says(True)})[0], 202, "the id is ann's")
        call = newest("test_simple_text")
        self.assertEqual(kinds(call), ["approval_requested"])
        ask(f"/v1/calls/{call}/approve", {}, user="bea")
        self.assertEqual(len(list(stream)), 1)

    def test_who_declares_no_forms_or_may_not_decide_is_not_asked(self):
        for capabilities, tool, arguments in (({}, "test_simple_text", {}), (EVERYTHING, "greet", {"name": "x"})):
            stream = Handshake(capabilities).call(tool, arguments)
            call = wait_for(lambda: newest(tool))
            wait_for(lambda: kinds(call) == ["approval_requested"])
            ask(f"/v1/calls/{call}/approve", {}, user="bea")
            self.assertEqual([message.get("method") for message in stream if "result" not in message], [])

    def test_where_two_must_approve_the_caller_is_asked_once(self):
        client = Handshake(EVERYTHING)
        stream = client.call("test_image_content")
        self.assertEqual(client.say({"id": next(stream)["id"], "result": says(True)})[0], 202)
        call = newest("test_image_content")
        wait_for(lambda: "approval_decided" in kinds(call))
        self.assertNotIn("started", kinds(call))
        ask(f"/v1/calls/{call}/approve", {}, user="bea")
        self.assertEqual(len(list(stream)), 1)

    def test_a_resumed_stream_says_that_its_call_waits(self):
        client = Handshake(EVERYTHING)
        stream = events(client.open("tools/call", {"name": "test_simple_text", "arguments": {}, "_meta": {"progressToken": "t"}}))
        id = next(id for id, data in stream if "elicitation/create" in data)
        rest = (json.loads(data) for _, data in events(client.get(**{"Last-Event-ID": id})) if data)
        self.assertEqual(next(rest)["params"]["message"], "it waits for approval", "after 10 s")
        ask(f"/v1/calls/{newest('test_simple_text')}/approve", {}, user="bea")
        self.assertIn("result", list(rest)[-1])

    def test_a_task_of_2025(self):
        client = Handshake(EVERYTHING)
        with client.open("tools/call", {"name": "test_simple_text", "arguments": {}, "task": {}}) as answer:
            task = said(answer)["task"]["taskId"]
        with client.open("tasks/get", {"taskId": task}) as answer:
            self.assertEqual(wait_for(lambda: said(answer))["status"], "input_required")
        stream = messages(client.open("tasks/result", {"taskId": task}))
        question = next(message for message in stream if "id" in message)
        self.assertEqual(client.say({"id": question["id"], "result": says(True)})[0], 202)
        self.assertEqual(["result" in message for message in stream][-1], True)


class Of2026(unittest.TestCase):
    def post(self, status=200, capabilities=EVERYTHING, tool="test_simple_text", **params):
        answer = open_modern("tools/call", {"name": tool, "arguments": {}, **params}, capabilities)
        self.assertEqual(answer.status, status)
        return list(messages(answer))[-1]["result"]

    def test_a_retry_decides(self):
        asked = self.post()
        self.assertEqual((asked["resultType"], list(asked["inputRequests"])), ("input_required", [KEY]))
        for responses in ({}, {KEY: {"action": "cancel"}}, {KEY: says(1)}):
            again = self.post(requestState=asked["requestState"], inputResponses=responses)
            self.assertEqual((again["resultType"], list(again["inputRequests"])), ("input_required", [KEY]))
        done = self.post(requestState=asked["requestState"], inputResponses={KEY: says(True)})
        self.assertEqual(done["resultType"], "complete")
        self.assertEqual(kinds(done["_meta"]["toolway/call_id"])[:2], ["approval_requested", "approval_decided"])
        # As after a lost answer.
        self.assertEqual(self.post(requestState=asked["requestState"], inputResponses={KEY: says(True)})["_meta"], done["_meta"])
        denied = self.post(requestState=self.post()["requestState"], inputResponses={KEY: {"action": "decline"}})
        self.assertEqual(denied["_meta"]["toolway/code"], "approval_denied")

    def test_a_task_waits_for_the_word_of_its_client(self):
        def modern(method, task, **params):
            with open_modern(method, {"taskId": task, **params}, TASKS, **{"Mcp-Name": task}) as answer:
                return said(answer)

        for answer, status in ((says(True), "completed"), ({"action": "decline"}, "completed")):
            task = self.post(capabilities=TASKS)["taskId"]
            asked = wait_for(lambda: (lambda got: got if got["status"] == "input_required" else None)(modern("tasks/get", task)))
            self.assertEqual(list(asked["inputRequests"]), [KEY])
            self.assertEqual(modern("tasks/update", task, inputResponses={KEY: says(2)})["code"], -32602)
            self.assertEqual(modern("tasks/update", task, inputResponses={KEY: answer}), {"resultType": "complete"})
            ended = wait_for(lambda: (lambda got: got if got["status"] == status else None)(modern("tasks/get", task)))
            self.assertEqual(ended["result"].get("isError", False), answer["action"] == "decline")


if __name__ == "__main__":
    unittest.main(verbosity=2)

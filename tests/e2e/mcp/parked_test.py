"""Calls whose tools wait longer than a call may keep its slot (--park-after): `toolway dev` whose pool for Python has two of them."""

import json
import os
import signal
import sys
import unittest

import mcp_clients
from mcp_clients import EVERYTHING, Handshake, ask, events_of, is_up, messages, newest_call, open_modern, open_request, text_of, wait_for

PROGRAM = sys.argv.pop(1)
YES = {"action": "accept", "content": {"confirm": True}}
NO = {"action": "decline"}


def setUpModule():
    global dev
    dev = mcp_clients.start(PROGRAM, "--park-after", "1", "--pool", "python=2,native")


def begin(filename, session="rest"):
    with open_request(f"/v1/sessions/{session}", None, "GET") as answer:
        if answer.status != 200:
            ask("/v1/sessions", {"session_id": session, "namespaces": ["default"]}, 201)
    return ask(f"/v1/sessions/{session}/calls", {"tool": "confirm_delete", "arguments": {"filename": filename}}, 202)["call_id"]


def reasons(call):
    return [reason["code"] for reason in ask(f"/v1/calls/{call}/explain")["reasons"]]


def is_parked(call):
    return any(event.get("parked") for event in events_of(call))


def answer(call, how):
    return ask(f"/v1/calls/{call}/input", {"answers": {"confirm": how}})


def ended(call):
    return wait_for(lambda: (lambda shown: shown if shown["state"] == "completed" else None)(ask(f"/v1/calls/{call}")), 60)


class Parked(unittest.TestCase):
    def kinds(self, call):
        return [event["type"] for event in events_of(call)]

    def test_many_calls_wait_for_answers_and_two_slots_serve_them_all(self):
        calls = [begin(f"{number}.txt") for number in range(24)]
        wait_for(lambda: all(is_parked(call) for call in calls), 120)
        self.assertEqual(reasons(calls[0])[:2], ["parked", "asks"])
        # Both slots are free for others.
        ask("/v1/sessions/rest/calls", {"tool": "test_simple_text", "arguments": {}}, 200, Prefer="wait=20")
        for number, call in enumerate(calls):
            answer(call, YES if number % 2 else NO)
        for number, call in enumerate(calls):
            self.assertEqual(ended(call)["result"], f"{'Deleted' if number % 2 else 'Kept'} {number}.txt.")
            kinds = self.kinds(call)
            self.assertEqual([kinds.count(kind) for kind in ("input_provided", "completed")], [1, 1])
            asked = [question["key"] for event in events_of(call) if event["type"] == "input_requested" for question in event["questions"]]
            self.assertEqual(asked, ["confirm"])
        _, page = dev.scrape("worker")
        parked = next(line for line in page.splitlines() if line.startswith("toolway_worker_parked_total"))
        self.assertGreaterEqual(float(parked.split()[-1]), 24)

    def test_an_older_client_is_asked_once_and_its_stream_ends_with_the_result(self):
        client = Handshake(EVERYTHING)
        stream = client.call("confirm_delete", {"filename": "a.txt"})
        question = next(stream)
        call = newest_call("session=mcp&tool=confirm_delete")
        wait_for(lambda: is_parked(call))
        self.assertEqual(client.say({"id": question["id"], "result": YES}), (202, ""))
        rest = list(stream)
        self.assertEqual([text_of(message) for message in rest], ["Deleted a.txt."])

    def test_a_retry_continues_a_parked_call(self):
        asked = list(messages(open_modern("tools/call", {"name": "confirm_delete", "arguments": {"filename": "b.txt"}})))[-1]["result"]
        call = next(call["call_id"] for call in ask("/v1/calls?session=mcp&tool=confirm_delete&limit=1")["calls"])
        wait_for(lambda: is_parked(call))
        params = {"name": "confirm_delete", "arguments": {"filename": "b.txt"}, "requestState": asked["requestState"]}
        again = list(messages(open_modern("tools/call", params)))[-1]["result"]
        self.assertEqual((again["resultType"], list(again["inputRequests"])), ("input_required", ["confirm"]))
        done = list(messages(open_modern("tools/call", {**params, "inputResponses": {"confirm": YES}})))[-1]
        self.assertEqual((text_of(done), done["result"]["_meta"]["toolway/call_id"]), ("Deleted b.txt.", call))

    def test_one_question_after_the_other_is_asked_by_the_attempts_that_follow(self):
        tool = "test_input_required_result_multi_round"
        ask("/v1/sessions", {"session_id": "rounds", "namespaces": ["default"]}, 201)
        call = ask("/v1/sessions/rounds/calls", {"tool": tool, "arguments": {}}, 202)["call_id"]
        for parks, (key, content) in enumerate({"step1": {"name": "Ann"}, "step2": {"color": "red"}}.items(), 1):
            wait_for(lambda: sum(event.get("parked", False) for event in events_of(call)) == parks)
            given = {"answers": {key: {"action": "accept", "content": content}}}
            ask(f"/v1/calls/{call}/input", given)
        self.assertEqual(ended(call)["result"], "Ann likes red.")
        self.assertEqual([attempt["ended"] for attempt in ask(f"/v1/calls/{call}/explain")["attempts"]], ["parked", "parked", "succeeded"])

    def test_it_outlives_every_process_and_a_repeated_answer(self):
        call = begin("c.txt")
        wait_for(lambda: is_parked(call))
        for role in ("worker", "gateway", "collector"):
            os.kill(dev.pid_of(role), signal.SIGKILL)
        wait_for(lambda: is_up(), 60)
        wait_for(lambda: "parked" in reasons(call))
        answer(call, YES)
        with open_request(f"/v1/calls/{call}/input", {"answers": {"confirm": YES}}) as again:
            # Refused only when the call was faster to end.
            self.assertIn((again.status, json.load(again).get("detail")), [(200, None), (409, "the call has ended")])
        self.assertEqual(ended(call)["result"], "Deleted c.txt.")
        self.assertEqual(self.kinds(call).count("completed"), 1)

    def test_a_cancellation_ends_it_at_once(self):
        call = begin("d.txt")
        wait_for(lambda: is_parked(call))
        ask(f"/v1/calls/{call}/cancel", {}, 202)
        self.assertEqual(ended(call)["outcome"], "cancelled")
        self.assertEqual(ask(f"/v1/calls/{call}/input", {"answers": {"confirm": YES}}, 409)["code"], "not_asked")


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""Tools that ask while they run, answered by MCP clients of both eras and over REST: `toolway dev` with the tools of the conformance pack."""

import json
import os
import signal
import sys
import unittest

import mcp_clients
from mcp_clients import EVERYTHING, Handshake, ask, events_of, is_up, messages, newest_call, open_modern, open_request, text_of, wait_for

PROGRAM = sys.argv.pop(1)
YES = {"action": "accept", "content": {"confirm": True}}


def setUpModule():
    global dev
    dev = mcp_clients.start(PROGRAM)


class OfHandshakes(unittest.TestCase):
    def test_a_question_comes_on_the_stream_and_its_answer_by_another_request(self):
        client = Handshake(EVERYTHING)
        stream = client.call("confirm_delete", {"filename": "a.txt"})
        question = next(stream)
        self.assertEqual((question["method"], question["params"]["message"]), ("elicitation/create", "Delete a.txt?"))
        self.assertEqual(client.say({"id": question["id"], "result": YES}), (202, ""))
        self.assertEqual(text_of(next(stream)), "Deleted a.txt.")
        self.assertEqual(list(stream), [])

    def test_no_is_an_answer(self):
        client = Handshake(EVERYTHING)
        for answer in ({"result": {"action": "decline"}}, {"error": {"code": -1, "message": "the user is away"}}):
            stream = client.call("confirm_delete", {"filename": "a.txt"})
            self.assertEqual(client.say({"id": next(stream)["id"], **answer})[0], 202)
            self.assertEqual(text_of(next(stream)), "Kept a.txt.")

    def test_the_model_and_the_folders_of_the_client(self):
        client = Handshake(EVERYTHING)
        stream = client.call("test_input_required_result_multiple_inputs")
        answers = {"elicitation/create": {"action": "accept", "content": {"name": "Ann"}},
                   "sampling/createMessage": {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Hi"}},
                   "roots/list": {"roots": [{"uri": "file:///x"}]}}
        for _ in range(3):
            question = next(stream)
            self.assertEqual(client.say({"id": question["id"], "result": answers[question["method"]]})[0], 202)
        told = json.loads(text_of(next(stream)))
        self.assertEqual(told, {"user_name": answers["elicitation/create"], "greeting": answers["sampling/createMessage"],
                                "client_roots": answers["roots/list"]})

    def test_an_answer_that_is_none_is_refused_and_the_tool_does_not_wait_for_a_better_one(self):
        client = Handshake(EVERYTHING)
        for wrong in ({"action": "yes"}, {"action": "accept"}, {"action": "accept", "content": {"confirm": "true"}}):
            stream = client.call("confirm_delete", {"filename": "a.txt"})
            status, text = client.say({"id": next(stream)["id"], "result": wrong})
            self.assertEqual((status, json.loads(text)["error"]["code"]), (400, -32602))
            self.assertEqual(text_of(next(stream)), "Kept a.txt.")

    def test_others_cannot_answer(self):
        client = Handshake(EVERYTHING)
        stream = client.call("confirm_delete", {"filename": "a.txt"})
        question = next(stream)["id"]
        other = Handshake(EVERYTHING, user="bea")
        bent = question[:-1] + ("A" if question[-1] != "A" else "B")
        for client_of, id in ((other, question), (client, bent), (client, "x"), (client, 7)):
            self.assertEqual(client_of.say({"id": id, "result": YES})[0], 202)
        self.assertEqual(client.say({"id": question, "result": {"action": "decline"}})[0], 202)
        self.assertEqual(client.say({"id": question, "result": YES})[0], 202)  # too late
        self.assertEqual(text_of(next(stream)), "Kept a.txt.")

    def test_only_what_was_declared_is_asked(self):
        for capabilities, tool in (({}, "confirm_delete"), ({"elicitation": {}}, "test_missing_capability"), ({"sampling": {}}, "confirm_delete")):
            result = list(Handshake(capabilities).call(tool, {"filename": "a"} if tool == "confirm_delete" else {}))[-1]["result"]
            self.assertEqual((result["isError"], result["_meta"]["toolway/code"]), (True, "cannot_ask"))


class OfRequests(unittest.TestCase):
    """A client of 2026-07-28, whose every request says it all."""

    def post(self, tool, arguments=None, capabilities=None, status=200, user="ann", **params):
        answer = open_modern("tools/call", {"name": tool, "arguments": arguments or {}, **params}, capabilities, user=user)
        self.assertEqual(answer.status, status)
        return list(messages(answer))[-1]

    def begin(self, tool, arguments=None):
        result = self.post(tool, arguments)["result"]
        self.assertEqual(result["resultType"], "input_required")
        return result

    def test_a_retry_with_the_answer_continues_the_same_call(self):
        asked = self.begin("confirm_delete", {"filename": "a.txt"})
        self.assertEqual(asked["inputRequests"]["confirm"]["params"]["message"], "Delete a.txt?")
        retry = {"inputResponses": {"confirm": YES}, "requestState": asked["requestState"]}
        first = self.post("confirm_delete", {"filename": "a.txt"}, **retry)
        self.assertEqual(text_of(first), "Deleted a.txt.")
        again = self.post("confirm_delete", {"filename": "a.txt"}, **retry)  # as after a lost answer
        self.assertEqual(again["result"]["_meta"], first["result"]["_meta"])
        kinds = [event["type"] for event in wait_for(lambda: events_of(first["result"]["_meta"]["toolway/call_id"]))]
        self.assertEqual([kinds.count(kind) for kind in ("started", "input_requested", "input_provided", "completed")], [1, 1, 1, 1])

    def test_what_is_missing_or_does_not_fit_is_asked_again(self):
        asked = self.begin("multi_input")
        state = asked["requestState"]
        for responses in ({}, {"other": YES}, {"name": {"action": "accept", "content": {}}}):
            asked = self.post("multi_input", inputResponses=responses, requestState=state)["result"]
            self.assertEqual(sorted(asked["inputRequests"]), ["name", "ok"])
        asked = self.post("multi_input", inputResponses={"ok": {"action": "accept", "content": {"confirm": True}}}, requestState=state)["result"]
        self.assertEqual(list(asked["inputRequests"]), ["name"])
        done = self.post("multi_input", inputResponses={"name": {"action": "decline"}}, requestState=asked["requestState"])
        self.assertEqual(json.loads(text_of(done)), {"name": {"action": "decline"}, "ok": {"action": "accept", "content": {"confirm": True}}})

    def test_one_question_after_the_other(self):
        tool = "test_input_required_result_multi_round"
        first = self.begin(tool)
        second = self.post(tool, inputResponses={"step1": {"action": "accept", "content": {"name": "Ann"}}}, requestState=first["requestState"])["result"]
        self.assertEqual(list(second["inputRequests"]), ["step2"])
        done = self.post(tool, inputResponses={"step2": {"action": "accept", "content": {"color": "red"}}}, requestState=second["requestState"])
        self.assertEqual(text_of(done), "Ann likes red.")

    def test_an_answer_before_the_question_is_used(self):
        answers = {"user_name": {"action": "accept", "content": {"name": "Ann"}}, "extra": YES}
        self.assertEqual(text_of(self.post("test_input_required_result_elicitation", inputResponses=answers)), "Hello, Ann!")

    def test_a_state_is_for_its_user_tool_and_arguments(self):
        asked = self.begin("confirm_delete", {"filename": "a.txt"})
        state, answers = asked["requestState"], {"confirm": YES}
        wrong = [("confirm_delete", {"filename": "b.txt"}, {"requestState": state}),
                 ("multi_input", {}, {"requestState": state}),
                 ("confirm_delete", {"filename": "a.txt"}, {"requestState": state + "x"}),
                 ("confirm_delete", {"filename": "a.txt"}, {"requestState": 5}),
                 ("confirm_delete", {"filename": "a.txt"}, {"requestState": state, "user": "bea"})]
        for tool, arguments, params in wrong:
            self.assertEqual(self.post(tool, arguments, status=400, inputResponses=answers, **params)["error"]["code"], -32602)
        for responses in (None, 5, [], {"confirm": 5}, {"confirm": None}):
            refused = self.post("confirm_delete", {"filename": "a.txt"}, status=400, inputResponses=responses, requestState=state)
            self.assertEqual(refused["error"]["code"], -32602)
        # The call waits as if nothing had happened.
        self.assertEqual(text_of(self.post("confirm_delete", {"filename": "a.txt"}, inputResponses=answers, requestState=state)), "Deleted a.txt.")

    def test_a_capability_that_is_missing_is_named(self):
        error = self.post("test_missing_capability", capabilities={"elicitation": {}}, status=400)["error"]
        self.assertEqual((error["code"], error["data"]), (-32021, {"requiredCapabilities": {"sampling": {}}}))
        asked = self.post("test_input_required_result_capabilities", capabilities={"sampling": {}})["result"]
        self.assertEqual(list(asked["inputRequests"]), ["greeting"])

    def test_neither_a_worker_nor_a_gateway_that_is_killed_asks_twice(self):
        tool = "test_input_required_result_multi_round"
        first = self.begin(tool)
        call = newest_call(f"tool={tool}&state=running")
        os.kill(dev.pid_of("worker"), signal.SIGKILL)
        os.kill(dev.pid_of("gateway"), signal.SIGKILL)
        wait_for(lambda: is_up() and len([event for event in events_of(call) if event["type"] == "started"]) == 2, 60)
        second = self.post(tool, inputResponses={"step1": {"action": "accept", "content": {"name": "Ann"}}}, requestState=first["requestState"])["result"]
        self.assertEqual(list(second["inputRequests"]), ["step2"])
        os.kill(dev.pid_of("worker"), signal.SIGKILL)
        wait_for(lambda: len([event for event in events_of(call) if event["type"] == "started"]) == 3, 60)
        done = self.post(tool, inputResponses={"step2": {"action": "accept", "content": {"color": "red"}}}, requestState=second["requestState"])
        self.assertEqual(text_of(done), "Ann likes red.")
        asked = [event["questions"][0]["key"] for event in events_of(call) if event["type"] == "input_requested"]
        self.assertEqual(asked, ["step1", "step2"])


class OverRest(unittest.TestCase):
    def begin(self):
        if not self.opened():
            ask("/v1/sessions", {"session_id": "rest", "namespaces": ["default"]}, 201)
        call = ask("/v1/sessions/rest/calls", {"tool": "confirm_delete", "arguments": {"filename": "a.txt"}}, 202)["call_id"]
        wait_for(lambda: any(event["type"] == "input_requested" for event in events_of(call)))
        return call

    def opened(self):
        with open_request("/v1/sessions/rest", None, "GET") as answer:
            return answer.status == 200

    def test_a_question_is_an_event_and_its_answer_a_request(self):
        call = self.begin()
        question = next(event for event in events_of(call) if event["type"] == "input_requested")["questions"][0]
        self.assertEqual((question["key"], question["method"]), ("confirm", "elicitation/create"))
        self.assertIn("asks", [reason["code"] for reason in ask(f"/v1/calls/{call}/explain")["reasons"]])
        self.assertEqual(ask(f"/v1/calls/{call}/input", {"answers": {"confirm": YES}}), {"call_id": call, "waiting": []})
        done = wait_for(lambda: (lambda shown: shown if shown["state"] == "completed" else None)(ask(f"/v1/calls/{call}")))
        self.assertEqual(done["result"], "Deleted a.txt.")
        self.assertNotIn("confirm\": true", json.dumps(events_of(call)).lower(), "no reader is shown an answer")

    def test_what_is_wrong_is_refused_and_changes_nothing(self):
        call = self.begin()
        path = f"/v1/calls/{call}/input"
        for status, code, body in ((422, "invalid_request", {}), (422, "invalid_request", {"answers": {}}), (422, "invalid_request", {"answers": []}),
                                   (422, "invalid_request", {"answers": {"confirm": YES}, "more": 1}),
                                   (422, "invalid_request", {"answers": {"confirm": "yes"}}),
                                   (422, "invalid_request", {"answers": {"confirm": {"action": "accept", "content": {"confirm": 1}}}}),
                                   (409, "not_asked", {"answers": {"other": YES}}), (409, "not_asked", {"answers": {"confirm": YES, "other": YES}})):
            self.assertEqual(ask(path, body, status)["code"], code, body)
        self.assertEqual(ask(path, {"answers": {"confirm": YES}}, 404, user="bea")["code"], "unknown_call")
        ask(path, {"answers": {"confirm": {"action": "decline"}}})
        wait_for(lambda: ask(f"/v1/calls/{call}")["state"] == "completed")
        self.assertEqual(ask(path, {"answers": {"confirm": YES}}, 409)["code"], "not_asked")
        self.assertEqual(ask(f"/v1/calls/{call}")["result"], "Kept a.txt.")

    def test_a_cancelled_call_asks_no_more(self):
        call = self.begin()
        ask(f"/v1/calls/{call}/cancel", {}, 202)
        wait_for(lambda: ask(f"/v1/calls/{call}")["state"] == "completed")
        self.assertEqual(ask(f"/v1/calls/{call}")["outcome"], "cancelled")
        self.assertEqual(ask(f"/v1/calls/{call}/input", {"answers": {"confirm": YES}}, 409)["code"], "not_asked")


if __name__ == "__main__":
    unittest.main()

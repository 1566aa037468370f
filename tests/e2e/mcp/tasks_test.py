"""Calls as tasks: in both revisions that have them, across each other, REST, a killed gateway and a killed worker. Over a `toolway dev`
with the tools of the conformance pack."""

import json
import pathlib
import sys
import time
import unittest

import mcp_clients
from mcp_clients import EVERYTHING, Handshake, ask, messages, newest_call, open_modern, restart, said, text_of, wait_for

PROGRAM = sys.argv.pop(1)
TOOLS = pathlib.Path(__file__).resolve().parent / "tools"
TASKS = {**EVERYTHING, "extensions": {"io.modelcontextprotocol/tasks": {}}}
YES = {"action": "accept", "content": {"confirm": True}}
STATUS = "notifications/tasks/status"


def setUpModule():
    global dev
    dev = mcp_clients.start(PROGRAM, "--specs", TOOLS, "--python-path", TOOLS)


def modern(method, params=None, status=200, capabilities=TASKS, user="ann"):
    named = {"Mcp-Name": params["taskId"]} if params and isinstance(params.get("taskId"), str) and params["taskId"] else {}
    with open_modern(method, params, capabilities, user=user, **named) as answer:
        found = said(answer)
        assert answer.status == status, (answer.status, found)
        return found


def older(client, method, params=None):
    """Of 2025-11-25."""
    with client.open(method, params) as answer:
        return said(answer)


class From2026(unittest.TestCase):
    def begin(self, tool, arguments=None):
        task = modern("tools/call", {"name": tool, "arguments": arguments or {}})
        self.assertEqual((task["resultType"], task["status"], task["ttlMs"]), ("task", "working", None))
        return task["taskId"]

    def get(self, task, **more):
        return modern("tasks/get", {"taskId": task}, **more)

    def until(self, task, status):
        return wait_for(lambda: (lambda got: got if got["status"] == status else None)(self.get(task)), 60)

    def test_begun_polled_and_done(self):
        task = self.begin("slow_compute", {"seconds": 1})
        done = self.until(task, "completed")
        self.assertEqual((done["resultType"], done["result"]["structuredContent"] if "structuredContent" in done["result"] else
                          json.loads(done["result"]["content"][0]["text"])), ("complete", {"steps": 10}))
        self.assertEqual(ask(f"/v1/calls/{task}")["outcome"], "succeeded")

    def test_its_progress_is_its_message(self):
        task = self.begin("slow_compute", {"seconds": 4})
        wait_for(lambda: " of 40" in self.get(task)["statusMessage"])
        self.assertEqual(modern("tasks/cancel", {"taskId": task}), {"resultType": "complete"})
        self.until(task, "cancelled")
        self.assertEqual(modern("tasks/cancel", {"taskId": task}), {"resultType": "complete"}, "once more")

    def test_it_asks_and_is_answered_in_parts(self):
        task = self.begin("multi_input")
        asked = self.until(task, "input_required")
        self.assertEqual(sorted(asked["inputRequests"]), ["name", "ok"])
        self.assertEqual(modern("tasks/update", {"taskId": task, "inputResponses": {"ok": {"action": "decline"}, "other": YES}}), {"resultType": "complete"})
        self.assertEqual(list(wait_for(lambda: self.get(task))["inputRequests"]), ["name"])
        restart("gateway")
        restart("worker")
        self.assertEqual(list(self.until(task, "input_required")["inputRequests"]), ["name"])
        modern("tasks/update", {"taskId": task, "inputResponses": {"name": {"action": "decline"}}})
        self.until(task, "completed")
        self.assertEqual(modern("tasks/update", {"taskId": task, "inputResponses": {"name": YES}}), {"resultType": "complete"}, "too late")

    def test_what_a_model_reads_is_a_result_and_only_the_protocols_errors_are_failures(self):
        done = self.until(self.begin("failing_job"), "completed")
        self.assertTrue(done["result"]["isError"])
        failed = self.until(self.begin("protocol_error_job"), "failed")
        self.assertEqual((failed["error"]["code"], failed["error"]["data"]), (-32603, {"retry": False}))
        with open_modern("tools/call", {"name": "protocol_error_job", "arguments": {}}, EVERYTHING) as answer:
            self.assertEqual(list(messages(answer))[-1]["error"]["code"], -32603)

    def test_only_clients_that_declare_it_get_tasks(self):
        result = list(messages(open_modern("tools/call", {"name": "slow_compute", "arguments": {"seconds": 0.2}}, EVERYTHING)))[-1]["result"]
        self.assertEqual(result["resultType"], "complete")
        needed = {"requiredCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}}}
        task = self.begin("slow_compute", {"seconds": 0.2})
        for method, params in (("tools/call", {"name": "failing_job", "arguments": {}}), ("tasks/get", {"taskId": task}),
                               ("tasks/cancel", {"taskId": task}), ("tasks/update", {"taskId": task, "inputResponses": {}}),
                               ("subscriptions/listen", {"notifications": {"taskIds": [task]}})):
            error = modern(method, params, 400, EVERYTHING)
            self.assertEqual((error["code"], error["data"]), (-32021, needed), method)

    def test_progress_is_shown_on_a_stream(self):
        with open_modern("tools/call", {"name": "slow_compute", "arguments": {"seconds": 0.3}}, TASKS, meta={"progressToken": 1}) as answer:
            said = list(messages(answer))
        self.assertEqual(said[0]["method"], "notifications/progress")
        self.assertEqual(said[-1]["result"]["resultType"], "complete")

    def test_a_slow_call_is_followed_until_it_is_a_task(self):
        for meta in ({}, {"progressToken": 1}):
            with open_modern("tools/call", {"name": "unhurried", "arguments": {"seconds": 3}}, TASKS, meta=meta) as answer:
                self.assertEqual(answer.headers.get_content_type(), "text/event-stream" if meta else "application/json")
                task = list(messages(answer))[-1]["result"]
            self.assertEqual(task["resultType"], "task")
            self.until(task["taskId"], "completed")  # the end of its stream cancels nothing

    def test_a_call_that_waits_for_approval_is_a_task(self):
        for meta in ({}, {"progressToken": 1}):
            with open_modern("tools/call", {"name": "guarded", "arguments": {"seconds": 0}}, TASKS, meta=meta) as answer:
                task = next(messages(answer))["result"]
            self.assertEqual((task["resultType"], task["statusMessage"]), ("task", "it waits for approval"))
            self.assertEqual(modern("tasks/cancel", {"taskId": task["taskId"]}), {"resultType": "complete"})
            self.until(task["taskId"], "cancelled")

    def test_what_could_not_be_asked_is_an_error_of_the_task_as_of_the_call(self):
        no_sampling = {"elicitation": {}, "extensions": TASKS["extensions"]}
        error = modern("tools/call", {"name": "test_missing_capability", "arguments": {}}, 400, no_sampling)
        self.assertEqual((error["code"], error["data"]), (-32021, {"requiredCapabilities": {"sampling": {}}}))
        call = newest_call("tool=test_missing_capability")
        task = self.until(call, "failed")
        self.assertEqual((task["error"]["code"], task["error"]["data"]), (error["code"], error["data"]))

    def test_polling_without_pause_is_slowed_and_works(self):
        task = self.begin("slow_compute", {"seconds": 2})
        began = time.monotonic()
        for _ in range(6):
            self.assertEqual(self.get(task)["status"], "working")
        self.assertGreaterEqual(time.monotonic() - began, 0.5, "six answers within half a second")
        self.until(task, "completed")

    def test_tasks_that_there_are_not(self):
        task = self.begin("slow_compute", {"seconds": 0.2})
        other = task[:-1] + ("0" if task[-1] != "0" else "1")
        for id in (other, "x", "", "' OR 1=1 --"):
            for method in ("tasks/get", "tasks/cancel", "tasks/update"):
                self.assertEqual(modern(method, {"taskId": id, "inputResponses": {}}, 400), {"code": -32602, "message": "there is no task with this id"})
        self.assertEqual(self.get(task, status=400, user="bea")["code"], -32602)
        for method in ("tasks/list", "tasks/result"):
            self.assertEqual(modern(method, {"taskId": task}, 404)["code"], -32601)
        for responses in (None, 5, [], {"name": 5}):
            self.assertEqual(modern("tasks/update", {"taskId": task, "inputResponses": responses}, 400)["code"], -32602)

    def test_a_subscription_tells_of_them(self):
        task = self.begin("slow_compute", {"seconds": 3})
        stream = messages(open_modern("subscriptions/listen", {"notifications": {"taskIds": [task, "nothing"]}}, TASKS, id=3))
        self.assertEqual(next(stream)["params"]["notifications"], {"taskIds": [task]})
        seen = []
        for message in stream:
            self.assertEqual((message["method"], message["params"]["_meta"]), ("notifications/tasks", {"io.modelcontextprotocol/subscriptionId": 3}))
            seen.append(message["params"]["status"])
            if seen[-1] == "completed":
                break
        self.assertEqual(seen.count("completed"), 1)
        self.assertEqual(seen[0], "working")

    def test_a_subscription_looks_for_some_tasks_once(self):
        task = self.begin("slow_compute", {"seconds": 0.2})
        guessed = [task[:-4] + f"{i:04x}" for i in range(33)]
        guessed = [id for id in guessed if id != task][:32]
        for ids, honored in (([task] * 5, [task]), (guessed[:31] + [task], [task]), (guessed + [task], [])):
            with open_modern("subscriptions/listen", {"notifications": {"taskIds": ids}}, TASKS, id=4) as answer:
                self.assertEqual(next(messages(answer))["params"]["notifications"], {"taskIds": honored})

    def test_a_user_watches_five_hundred_tasks_at_most(self):
        tasks = [modern("tools/call", {"name": "slow_compute", "arguments": {"seconds": 30}}, user="quinn")["taskId"] for _ in range(32)]
        honored = lambda answer: len(next(messages(answer))["params"]["notifications"]["taskIds"])  # noqa: E731
        watch = lambda: open_modern("subscriptions/listen", {"notifications": {"taskIds": tasks}}, TASKS, user="quinn", id=5)  # noqa: E731
        open_ones = [watch() for _ in range(17)]
        self.assertEqual([honored(one) for one in open_ones], 15 * [32] + [20, 0])
        with open_modern("subscriptions/listen", {"notifications": {"taskIds": [self.begin("slow_compute")]}}, TASKS, id=6) as other:
            self.assertEqual(honored(other), 1, "another user's")
        open_ones[0].close()

        def is_free():
            with watch() as another:
                return honored(another) == 32

        wait_for(is_free)
        for one in open_ones[1:]:
            one.close()
        for task in tasks:
            modern("tasks/cancel", {"taskId": task}, user="quinn")


class Of2025(unittest.TestCase):
    def setUp(self):
        self.client = Handshake(EVERYTHING)

    def begin(self, tool, arguments=None, task=None):
        created = older(self.client, "tools/call", {"name": tool, "arguments": arguments or {}, "task": task or {"ttl": 60000}})
        self.assertEqual((created["task"]["status"], created["task"]["ttl"]), ("working", None))
        self.assertIn(created["task"]["taskId"], created["_meta"]["io.modelcontextprotocol/model-immediate-response"])
        return created["task"]["taskId"]

    def test_its_result_waits_for_the_end(self):
        task = self.begin("slow_compute", {"seconds": 1})
        for _ in range(2):
            result = older(self.client, "tasks/result", {"taskId": task})
            self.assertEqual(json.loads(result["content"][0]["text"]), {"steps": 10})
            self.assertEqual(result["_meta"]["io.modelcontextprotocol/related-task"], {"taskId": task})
        self.assertEqual(older(self.client, "tasks/get", {"taskId": task})["status"], "completed")

    def test_it_asks_on_the_stream_of_its_result(self):
        task = self.begin("confirm_delete", {"filename": "a.txt"})
        wait_for(lambda: older(self.client, "tasks/get", {"taskId": task})["status"] == "input_required")
        stream = messages(self.client.open("tasks/result", {"taskId": task}))
        status = next(stream)
        self.assertEqual((status["method"], status["params"]["taskId"], status["params"]["status"]), (STATUS, task, "input_required"))
        question = next(stream)
        self.assertEqual(question["params"]["_meta"]["io.modelcontextprotocol/related-task"], {"taskId": task})
        self.client.say({"id": question["id"], "result": YES})
        *statuses, answer = stream
        self.assertEqual(text_of(answer), "Deleted a.txt.")
        self.assertLessEqual({status["method"] for status in statuses}, {STATUS})
        again = list(messages(self.client.open("tasks/result", {"taskId": task})))
        self.assertEqual(len(again), 1, "what was answered is not asked again")

    def open_result(self, task, id):
        """A stream of its result, and the id of its first event."""
        stream = self.client.open("tasks/result", {"taskId": task}, id=id)
        return stream, next(line[4:].strip().decode() for line in stream if line.startswith(b"id: "))

    def test_giving_up_its_result_cancels_nothing(self):
        task = self.begin("slow_compute", {"seconds": 2})
        with self.open_result(task, "result")[0]:
            self.assertEqual(self.client.say({"method": "notifications/cancelled", "params": {"requestId": "result"}})[0], 202)
        self.assertEqual(older(self.client, "tasks/result", {"taskId": task})["isError"], False)
        self.assertEqual(older(self.client, "tasks/get", {"taskId": task})["status"], "completed")

    def test_the_stream_of_its_result_resumes(self):
        task = self.begin("confirm_delete", {"filename": "a.txt"})
        stream, first = self.open_result(task, 78)
        stream.close()
        related = {"io.modelcontextprotocol/related-task": {"taskId": task}}
        rest = messages(self.client.get(**{"Last-Event-ID": first}))
        question = next(message for message in rest if message["method"] != STATUS)
        self.assertEqual((question["method"], question["params"].get("_meta")), ("elicitation/create", related))
        self.client.say({"id": question["id"], "result": YES})
        answer = next(message for message in rest if message.get("method") != STATUS)
        self.assertEqual((answer["id"], text_of(answer)), (78, "Deleted a.txt."))
        self.assertEqual(answer["result"]["_meta"] | related, answer["result"]["_meta"])

    def test_it_is_cancelled_once(self):
        task = self.begin("slow_compute", {"seconds": 30})
        self.assertEqual(older(self.client, "tasks/cancel", {"taskId": task})["status"], "cancelled")
        wait_for(lambda: ask(f"/v1/calls/{task}").get("outcome") == "cancelled")
        self.assertEqual(older(self.client, "tasks/cancel", {"taskId": task})["code"], -32602)
        self.assertEqual(older(self.client, "tasks/result", {"taskId": task})["isError"], True)

    def test_the_list_has_them_newest_first_and_others_have_another(self):
        tasks = [self.begin("greet", {"name": str(i)}) for i in range(3)]
        listed = wait_for(lambda: older(self.client, "tasks/list")["tasks"])
        # Of one millisecond any may come first.
        self.assertEqual([task["taskId"] for task in listed][:3], sorted(tasks, reverse=True))
        self.assertNotIn(tasks[0], json.dumps(older(Handshake({}, user="bea"), "tasks/list")))
        for cursor in ("x", 5, ""):
            self.assertEqual(older(self.client, "tasks/list", {"cursor": cursor})["code"], -32602)

    def test_the_list_continues_at_its_cursor(self):
        client = Handshake({}, user="carol")
        calls = {older(client, "tools/call", {"name": "greet", "arguments": {"name": "x"}, "task": {}})["task"]["taskId"] for _ in range(105)}
        seen, cursor = [], None
        while True:
            page = older(client, "tasks/list", {"cursor": cursor} if cursor else {})
            seen += [task["taskId"] for task in page["tasks"]]
            cursor = page.get("nextCursor")
            if not cursor:
                break
        self.assertEqual((len(seen), set(seen)), (105, calls))
        other = Handshake({}, user="dave")
        first = older(client, "tasks/list")["nextCursor"]
        self.assertEqual(older(other, "tasks/list", {"cursor": first})["code"], -32602)

    def test_tools_say_whether_they_take_tasks(self):
        said = {tool["name"]: tool["execution"]["taskSupport"] for tool in older(self.client, "tools/list")["tools"]}
        self.assertEqual((said["greet"], said["failing_job"]), ("optional", "required"))
        self.assertEqual(older(self.client, "tools/call", {"name": "failing_job", "arguments": {}})["code"], -32601)
        self.assertEqual(older(self.client, "tasks/get", {"taskId": self.begin("failing_job")})["status"], "working")

    def test_wishes_that_are_none(self):
        for task in (5, [], "x", None, {"ttl": -1}, {"ttl": "60"}, {"ttl": []}):
            said = older(self.client, "tools/call", {"name": "greet", "arguments": {"name": "x"}, "task": task})
            self.assertEqual(said["code"], -32602, task)
        for method in ("tasks/get", "tasks/result", "tasks/cancel"):
            self.assertEqual(older(self.client, method, {"taskId": "x"})["code"], -32602)
        self.assertEqual(older(self.client, "tasks/update", {"taskId": "x"})["code"], -32601)


class ToolsOfNamespaceTasks(unittest.TestCase):
    """The gateway answers them itself, as in tool_calls: nothing is published."""

    def ask_both(self, tool, arguments):
        """The result that both revisions get."""
        result = older(Handshake(EVERYTHING), "tools/call", {"name": f"tasks__{tool}", "arguments": arguments})
        again = modern("tools/call", {"name": f"tasks__{tool}", "arguments": arguments})
        self.assertEqual(again.pop("resultType"), "complete")
        self.assertEqual(again, {**result, **{name: value for name, value in again.items() if name.startswith("_")}})
        return result

    def test_a_model_looks_after_its_calls(self):
        client = Handshake(EVERYTHING)
        listed = {tool["name"]: tool for tool in older(client, "tools/list")["tools"]}
        self.assertLessEqual({"tasks__check_task_status", "tasks__cancel_task"}, set(listed))
        call = ask("/v1/sessions/mcp/calls", {"tool": "slow_compute", "arguments": {"seconds": 2}}, 202)["call_id"]
        newest = newest_call("session=mcp")
        ended = self.ask_both("check_task_status", {"call_id": call, "wait_s": 20})
        self.assertFalse(ended["isError"])
        told = json.loads(ended["content"][0]["text"])
        self.assertEqual((told["call_id"], told["state"], told["outcome"], told["result"]), (call, "completed", "succeeded", {"steps": 20}))
        call = ask("/v1/sessions/mcp/calls", {"tool": "slow_compute", "arguments": {"seconds": 60}}, 202)["call_id"]
        self.assertFalse(self.ask_both("cancel_task", {"call_id": call})["isError"])
        wait_for(lambda: ask(f"/v1/calls/{call}").get("outcome") == "cancelled")
        self.assertNotEqual(newest, call)
        self.assertEqual(newest_call("session=mcp"), call, "nothing else was called")

    def test_bad_arguments_and_other_sessions_calls_are_told_the_model(self):
        ask("/v1/sessions", {"session_id": "other", "namespaces": ["default"]}, 201)
        call = ask("/v1/sessions/other/calls", {"tool": "greet", "arguments": {"name": "x"}}, 202)["call_id"]
        for arguments in ({"call_id": call}, {"call_id": "x"}, {}, {"call_id": call, "wait_s": 31}, {"call_id": call, "session_id": "other"}):
            self.assertTrue(self.ask_both("check_task_status", arguments)["isError"], arguments)
        refused = older(Handshake(EVERYTHING), "tools/call", {"name": "tasks__cancel_task", "arguments": {"call_id": call}, "task": {}})
        self.assertEqual(refused["code"], -32601)


class AcrossFaces(unittest.TestCase):
    def test_a_call_of_rest_is_a_task_of_both_and_the_reverse(self):
        client = Handshake(EVERYTHING)
        older(client, "ping")
        older(client, "tools/list")
        call = ask("/v1/sessions/mcp/calls", {"tool": "multi_input", "arguments": {}}, 202)["call_id"]
        asked = wait_for(lambda: (lambda got: got if got["status"] == "input_required" else None)(modern("tasks/get", {"taskId": call})))
        self.assertEqual(older(client, "tasks/get", {"taskId": call})["status"], "input_required")
        modern("tasks/update", {"taskId": call, "inputResponses": {key: {"action": "decline"} for key in asked["inputRequests"]}})
        result = older(client, "tasks/result", {"taskId": call})
        self.assertFalse(result["isError"])
        task = modern("tools/call", {"name": "slow_compute", "arguments": {"seconds": 20}})["taskId"]
        ask(f"/v1/calls/{task}/cancel", {}, 202)
        wait_for(lambda: older(client, "tasks/get", {"taskId": task})["status"] == "cancelled")

    def test_another_sessions_call_is_unknown(self):
        ask("/v1/sessions", {"session_id": "else", "namespaces": ["default"]}, 201)
        call = ask("/v1/sessions/else/calls", {"tool": "greet", "arguments": {"name": "x"}}, 202)["call_id"]
        self.assertEqual(modern("tasks/get", {"taskId": call}, 400)["code"], -32602)


if __name__ == "__main__":
    unittest.main()

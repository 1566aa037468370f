"""Conversations on the server's side: `toolway dev --chat` with a scripted model. Turns are calls, messages are kept in Postgres, calls that
outlive a turn begin one of their own, and a chat process that is killed in mid-turn runs no tool twice."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(ROOT / "tests/e2e/telemetry"), str(ROOT / "tests/chat")]
from dev_stack import Dev  # noqa: E402
from conversation_case import ConversationCase, KeyCase  # noqa: E402

PROGRAM = sys.argv.pop(1)
TOOLS = ROOT / "tests/e2e/agents/tools"


def setUpModule():
    global dev, directory, effects
    kept = tempfile.TemporaryDirectory(prefix="toolway-chat-")
    unittest.addModuleCleanup(kept.cleanup)
    effects = pathlib.Path(kept.name) / "effects.log"
    script = pathlib.Path(kept.name) / "script.yaml"
    script.write_text((HERE / "server_script.yaml").read_text().replace("EFFECTS", str(effects)))
    dev = Dev(PROGRAM, "--chat", "--script", script, "--specs", TOOLS, "--python-path", TOOLS,
              "--root", ROOT / "examples/chat")
    unittest.addModuleCleanup(dev.__exit__)
    dev.__enter__()
    Conversations.dev = dev
    directory = pathlib.Path(dev.directory.name)


def toolway(*arguments, lines=""):
    """Exit status, standard output, standard error."""
    return dev.toolway(*arguments, lines=lines)


def ask(*arguments, **more):
    return Conversations.ask(*arguments, **more)


class Conversations(ConversationCase):
    def test_a_turn_is_a_call_and_its_calls_are_its_children(self):
        ended = self.say("What files are there?")
        self.assertEqual(ended["outcome"], "succeeded", ended)
        self.assertEqual(ended["result"]["reply"], "The directory has 1 entries: files.yaml.")
        self.assertEqual(self.roles(), ["user", "assistant", "results", "assistant"])
        self.assertEqual([message["number"] for message in self.messages()], [1, 2, 3, 4])
        self.assertEqual({message["turn"] for message in self.messages()}, {ended["call_id"]})
        calls = {call["tool"]: call for call in ask(f"{self.path}/calls")["calls"]}
        self.assertEqual(set(calls), {"turn", "list_directory"})
        self.assertEqual(calls["list_directory"]["parent_call_id"], ended["call_id"])
        self.assertNotIn("parent_call_id", calls["turn"])
        listed = {line.split()[1]: line for line in toolway("calls", "list", self.session)[1].splitlines()}
        self.assertIn(ended["call_id"], listed["filesystem.list_directory"])
        # A loop of one's own in the same session sees its own calls, and the turns.
        ask(f"{self.path}/calls", {"tool": "time.get_current_time", "arguments": {}}, **{"Prefer": "wait=30"})
        tools = lambda query: sorted(one["tool"] for one in ask(f"{self.path}/completions{query}")["completions"])  # noqa: E731
        self.assertEqual(tools(""), ["get_current_time", "list_directory", "turn"])
        self.assertEqual(tools("?parent=none"), ["get_current_time", "turn"])
        ask(f"{self.path}/completions?parent=some", None, 422, method="GET")
        self.check_exports()

    def test_turns_are_measured(self):
        def counted(line):
            with urllib.request.urlopen(dev.ready["metrics"]["chat"][0], timeout=10) as answer:
                found = [one.rsplit(" ", 1)[1] for one in answer.read().decode().splitlines() if one.startswith(line)]
            return float(found[0]) if found else 0.0

        model = 'gen_ai_operation_name="chat",gen_ai_provider_name="scripted",gen_ai_request_model="scripted"'
        lines = {'toolway_chat_turns_total{begun="message",finish="replied"}': 1, 'toolway_chat_turn_seconds_count{begun="message"}': 1,
                 "toolway_chat_iterations_total": 2, f"gen_ai_client_operation_duration_seconds_count{{{model}}}": 2,
                 f'gen_ai_client_token_usage_count{{{model},gen_ai_token_type="output"}}': 2}
        before = {line: counted(line) for line in lines}
        self.say("What files are there?")
        for line, more in lines.items():
            self.eventually(lambda line=line, more=more: counted(line) >= before[line] + more)

    def test_talk_reaches_it(self):
        status, out, err = toolway("talk", "--session", self.session, "What files are there?")
        self.assertEqual((status, out), (0, "Let me look.\nThe directory has 1 entries: files.yaml.\n"), err)
        self.assertIn("Calling tool: filesystem.list_directory", err)
        status, out, err = toolway("talk", "--session", self.session, lines="/new\nhello\n/export openai\n/calls\n")
        self.assertEqual(status, 0, err)
        self.assertIn("Hello.", out)
        self.assertEqual(self.roles(), ["user", "assistant"], "another conversation")

    def test_events_are_parts_and_have_every_word(self):
        text = ask(f"{self.path}/messages", {"content": "What files are there?"}, raw=True, Accept="text/event-stream")
        parts = []
        for block in text.split("\n\n"):
            data = [line[6:] for line in block.split("\n") if line.startswith("data: ")]
            if "event: progress" in block:
                parts += json.loads(data[0])["data"]
        said = "".join(part["text"] for part in parts if part["type"] == "text")
        self.assertEqual(said, "Let me look.The directory has 1 entries: files.yaml.")
        self.assertIn({"type": "status", "text": "Calling tool: filesystem.list_directory"}, parts)
        self.assertIn("event: completed", text)

    def test_a_call_that_is_not_waited_for_begins_a_turn_when_it_ends(self):
        said = self.say("Note it in the background.", options={"on_completion": "turn", "system_prompt": "Be brief."})
        self.assertEqual(said["result"]["reply"], "It runs.")
        self.eventually(lambda: len(self.messages()) == 6 and not ask(f"{self.path}/messages")["turn"])
        self.assertEqual(self.roles(), ["user", "assistant", "results", "assistant", "injected", "assistant"])
        injected = self.messages()[4]
        self.assertIn("[[SYSTEM: shop.slow_note completed:", injected["text"])
        self.assertEqual(self.messages()[5]["parts"][0]["text"], "Told: " + injected["text"])
        parents = {(call["tool"], "parent_call_id" in call) for call in ask(f"{self.path}/calls")["calls"]}
        self.assertEqual(parents, {("turn", False), ("slow_note", True)}, "nor has a turn called the second turn")
        time.sleep(4)
        self.assertEqual(len(self.messages()), 6, "it is told once")
        self.check_exports()

    def test_how_far_calls_are_is_told_where_that_is_wanted(self):
        self.say("Take your time.", options={"on_completion": "wait"})
        call = self.messages()[2]["results"][0]["ran_as"]
        self.eventually(lambda: "progress" in ask(f"/v1/calls/{call}/events", raw=True, Accept="application/json"))
        for options in ({"inject": "progress"}, {"inject": "none"}):
            self.say("How far is it?", options={**options, "on_completion": "wait"})
        self.eventually(lambda: ask(f"/v1/calls/{call}")["state"] == "completed")
        self.say("How far is it?", options={"inject": "progress", "on_completion": "wait"})
        told = [message for message in self.messages() if message["role"] == "injected"]
        self.assertRegex(told[0]["text"], r"^\[\[SYSTEM: shop.slow_note is running: \d+ of 20\]\]$")
        self.assertRegex(told[1]["text"], r"^\[\[SYSTEM: shop.slow_note completed: noted noted\]\]$")
        self.assertEqual(told[0]["progress"][0]["ran_as"], call)
        self.assertEqual((told[1]["about"], len(told)), ([call], 2))
        self.check_exports()

    def call(self, text):
        arguments = {"effects": "/dev/null", "text": text}
        return ask(f"{self.path}/calls", {"tool": "shop.note", "arguments": arguments}, **{"Prefer": "wait=30"})["call_id"]

    def injected(self):
        return [message for message in self.messages() if message["role"] == "injected"]

    def told_within(self, calls, seconds=20):
        """A completion may be recorded a moment after its caller has it."""
        def told():
            self.say("hello", options={"inject": "completions"})
            return calls <= {call for message in self.injected() for call in message["about"]}
        return self.eventually(told, seconds)

    def test_calls_that_no_model_made_are_told_once(self):
        recorded = lambda call: f'"{call}"' in ask(f"{self.path}/completions?limit=100", raw=True)  # noqa: E731
        before = self.call("before the conversation")
        self.eventually(lambda: recorded(before))
        self.say("hello")
        first, second = self.call("from a program"), self.call("and another")
        time.sleep(4)
        self.assertEqual(self.injected(), [], "they begin no turn")
        self.told_within({first, second})
        note = {"id": "c", "tool": "shop.note", "arguments": {"effects": "/dev/null", "text": "of a model"}}
        model = ask(f"{self.path}/tool_calls?format=toolway", {"calls": [note]})["results"][0]["call_id"]
        passed = self.call("that is passed over")
        self.eventually(lambda: recorded(model) and recorded(passed))
        self.say("hello", options={"inject": "none"})
        third = self.call("later")
        self.told_within({third})
        told = [call for message in self.injected() for call in message["about"]]
        self.assertEqual(told, [first, second, third], (before, model, passed))
        self.assertEqual(self.injected()[0]["text"].splitlines()[0], "[[SYSTEM: shop.note completed: noted from a program]]")
        self.check_exports()

    def test_a_kill_in_mid_turn_runs_no_tool_twice(self):
        accepted = ask(f"{self.path}/messages", {"content": "Write slowly."}, 202)
        self.eventually(lambda: [call for call in ask(f"{self.path}/calls")["calls"] if call["tool"] == "slow_note"])
        os.kill(dev.pid_of("chat"), signal.SIGKILL)
        killed = time.monotonic()
        self.eventually(lambda: ask(f"/v1/calls/{accepted['call_id']}")["state"] == "completed", 60)
        self.assertLess(time.monotonic() - killed, 40)
        ended = ask(f"/v1/calls/{accepted['call_id']}")
        self.assertEqual(ended["outcome"], "succeeded", ended)
        self.assertEqual(ended["result"]["reply"], "Written.")
        self.assertEqual(effects.read_text().split(), ["slowly"])
        self.assertEqual(self.roles(), ["user", "assistant", "results", "assistant"])
        self.check_exports()

    def test_messages_wait_their_turn_or_are_refused_or_interrupt(self):
        first = ask(f"{self.path}/messages", {"content": "Speak slowly."}, 202)["call_id"]
        self.eventually(lambda: ask(f"{self.path}/messages")["turn"] == first)
        refused = ask(f"{self.path}/messages", {"content": "hello", "on_busy": "refuse"}, 409)
        self.assertEqual(refused["code"], "conversation_busy", refused)
        self.assertIn(first, refused["detail"])
        self.assertLessEqual(len(ask(f"{self.path}/calls")["calls"]), 1, "nothing was begun")
        second = ask(f"{self.path}/messages", {"content": "hello"}, 202)["call_id"]
        self.eventually(lambda: ask(f"/v1/calls/{second}")["state"] == "completed")
        turns = [message["turn"] for message in self.messages()]
        self.assertEqual(turns, [first, first, second, second])
        third = ask(f"{self.path}/messages", {"content": "Speak slowly."}, 202)["call_id"]
        self.eventually(lambda: ask(f"{self.path}/messages")["turn"] == third)
        self.assertEqual(self.say("hello", on_busy="interrupt")["outcome"], "succeeded")
        self.assertEqual(ask(f"/v1/calls/{third}")["error"]["code"], "interrupted")
        self.check_exports()

    def test_sixteen_messages_wait_and_no_more(self):
        first = ask(f"{self.path}/messages", {"content": "Think long."}, 202)["call_id"]
        self.eventually(lambda: ask(f"{self.path}/messages")["turn"] == first)
        waiting = [ask(f"{self.path}/messages", {"content": "hello"}, 202)["call_id"] for _ in range(16)]
        # Each waits once a chat process has seen it; a message that comes before that ends as the gateway would have refused it.
        early, refused = [], None
        while refused is None:
            try:
                early.append(ask(f"{self.path}/messages", {"content": "too many"}, 202)["call_id"])
            except AssertionError as answer:
                refused = answer.args[0]
        self.assertEqual((refused[0], json.loads(refused[1])["code"]), (409, "conversation_busy"))
        ask(f"{self.path}/conversations", {}, 409)
        states = {ask(f"/v1/calls/{call}")["state"] for call in waiting}
        self.assertEqual(states, {"queued"}, "they take up no slot, and cost no attempt")
        for call in early:
            self.eventually(lambda: ask(f"/v1/calls/{call}")["state"] == "completed")
            self.assertEqual(ask(f"/v1/calls/{call}")["error"]["code"], "conversation_busy")
        ask(f"{self.path}/stop", {}, 202)
        self.eventually(lambda: ask(f"/v1/calls/{waiting[-1]}")["state"] == "completed")
        turns = [message["turn"] for message in self.messages() if message["turn"] != first]
        self.assertEqual(turns, [turn for turn in waiting for _ in range(2)], "in their order")

    def test_stop_cancels_the_turn_and_the_conversation_continues(self):
        turn = ask(f"{self.path}/messages", {"content": "Speak slowly."}, 202)["call_id"]
        self.eventually(lambda: ask(f"{self.path}/messages")["turn"] == turn)
        ask(f"{self.path}/stop", {}, 202)
        self.eventually(lambda: ask(f"/v1/calls/{turn}")["state"] == "completed")
        self.assertEqual(ask(f"/v1/calls/{turn}")["outcome"], "cancelled")
        self.assertEqual(self.say("hello")["result"]["reply"], "Hello.")
        self.check_exports()

    def test_stop_cancels_a_turn_that_was_just_accepted(self):
        for at in range(5):
            turn = ask(f"{self.path}/messages", {"content": "Speak slowly."}, 202)["call_id"]
            self.assertEqual(ask(f"{self.path}/stop", {}, 202)["call_id"], turn, f"time {at}")
            self.eventually(lambda: ask(f"/v1/calls/{turn}")["state"] == "completed")
            self.assertEqual(ask(f"/v1/calls/{turn}")["outcome"], "cancelled")
        self.assertEqual(ask(f"{self.path}/stop", {}, 404)["title"], "Not found")
        self.assertEqual(self.say("hello")["result"]["reply"], "Hello.")

    def test_contents_that_no_api_takes_are_refused(self):
        body = {"model": "any", "messages": [{"role": "user", "content": 5}]}
        self.assertIn("/messages/0/content: expected text", ask("/v1/chat/completions", body, 400)["error"]["message"])
        self.assertIn("repair=true", ask(f"/v1/conversations:import?session={self.session}&format=openai", body, 422)["detail"])
        repaired = ask(f"/v1/conversations:import?session={self.session}&format=openai&repair=true", body, 200)
        self.assertEqual(len(repaired["result"]["repairs"]), 1, repaired)

    def model_asks(self, tool, **arguments):
        call = {"id": "c1", "type": "function", "function": {"name": f"tasks__{tool}", "arguments": json.dumps(arguments)}}
        answer = ask(f"{self.path}/tool_calls?format=openai", {"role": "assistant", "content": None, "tool_calls": [call]})
        return answer["messages"][0]["content"]

    def test_a_model_looks_after_its_tasks(self):
        names = [tool["function"]["name"] for tool in ask(f"{self.path}/tools?format=openai")["tools"]]
        self.assertLessEqual({"tasks__check_task_status", "tasks__cancel_task"}, set(names))
        call = ask(f"{self.path}/calls", {"tool": "shop.slow_note", "arguments": {"effects": "/dev/null", "text": "x", "seconds": 2}}, 202)["call_id"]
        self.assertIn('"state": "running"', self.eventually(lambda: "running" in self.model_asks("check_task_status", call_id=call) and
                                                            self.model_asks("check_task_status", call_id=call)))
        ended = self.model_asks("check_task_status", call_id=call, wait_s=20)
        self.assertIn("noted x", ended)
        call = ask(f"{self.path}/calls", {"tool": "shop.slow_note", "arguments": {"effects": "/dev/null", "text": "x", "seconds": 30}}, 202)["call_id"]
        self.model_asks("cancel_task", call_id=call)
        self.eventually(lambda: ask(f"/v1/calls/{call}")["outcome"] == "cancelled")
        self.assertIn("tool_error", self.model_asks("check_task_status", call_id="00000000-0000-0000-0000-000000000000"))
        self.assertIn("tool_error", self.model_asks("check_task_status", call_id=call, wait_s=31))

    def test_bad_input_is_refused(self):
        for body, status in (({}, 400), ({"content": ""}, 400), ({"content": 5}, 400), ({"content": "x", "on_busy": "never"}, 400),
                             ({"continue": True}, 400), ({"content": "x" * 300_000}, 400), ([], 400)):
            with self.subTest(str(body)[:40]):
                ask(f"{self.path}/messages", body, status if status != 400 else 422)
        wrong = self.say("hello", options={"max_tokens": 10**9})
        self.assertEqual(wrong["error"]["code"], "invalid_arguments", wrong)
        ask("/v1/sessions/another/messages", {"content": "x"}, 404)
        ask(f"{self.path}/messages", {"content": "x"}, 404, **{"X-Toolway-User": "mallory"})
        ask(f"{self.path}/messages", None, 404, method="GET", **{"X-Toolway-User": "mallory"})
        ask(f"{self.path}/messages?conversation=00000000-0000-0000-0000-000000000000", status=404)
        for token in ("", "own.AAAA", "x"):
            ask(f"{self.path}/tool_calls?format=openai", {}, 401, **{"X-Toolway-On-Behalf": token})

    def test_the_token_of_a_turn_is_in_no_log_event_or_answer(self):
        ended = self.say("What files are there?")
        postgres = dev.ready["postgres"]
        token = subprocess.run(["psql", postgres, "-Atc", "SELECT on_behalf FROM conversations WHERE on_behalf <> '' LIMIT 1"],
                               capture_output=True, text=True).stdout.strip()
        self.assertGreater(len(token), 100)
        shown = json.dumps([ask(f"/v1/calls/{ended['call_id']}"), ask(f"{self.path}/events", None, Accept="application/json"),
                            ask(f"{self.path}/messages")])
        for log in (directory / "data/logs").glob("*.log"):
            shown += log.read_text(errors="replace")
        self.assertNotIn(token, shown)
        # Good for its session alone, and for what a turn does.
        ask("/v1/sessions", {"session_id": self.session + "-2", "namespaces": ["*"]}, 201)


POLICY = """
roles:
  agent: {permissions: ["call:filesystem.*"]}
  chat: {permissions: ["chat:act", "chat:continue"]}
"""


class WithKeys(KeyCase):
    """Callers are asked who they are, and a turn acts for its user, with the grants of that user."""
    program = PROGRAM

    @classmethod
    def setUpClass(cls):
        cls.begin(POLICY, (HERE / "server_script.yaml").read_text().replace("EFFECTS", "/dev/null"), "--specs", TOOLS, "--python-path", TOOLS)
        cls.ann, cls.bea, cls.chat = (cls.key(user, role) for user, role in (("ann", "agent"), ("bea", "agent"), ("chat", "chat")))

    def token(self):
        return subprocess.run(["psql", self.dev.ready["postgres"], "-Atc",
                               "SELECT on_behalf FROM conversations WHERE on_behalf <> '' ORDER BY created_at DESC LIMIT 1"],
                              capture_output=True, text=True).stdout.strip()

    def test_a_turn_has_the_grants_of_its_user_and_stays_in_its_session(self):
        for session in ("one", "two"):
            self.ask("/v1/sessions", self.ann, {"session_id": session, "namespaces": ["filesystem"]}, 201)
        said = self.ask("/v1/sessions/one/messages", self.ann, {"content": "What files are there?"}, Prefer="wait=60")
        self.assertEqual(said["result"]["reply"], "The directory has 1 entries: files.yaml.", said)
        # What its user may not call, its model cannot: the turn continues, and is told.
        self.assertEqual(self.ask("/v1/sessions/one/messages", self.ann, {"content": "Write slowly."}, Prefer="wait=60")["outcome"], "succeeded")
        calls = self.ask("/v1/sessions/one/calls", self.ann)["calls"]
        self.assertNotIn("slow_note", [call["tool"] for call in calls])
        self.ask("/v1/sessions/one/messages", self.bea, {"content": "hi"}, 404)
        acting = {"X-Toolway-On-Behalf": self.token()}
        message = {"role": "assistant", "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "filesystem__list_directory", "arguments": "{}"}}]}
        path = "/tool_calls?format=openai"
        self.ask("/v1/sessions/one" + path, self.chat, message, **acting)
        self.ask("/v1/sessions/two" + path, self.chat, message, 404, **acting)
        self.ask("/v1/sessions/one" + path, self.bea, message, 401, **acting)
        self.ask("/v1/sessions/one" + path, None, message, 401, **acting)
        self.ask("/v1/sessions", self.chat, None, 403, **acting)
        for session, found in (("one", 200), ("two", 404)):
            call = self.ask(f"/v1/sessions/{session}/calls", self.ann, {"tool": "filesystem.list_directory", "arguments": {}},
                            Prefer="wait=30")["call_id"]
            self.ask(f"/v1/calls/{call}", self.chat, None, found, **acting)
            self.ask(f"/v1/calls/{call}/events", self.chat, None, found, Accept="application/json", **acting)
            self.ask(f"/v1/calls/{call}/cancel", self.chat, {}, 202 if found == 200 else 404, **acting)
            self.ask(f"/v1/calls/{call}/explain", self.chat, None, 403, **acting)
        self.ask("/v1/sessions/one/messages", self.chat, {"content": "hi"}, 422, **acting)
        self.ask("/v1/sessions/one" + path, self.chat, message, 401, **{"X-Toolway-On-Behalf": "AAAA" + self.token()})

    def test_clients_of_anthropic_send_their_key_in_their_own_header(self):
        body = {"model": "any", "max_tokens": 10, "messages": [{"role": "user", "content": "hi"}]}
        self.assertEqual(self.ask("/v1/messages", None, body, **{"X-Api-Key": self.ann})["content"][0]["text"], "Hello.")
        self.ask("/v1/messages", None, body, 401, **{"X-Api-Key": "tw_wrong"})


if __name__ == "__main__":
    unittest.main()

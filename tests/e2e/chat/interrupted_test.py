"""What an interrupted turn leaves to the next one, and what a conversation keeps from message to message: `toolway dev --chat` with a
scripted model."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(ROOT / "tests/e2e/telemetry"), str(HERE)]
from dev_stack import Dev  # noqa: E402
from conversation_case import ConversationCase  # noqa: E402

PROGRAM = sys.argv.pop(1)
TOOLS = ROOT / "tests/e2e/agents/tools"


def setUpModule():
    dev = Dev(PROGRAM, "--chat", "--script", HERE / "server_script.yaml", "--specs", TOOLS, "--python-path", TOOLS, "--root", ROOT / "examples/chat")
    unittest.addModuleCleanup(dev.__exit__)
    dev.__enter__()
    Interrupted.dev = dev


class Interrupted(ConversationCase):
    def test_the_next_message_starts_no_call_of_a_turn_that_was_cancelled(self):
        """Its process was killed after the model's message was stored, and before it asked for the calls."""
        self.say("What files are there?")
        self.sql(f"""WITH c AS (SELECT c.id, c.head FROM conversations c JOIN sessions s USING (session_key) WHERE s.session_id = '{self.session}'),
                     more AS (INSERT INTO messages SELECT m.conversation, c.head + m.number, m.tenant_id, gen_random_uuid(), m.role, m.body
                              FROM messages m JOIN c ON m.conversation = c.id WHERE m.number <= 2)
                     UPDATE conversations SET head = c.head + 2 FROM c WHERE conversations.id = c.id""")
        before = len(self.ask(f"{self.path}/calls")["calls"])
        self.assertEqual(self.say("No, do nothing.")["result"]["reply"], "Hello.")
        self.assertEqual(self.roles()[-5:], ["user", "assistant", "results", "user", "assistant"])
        self.assertIn("never started", self.messages()[-3]["results"][0]["text"])
        self.assertEqual(len(self.ask(f"{self.path}/calls")["calls"]), before + 1, "the turn itself")
        self.check_exports()

    def sql(self, statement):
        subprocess.run(["psql", self.dev.ready["postgres"], "-qAtc", statement], check=True)

    def test_options_are_those_of_the_conversation(self):
        self.ask(f"{self.path}/conversations", {"options": {"max_tokens": 100}}, **{"Prefer": "wait=30"})
        said = self.say("Note it in the background.", options={"on_completion": "turn", "max_iterations": 1})
        self.assertEqual(said["error"]["code"], "max_iterations", said)
        self.assertEqual(self.say("What files are there?")["error"]["code"], "max_iterations", "it holds")
        self.assertEqual(self.say("What files are there?", options={"max_iterations": 2})["outcome"], "succeeded")
        self.ask(f"{self.path}/conversations", {"option": {}}, 422)
        self.ask(f"{self.path}/conversations", {}, **{"Prefer": "wait=30"})
        self.assertEqual(self.say("What files are there?", options={"model": "huge"})["error"]["code"], "invalid_arguments")
        self.assertEqual(self.say("What files are there?")["outcome"], "succeeded")

    def talk(self, message, first, then):
        """What `talk` shows of a turn. `then` is done once it has shown `first`."""
        with subprocess.Popen([PROGRAM, "talk", "--server", "--session", self.session, message], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, bufsize=0, env={**os.environ, "TOOLWAY_URL": self.dev.ready["http"]}) as talk:
            shown = b""
            while len(shown) < len(first):
                piece = talk.stdout.read(len(first) - len(shown))
                self.assertTrue(piece, shown)
                shown += piece
            self.assertEqual(shown.decode(), first)
            then()
            out, err = talk.communicate(timeout=90)
        return first + out.decode(), err.decode()

    def test_what_the_model_had_said_by_the_stop_stays(self):
        out, _ = self.talk("Speak slowly.", "one ", lambda: self.ask(f"{self.path}/stop", {}, 202))
        said = self.messages()[-1]
        self.assertEqual((said["role"], said["finish"]), ("assistant", "stopped"), said)
        self.assertEqual(said["parts"], [{"text": out.rstrip("\n")}], "what was shown")
        self.assertEqual(self.say("hello")["result"]["reply"], "Hello.")
        self.check_exports()
        exported = self.ask(f"{self.path}/export?format=toolway", raw=True)
        self.ask(f"/v1/conversations:import?session={self.session}&format=toolway", json.loads(exported), **{"Prefer": "wait=30"})
        self.assertEqual(self.ask(f"{self.path}/export?format=toolway", raw=True), exported)

    def test_talk_shows_once_what_another_attempt_repeats(self):
        """The scripted model says the same again; what was stored is told again."""
        numbers = "one two three four five six seven eight"
        for message, first, out, err in (("Speak slowly.", "one ", f"{numbers} nine ten eleven twelve\n", ""),
                                         ("Look slowly.", "Let me look.\none ", f"Let me look.\n{numbers}\n", "Calling tool: filesystem.list_directory\n")):
            shown = self.talk(message, first, lambda: os.kill(self.dev.pid_of("chat"), signal.SIGKILL))
            self.assertEqual(shown, (out, err))

    def test_another_attempt_tells_what_is_stored(self):
        self.say("What files are there?")
        turn = self.ask(f"{self.path}/messages", {"content": "Look slowly."}, 202)["call_id"]
        self.eventually(lambda: len(self.messages()) == 7)
        os.kill(self.dev.pid_of("chat"), signal.SIGKILL)
        self.eventually(lambda: self.ask(f"/v1/calls/{turn}")["state"] == "completed", 90)
        told = {}
        for event in self.ask(f"/v1/calls/{turn}/events?limit=1000", Accept="application/json")["events"]:
            if event["type"] == "progress":
                told.setdefault(event["attempt"], []).extend(event["data"])
        self.assertEqual(len(told), 2, told)
        texts = ["".join(part.get("text", "") for part in parts if part["type"] == "text") for parts in told.values()]
        self.assertTrue(texts[0].startswith("Let me look."), texts)
        self.assertEqual(texts[1], "Let me look.one two three four five six seven eight")


if __name__ == "__main__":
    unittest.main()

"""The programs of examples/agents, each with its SDK, against a stack and a scripted model: parallel calls, mistakes of the model, late
results, a loop that is killed, processes that restart."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE), str(ROOT / "tests/e2e/telemetry")]
from dev_stack import Dev  # noqa: E402
from scripted_model import Chat, Invalid, Messages, Responses, ScriptedModel  # noqa: E402

PROGRAM = sys.argv.pop(1)
AGENTS = ("openai_chat", "openai_responses", "anthropic_messages")


def setUpModule():
    global dev
    dev = Dev(PROGRAM, "--specs", HERE / "tools", "--python-path", HERE / "tools")
    unittest.addModuleCleanup(dev.__exit__)
    dev.__enter__()


def command_of(name):
    return [sys.executable, ROOT / f"examples/agents/{name}.py"]


class Agent:
    """A program of examples/agents with a conversation of its own."""

    def __init__(self, name, model, session, *options):
        self.conversation = pathlib.Path(dev.directory.name) / f"{session}.json"
        self.argv = [*command_of(name), "Please.", "--session", session, "--namespace", "shop",
                     "--model", "scripted", "--url", dev.ready["http"], "--conversation", self.conversation, *options]
        self.environment = {**os.environ, "OPENAI_API_KEY": "key", "OPENAI_BASE_URL": model.url + "/v1", "ANTHROPIC_API_KEY": "key",
                            "ANTHROPIC_BASE_URL": model.url}

    def start(self):
        return subprocess.Popen(self.argv, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def run(self):
        done = subprocess.run(self.argv, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        return done.returncode, done.stdout.strip()

    def state(self):
        return json.loads(self.conversation.read_text()) if self.conversation.exists() else {"running": [], "messages": []}


class Agents(unittest.TestCase):
    def setUp(self):
        self.effects = pathlib.Path(dev.directory.name) / f"{self.id().split('.')[-1]}.effects"

    def note(self, text):
        return {"name": "shop__note", "arguments": {"effects": str(self.effects), "text": text}}

    def slow_note(self, text, seconds):
        return {"name": "shop__slow_note", "arguments": {"effects": str(self.effects), "text": text, "seconds": seconds}}

    def lines(self):
        return sorted(self.effects.read_text().split()) if self.effects.exists() else []

    def fresh(self, name):
        """Without effects yet: the name of a session of its own."""
        self.effects.unlink(missing_ok=True)
        return f"{self.id().split('.')[-1]}-{name}"

    def test_calls_in_parallel_and_a_call_that_does_not_fit(self):
        script = [{"calls": [self.note("a"), self.note("b")], "expect": ["Please"]},
                  {"calls": [{"name": "shop__note", "arguments": {"text": "c"}}], "expect": ["noted a", "noted b"]},
                  {"text": "Done.", "expect": ["tool_error: .*effects"]}]
        for name in AGENTS:
            session = self.fresh(name)
            with self.subTest(name), ScriptedModel(script) as model:
                self.assertEqual(Agent(name, model, session).run(), (0, "Done."))
            self.assertEqual(model.refused, [])
            self.assertEqual(self.lines(), ["a", "b"])

    def test_results_that_arrive_later(self):
        script = [{"calls": [self.slow_note("late", 1.6), self.note("now")]},
                  {"text": "I wait.", "expect": ['"status": "streaming"', "noted now"]},
                  {"text": "It is there.", "expect": ["call_0_0 of shop.slow_note, which ran in the background, has ended", "noted late"]}]
        for name in AGENTS:
            session = self.fresh(name)
            with self.subTest(name), ScriptedModel(script) as model:
                self.assertEqual(Agent(name, model, session, "--inline-ms", "500").run(), (0, "It is there."))
            self.assertEqual((model.refused, model.asked), ([], 3))
            self.assertEqual(self.lines(), ["late", "now"])

    def test_a_killed_loop_continues_and_nothing_runs_twice(self):
        script = [{"calls": [self.slow_note("one", 1.4), self.note("two")]},
                  {"text": "Both.", "expect": ["noted one", "noted two"]}]
        for name in AGENTS:
            session = self.fresh(name)
            with self.subTest(name), ScriptedModel(script) as model:
                agent = Agent(name, model, session)
                killed = agent.start()
                while not self.lines():  # its request is waiting for the slow call
                    self.assertIsNone(killed.poll())
                    time.sleep(0.02)
                killed.send_signal(signal.SIGKILL)
                killed.communicate()
                self.assertEqual(agent.run(), (0, "Both."))
            self.assertEqual((model.refused, model.asked), ([], 2), "the model was not asked for the same turn again")
            self.assertEqual(self.lines(), ["one", "two"])

    def test_a_loop_killed_while_it_waits_for_a_late_result(self):
        script = [{"calls": [self.slow_note("late", 2)]}, {"text": "I wait.", "expect": ["streaming"]},
                  {"text": "There.", "expect": ["noted late"]}]
        with ScriptedModel(script) as model:
            agent = Agent("openai_chat", model, "killed-waiting", "--inline-ms", "200")
            killed = agent.start()
            while len(agent.state()["messages"]) < 4:
                self.assertIsNone(killed.poll())
                time.sleep(0.02)
            killed.kill()
            killed.communicate()
            while not self.lines():
                time.sleep(0.05)
            self.assertEqual(agent.run(), (0, "There."))
            self.assertEqual(agent.state()["running"], [])
        self.assertEqual(model.refused, [])
        self.assertEqual(self.lines(), ["late"])

    def test_the_next_message_of_the_same_conversation(self):
        script = [{"text": "First.", "expect": ["Please"]}, {"text": "Second.", "expect": ["Please"]}]
        with ScriptedModel(script) as model:
            agent = Agent(AGENTS[-1], model, "two-messages")
            self.assertEqual([agent.run(), agent.run()], [(0, "First."), (0, "Second.")])

    def test_gateway_and_worker_restart_in_the_middle(self):
        script = [{"calls": [self.note(f"n{turn}")], "expect": [f"noted n{turn - 1}"] if turn else []} for turn in range(12)]
        script.append({"text": "Twelve.", "expect": ["noted n11"]})
        with ScriptedModel(script) as model:
            agent = Agent("openai_chat", model, "restarts")
            loop = agent.start()
            for count, role in ((2, "gateway"), (5, "worker"), (8, "gateway")):
                while len(self.lines()) < count:
                    self.assertIsNone(loop.poll(), "the loop has ended early")
                    time.sleep(0.01)
                os.kill(dev.pid_of(role), signal.SIGTERM)
            output, _ = loop.communicate(timeout=120)
            self.assertEqual((loop.returncode, output.strip()), (0, "Twelve."))
        self.assertEqual(model.refused, [])
        self.assertEqual(self.lines(), sorted(f"n{turn}" for turn in range(12)))


class TheModel(unittest.TestCase):
    """The scripted model refuses what the APIs refuse; otherwise the tests above would show little."""

    def refuses(self, api, request, what):
        with self.assertRaisesRegex(Invalid, what):
            api.read(request)

    def test_chat(self):
        asks = {"role": "assistant", "tool_calls": [{"id": "1"}, {"id": "2"}]}
        result = {"role": "tool", "tool_call_id": "1", "content": ""}
        self.refuses(Chat, {"messages": [asks, result]}, "without a result")
        self.refuses(Chat, {"messages": [asks, result, {"role": "user", "content": ""}]}, "without a result")
        self.refuses(Chat, {"messages": [asks, result, result]}, "no call awaits 1")
        self.refuses(Chat, {"messages": [result]}, "no call awaits 1")

    def test_responses(self):
        asks = {"type": "function_call", "id": "fc_0_0", "call_id": "1"}
        result = {"type": "function_call_output", "call_id": "1", "output": ""}
        self.refuses(Responses, {"input": [asks]}, "without a result")
        self.refuses(Responses, {"input": [asks, result, result]}, "two results")
        self.refuses(Responses, {"input": [result, asks]}, "no call awaits 1")

    def test_messages(self):
        user = {"role": "user", "content": "x"}
        asks = {"role": "assistant", "content": [{"type": "tool_use", "id": "1"}]}
        result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": ""}]}
        self.refuses(Messages, {"messages": [asks]}, "first message")
        self.refuses(Messages, {"messages": [user, asks, user]}, "need exactly")
        self.refuses(Messages, {"messages": [user, asks, user, result]}, "before text")
        self.refuses(Messages, {"messages": [user, asks, result, {"role": "assistant", "content": "y"}]}, "the user's")
        self.assertEqual(Messages.read({"messages": [user, asks, result, user]})[0], 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)

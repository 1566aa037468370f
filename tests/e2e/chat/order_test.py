"""Turns have the order in which their messages were accepted: with several chat processes, and while one is killed."""

import concurrent.futures
import itertools
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
import strict_check  # noqa: E402

PROGRAM = sys.argv.pop(1)
TOOLS = ROOT / "tests/e2e/agents/tools"


def setUpModule():
    global dev, script
    kept = tempfile.TemporaryDirectory(prefix="toolway-order-")
    unittest.addModuleCleanup(kept.cleanup)
    script = pathlib.Path(kept.name) / "script.yaml"
    script.write_text((HERE / "server_script.yaml").read_text().replace("EFFECTS", str(pathlib.Path(kept.name) / "effects.log")))
    dev = Dev(PROGRAM, "--chat", "--script", script, "--specs", TOOLS, "--python-path", TOOLS)
    unittest.addModuleCleanup(dev.__exit__)
    dev.__enter__()


def read(path):
    request = urllib.request.Request(dev.ready["http"] + path, headers={"x-toolway-user": "telemetry"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read().decode()


def eventually(what, seconds=60):
    deadline = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < deadline, what
        time.sleep(0.05)
    return found


class Order(unittest.TestCase):
    @staticmethod
    def path_of(session):
        dev.open_session(session, "*")
        return f"/v1/sessions/{session}"

    @staticmethod
    def say(path, content):
        """The turn of a message that was accepted."""
        return dev.post(f"{path}/messages", {"content": content})["call_id"]

    def check_order(self, path, turns):
        """All end well, and their messages follow each other as they were accepted."""
        for turn in turns:
            eventually(lambda turn=turn: json.loads(read(f"/v1/calls/{turn}"))["state"] == "completed")
            self.assertEqual(json.loads(read(f"/v1/calls/{turn}"))["outcome"], "succeeded")
        messages = []
        while (page := json.loads(read(f"{path}/messages?after={len(messages)}&limit=100"))["messages"]):
            messages += page
        self.assertEqual([turn for turn, _ in itertools.groupby(message["turn"] for message in messages)], turns)
        self.assertIsNone(strict_check.check("openai", read(f"{path}/export?format=openai")))

    def test_with_several_processes(self):
        """Each message is sent as soon as the one before it was accepted: no process may have seen that one yet."""
        def post(number):
            path = self.path_of(f"order-{number}")
            return path, [self.say(path, "hello") for _ in range(4)]

        self.start_more_chat_processes(4)
        with concurrent.futures.ThreadPoolExecutor(4) as threads:
            for path, turns in threads.map(post, range(60)):
                self.check_order(path, turns)

    def test_after_a_killed_turn(self):
        self.check_after_a_kill("killed", [])

    def test_after_a_killed_turn_of_a_long_conversation(self):
        """Stream CALLS keeps the messages of turns that have ended: the door must not take them for those it looks for."""
        path = self.path_of("long")
        before = []
        for _ in range(40):
            before.append(self.say(path, "hello"))
            eventually(lambda: json.loads(read(f"/v1/calls/{before[-1]}"))["state"] == "completed")
        self.check_after_a_kill("long", before)

    def check_after_a_kill(self, session, before):
        path = self.path_of(session)
        first = self.say(path, "Write slowly.")
        eventually(lambda: "slow_note" in read(f"{path}/calls"))
        chat = dev.pid_of("chat")
        os.kill(chat, signal.SIGSTOP)  # it gets the second one, and cannot say so
        second = self.say(path, "hello")
        time.sleep(0.2)
        os.kill(chat, signal.SIGKILL)
        eventually(lambda: dev.pid_of("chat") != chat)
        time.sleep(1)
        third = self.say(path, "hello")
        self.check_order(path, [*before, first, second, third])

    def start_more_chat_processes(self, count):
        """Next to the one of `toolway dev`, until the test ends."""
        run = pathlib.Path(dev.directory.name) / "data/run"
        token = next(path for path in run.iterdir() if "operator" in path.name and "token" in path.name)
        environment = {**os.environ, "TOOLWAY_NATS_URL": dev.ready["nats"], "TOOLWAY_POSTGRES_URL": dev.ready["postgres"]}
        started = [subprocess.Popen([PROGRAM, "chat", "--url-file", run / "http-url", "--token-file", token, "--script", script],
                                    env=environment, stdout=dev.log, stderr=dev.log) for _ in range(count)]
        for process in started:
            self.addCleanup(process.wait, 60)
            self.addCleanup(process.send_signal, signal.SIGTERM)
        eventually(lambda: [one["pool"] for one in json.loads(read("/v1/workers"))["workers"]].count("chat") > count)


if __name__ == "__main__":
    unittest.main()

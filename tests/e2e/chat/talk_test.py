"""`toolway talk` and `toolway chat` against `toolway dev`: a scripted model alone and over HTTP as each of the three APIs, a stop, a kill,
exports, and that keys and prompts are seen nowhere."""

import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(ROOT / "tests/e2e/telemetry"), str(ROOT / "tests/e2e/agents"), str(ROOT / "tests/chat")]
from dev_stack import Dev, Served  # noqa: E402
from scripted_model import ScriptedModel  # noqa: E402
import strict_check  # noqa: E402

PROGRAM = sys.argv.pop(1)
TOOLS = ROOT / "tests/e2e/agents/tools"
KEY = "sk-key-of-the-test"
PROMPT = "pomegranate"
FORMATS = ("toolway", "openai", "openai-responses", "anthropic")


def setUpModule():
    global dev, state
    dev = Dev(PROGRAM, "--specs", TOOLS, "--python-path", TOOLS, "--root", ROOT / "examples/chat")
    unittest.addModuleCleanup(dev.__exit__)
    dev.__enter__()
    state = pathlib.Path(dev.directory.name) / "state"


def environment(**more):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("TOOLWAY_AI", "OPENAI", "ANTHROPIC"))}
    return {**clean, "XDG_STATE_HOME": str(state), "TOOLWAY_URL": dev.ready["http"], **more}


def start(*arguments, **more):
    return subprocess.Popen([PROGRAM, *map(str, arguments)], env=environment(**more), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def run(*arguments, lines="", **more):
    """Exit status, standard output, standard error."""
    process = start(*arguments, **more)
    out, err = process.communicate(lines, timeout=120)
    return process.returncode, out, err


def script(name, document):
    path = pathlib.Path(dev.directory.name) / f"{name}.json"
    path.write_text(json.dumps(document))
    return path


class Talk(unittest.TestCase):
    def setUp(self):
        self.session = self.id().split(".")[-1]
        self.effects = pathlib.Path(dev.directory.name) / f"{self.session}.effects"

    def lines(self):
        return self.effects.read_text().split() if self.effects.exists() else []

    def slow(self, text, seconds):
        return {"tool": "shop.slow_note", "arguments": {"effects": str(self.effects), "text": text, "seconds": seconds}}

    def exported(self, name, *arguments, **more):
        status, out, err = run("talk", "--session", self.session, *arguments, lines=f"/export {name}\n", **more)
        self.assertEqual(status, 0, err)
        return out

    def assert_valid(self, *arguments, **more):
        for name in FORMATS:
            text = self.exported(name, *arguments, **more)
            self.assertIsNone(strict_check.check(name, text), text)

    def test_the_example(self):
        example = ROOT / "examples/chat/files.yaml"
        status, out, err = run("talk", "--session", self.session, "--script", example, "What files are in the current directory?")
        self.assertEqual((status, out), (0, "Let me look.\nThe directory has 1 entries: files.yaml.\n"), err)
        self.assertIn("Calling tool: filesystem.list_directory", err)
        status, out, _ = run("calls", "list", self.session, "-o", "json")
        self.assertEqual([(call["tool"], call["outcome"]) for call in json.loads(out)["calls"]], [("list_directory", "succeeded")])
        status, out, err = run("talk", "--session", self.session, "--script", example, lines="hi\n\n/help\n/nonsense\n")
        self.assertEqual((status, out), (2, "Hello.\n"))
        self.assertIn("/export FORMAT", err)
        self.assert_valid("--script", example)
        self.assertEqual(len(json.loads(self.exported("toolway", "--script", example))["messages"]), 6)
        run("talk", "--session", self.session, "--script", example, lines="/new\n")
        self.assertEqual(json.loads(self.exported("toolway", "--script", example))["messages"], [])

    def test_each_api_and_no_key_or_prompt_is_seen(self):
        path = script(self.session, {"turns": [{"replies": [
            {"text": "First.", "calls": [self.slow("one", 0.5), {"tool": "shop.nothing"}, {"tool": "shop.note", "arguments": "{\"text\": "}]},
            {"text": "Then {{result}}", "delay_ms": 300}]}]})
        seen = []
        with Served(PROGRAM, path) as url:
            for api in FORMATS[1:]:
                self.session = f"{self.id().split('.')[-1]}-{api}"
                model = {"TOOLWAY_AI_PROVIDER": api, "TOOLWAY_AI_MODEL": "m", "OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY,
                         "TOOLWAY_AI_ALLOW_ADDRESSES": "127.0.0.1", "TOOLWAY_AI_BASE_URL": url + ("" if api == "anthropic" else "/v1")}
                process = start("talk", "--session", self.session, "--system", "Be brief.", f"go, {PROMPT}", **model)
                process.stdin.close()
                time.sleep(0.4)  # until it has wiped what the system gave it
                while process.poll() is None:
                    for file in ("cmdline", "environ"):
                        try:
                            seen.append(pathlib.Path(f"/proc/{process.pid}/{file}").read_bytes())
                        except OSError:
                            pass  # closed to others, or ended
                    time.sleep(0.05)
                out, err = process.stdout.read(), process.stderr.read()
                process.stdout.close()
                process.stderr.close()
                self.assertEqual(process.returncode, 0, err)
                self.assertTrue(out.startswith("First.\nThen "), out)
                self.assertIn("noted one", out)
                self.assertIn("tool_error: the arguments are not JSON", out)
                self.assertIn("Calling tool: shop.slow_note", err)
                self.assert_valid(**model)
        self.assertEqual(self.lines(), ["one"] * 3)
        dev.log.flush()
        seen.append((pathlib.Path(dev.directory.name) / "dev.log").read_bytes())
        self.assertGreater(len(seen), 3)
        self.assertNotIn(KEY.encode(), b"".join(seen))
        self.assertNotIn(PROMPT.encode(), b"".join(seen))

    def test_models_that_others_wrote_and_that_do_not_stream(self):
        """They refuse what the APIs refuse, and share no code with the engine."""
        turns = [{"calls": [{"name": "shop__note", "arguments": {"effects": str(self.effects), "text": text}} for text in ("a", "b")],
                  "expect": ["Please"]},
                 {"calls": [{"name": "shop__note", "arguments": {"text": "c"}}], "expect": ["noted a", "noted b"]},
                 {"text": "Done.", "expect": ["tool_error: .*effects"]}, {"text": "Again.", "expect": ["More"]}]
        for api in FORMATS[1:]:
            session = f"{self.session}-{api}"
            with self.subTest(api), ScriptedModel(turns) as model:
                settings = {"TOOLWAY_AI_PROVIDER": api, "TOOLWAY_AI_MODEL": "m", "OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY,
                            "TOOLWAY_AI_ALLOW_ADDRESSES": "127.0.0.1", "TOOLWAY_AI_BASE_URL": model.url + ("" if api == "anthropic" else "/v1")}
                self.assertEqual(run("talk", "--session", session, "Please.", **settings)[:2], (0, "Done.\n"))
                self.assertEqual(run("talk", "--session", session, "More.", **settings)[:2], (0, "Again.\n"))
                self.assertEqual((model.refused, model.asked), ([], 4))
        self.assertEqual(sorted(self.lines()), ["a"] * 3 + ["b"] * 3)

    def test_a_kill_in_mid_turn(self):
        path = script(self.session, {"turns": [{"replies": [{"calls": [self.slow("one", 1.5), self.slow("two", 0.1)]},
                                                            {"text": "Both: {{result}}"}]}]})
        process = start("talk", "--session", self.session, "--script", path, "go")
        while not self.lines():
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        process.kill()
        process.communicate()
        status, out, err = run("talk", "--session", self.session, "--script", path)
        self.assertEqual((status, out), (0, "Both: noted one, noted two\n"), err)
        self.assertIn("Continuing the turn that was interrupted", err)
        self.assertEqual(sorted(self.lines()), ["one", "two"], "nothing ran twice")
        self.assert_valid("--script", path)

    def test_kills_at_any_time(self):
        rounds = range(12)
        path = script(self.session, {"turns": [{"when": f"round {i}.", "replies": [
            {"text": "So.", "calls": [self.slow(f"a{i}", 0.2), self.slow(f"b{i}", 0.4)]}, {"calls": [self.slow(f"c{i}", 0.1)]},
            {"text": "Done.", "word_ms": 20}]} for i in rounds]})
        chance = random.Random(3)
        for i in rounds:
            process = start("talk", "--session", self.session, "--script", path, f"round {i}.")
            time.sleep(chance.uniform(0.05, 1.2))
            process.kill()
            process.communicate()
            status, _, err = run("talk", "--session", self.session, "--script", path)
            self.assertEqual(status, 0, err)
        self.assertEqual(len(self.lines()), len(set(self.lines())), "nothing ran twice")
        self.assert_valid("--script", path)
        made = self.exported("toolway", "--script", path).count('"call":{')
        self.assertEqual(len(self.lines()), made, "and every call in the history ran")

    def test_ctrl_c_stops_the_turn_and_its_calls(self):
        path = script(self.session, {"turns": [{"when": "go", "replies": [{"calls": [self.slow("late", 60)]}]},
                                               {"replies": [{"text": "Yes."}]}]})
        process = start("talk", "--session", self.session, "--script", path, "go")
        while "Calling tool" not in process.stderr.readline():
            pass
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 130, err)
        status, out, err = run("talk", "--session", self.session, "--script", path, "still there?")
        self.assertEqual((status, out), (0, "Yes.\n"), err)
        deadline = time.monotonic() + 20
        while True:
            call = json.loads(run("calls", "list", self.session, "-o", "json")[1])["calls"][0]
            if call["outcome"] or time.monotonic() > deadline:
                break
            time.sleep(0.2)
        self.assertEqual(call["outcome"], "cancelled")
        self.assertIn("was stopped before it had a result", self.exported("openai", "--script", path))
        self.assert_valid("--script", path)

    def test_a_result_that_arrives_later(self):
        path = script(self.session, {"turns": [{"when": "go", "replies": [{"calls": [self.slow("late", 1.5)]}, {"text": "I wait."}]},
                                               {"replies": [{"text": "I see."}]}]})
        status, out, err = run("talk", "--session", self.session, "--script", path, "--inline-ms", "100", "go")
        self.assertEqual((status, out), (0, "I wait.\n"), err)
        self.assertEqual(self.lines(), [])
        deadline = time.monotonic() + 20
        while json.loads(run("calls", "list", self.session, "-o", "json")[1])["calls"][0]["outcome"] is None:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
        for lines, told in (("and?\n", True), ("and?\n", False)):
            status, out, err = run("talk", "--session", self.session, "--script", path, lines=lines)
            self.assertEqual((status, out), (0, "I see.\n"), err)
            self.assertEqual("Result of shop.slow_note" in err, told, err)
        text = self.exported("openai", "--script", path)
        self.assertEqual(text.count("[[SYSTEM: shop.slow_note completed: noted late"), 1, text)
        self.assert_valid("--script", path)

    def test_one_writer(self):
        path = script(self.session, {"turns": [{"replies": [{"text": "late", "delay_ms": 60000}]}]})
        first = start("talk", "--session", self.session, "--script", path, "go")
        while not list(state.glob(f"toolway/talk/{self.session}-*.jsonl")):
            time.sleep(0.02)
        status, _, err = run("talk", "--session", self.session, "--script", path, "go")
        self.assertIn("another process has the conversation", err)
        self.assertNotEqual(status, 0)
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=20)
        self.assertEqual(first.returncode, 130)

    def test_with_server_no_other_model_answers(self):
        for arguments, lines in ((("hi",), ""), ((), "hi\n")):
            status, out, err = run("talk", "--server", "--session", self.session, *arguments, lines=lines, OPENAI_API_KEY=KEY)
            self.assertEqual((status, out), (4, ""), err)
            self.assertIn("no chat process runs", err)
        status, _, err = run("talk", "--server", "--state", "/tmp", "hi")
        self.assertEqual(status, 2, err)

    def test_an_empty_message_is_wrong_usage(self):
        for message, error in (("", "error: message: needs a value that is not empty\n  see: toolway talk --help\n"), (" \t", "error: the message is empty\n")):
            status, _, err = run("talk", "--session", self.session, message)
            self.assertEqual((status, err), (2, error))

    def test_a_turn_ends_when_its_reader_has_gone(self):
        path = script(self.session, {"turns": [{"replies": [{"text": "word " * 400, "word_ms": 50}]}]})
        process = start("talk", "--script", path, "--session", self.session, "hi")
        process.stdin.close()
        self.assertEqual(process.stdout.read(5), "word ")
        process.stdout.close()
        self.assertEqual(process.wait(timeout=10), -signal.SIGPIPE, process.stderr.read())
        process.stderr.close()

    def test_not_configured_is_a_state(self):
        for more, words in (({"TOOLWAY_AI_ENABLED": "false", "ANTHROPIC_API_KEY": KEY}, "AI features disabled (TOOLWAY_AI_ENABLED=false)"),
                            ({}, "No API key found for provider 'anthropic'. Set ANTHROPIC_API_KEY.")):
            status, out, _ = run("chat", "check", **more)
            self.assertEqual((status, out), (1, words + "\n"))
            status, out, err = run("talk", "hello", **more)
            self.assertEqual(status, 1)
            self.assertIn(words, err)

    def test_check_says_what_is_set_and_never_a_key(self):
        path = script(self.session, {"turns": [{"replies": [{"text": "ready"}]}]})
        with Served(PROGRAM, path) as url:
            settings = {"ANTHROPIC_API_KEY": KEY, "TOOLWAY_AI_BASE_URL": url, "TOOLWAY_AI_MODEL": "small"}
            status, out, err = run("chat", "check", **settings)
            self.assertEqual(status, 4, "an address that is not public must be allowed")
            self.assertIn("TOOLWAY_AI_ALLOW_ADDRESSES", out + err)
            settings["TOOLWAY_AI_ALLOW_ADDRESSES"] = "127.0.0.1"
            status, out, err = run("chat", "check", **settings)
            self.assertEqual(status, 0, err)
            self.assertRegex(out, r"provider +anthropic \(the one whose key is there\)\nmodel +small, from TOOLWAY_AI_MODEL\n"
                                  r"base URL +http://127.0.0.1:\d+, from TOOLWAY_AI_BASE_URL\nkey +set, from ANTHROPIC_API_KEY\n"
                                  r"answers +yes, in \d+ ms: ready\n")
            self.assertNotIn(KEY, out + err)
            told = json.loads(run("chat", "check", "-o", "json", **settings)[1])
            self.assertEqual((told["answers"], told["key"]), (True, True))
        status, out, err = run("chat", "check", **settings)  # nothing is there any more
        self.assertEqual(status, 4)
        self.assertIn("unavailable", err)


if __name__ == "__main__":
    unittest.main()

"""Conversations that are exported and imported over HTTP: what a provider made in its own form goes back to its format alone, Toolway's own form
comes back byte for byte, and what is not a conversation is refused before anything is begun."""

import json
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(ROOT / "tests/e2e/telemetry"), str(ROOT / "tests/chat")]
from dev_stack import Dev  # noqa: E402
import strict_check  # noqa: E402

PROGRAM = sys.argv.pop(1)
FORMATS = ("toolway", "openai", "openai-responses", "anthropic")
OF_ANTHROPIC = """{"system": "Be brief.", "messages": [
  {"role": "user", "content": "Search."},
  {"role": "assistant", "content": [
    {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x", "limit": 1e5, "Zone": {"z": 1, "a": 2.50}}},
    {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"url": "https://e.example", "type": "web_search_result", "age": -0.0}]},
    {"type": "text", "text": "Found."},
    {"type": "tool_use", "id": "toolu_1", "name": "files__list", "input": {"path": ".", "Depth": 1e5, "all": true}}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "none"}]},
  {"role": "assistant", "content": [{"type": "redacted_thinking", "data": "x"}, {"type": "text", "text": "There is none."}]}]}"""


def setUpModule():
    global dev
    kept = tempfile.TemporaryDirectory(prefix="toolway-chat-")
    unittest.addModuleCleanup(kept.cleanup)
    script = pathlib.Path(kept.name) / "script.yaml"
    script.write_text("turns: [{replies: [{text: Hello.}]}]\n")
    dev = Dev(PROGRAM, "--chat", "--script", script)
    unittest.addModuleCleanup(dev.__exit__)
    dev.__enter__()


class Exchange(unittest.TestCase):
    def setUp(self):
        self.session = self.id().split(".")[-1]
        self.open(self.session)

    def open(self, session):
        dev.ask("/v1/sessions", {"session_id": session, "namespaces": ["*"]}, 201)

    def export(self, form, session=None):
        return dev.ask(f"/v1/sessions/{session or self.session}/export?format={form}")

    def put(self, text, form="toolway", session=None, status=200, more=""):
        """Imports the text as it is."""
        path = f"/v1/conversations:import?session={session or self.session}&format={form}{more}"
        return json.loads(dev.send(path, text.encode(), status))

    def imported(self, *arguments, **more):
        ended = self.put(*arguments, **more)
        self.assertEqual(ended["outcome"], "succeeded", ended)
        return ended["result"]

    def test_what_a_provider_made_goes_back_to_its_format_alone(self):
        self.assertEqual(self.imported(OF_ANTHROPIC, "anthropic")["messages"], 5)
        for form in FORMATS:
            text = self.export(form)
            self.assertIsNone(strict_check.check(form, text), text)
            for theirs in ("thinking", "c2ln", "srvtoolu_1", "web_search"):
                self.assertEqual(theirs in text, form in ("toolway", "anthropic"), (form, theirs, text))
        sent, back = (json.loads(text)["messages"] for text in (OF_ANTHROPIC, self.export("anthropic")))
        self.assertEqual(back, [{"role": "user", "content": "Search."}] + sent[1:])
        self.imported(self.export("anthropic"), "anthropic")
        again = self.export("anthropic")
        self.imported(again, "anthropic")
        self.assertEqual(self.export("anthropic"), again)

    def test_toolway_to_toolway_is_byte_for_byte(self):
        self.imported(OF_ANTHROPIC, "anthropic")
        first = self.export("toolway")
        self.assertIn('"limit":100000.0,"Zone":{"z":1,"a":2.5}', first, "in the order of what came")
        second = self.session + "-2"
        self.open(second)
        self.imported(first, session=second)
        self.assertEqual(self.export("toolway", second), first)
        # With what a turn adds.
        dev.ask(f"/v1/sessions/{second}/messages", {"content": "hi"}, Prefer="wait=60")
        whole = self.export("toolway", second)
        self.assertGreater(len(whole), len(first))
        self.imported(whole)
        self.assertEqual(self.export("toolway"), whole)

    def test_ids_of_calls_that_are_none_are_refused_and_nothing_is_begun(self):
        self.imported(OF_ANTHROPIC, "anthropic")
        before = self.export("toolway")
        call = {"role": "assistant", "parts": [{"call": {"id": "a", "tool": "t", "arguments": "{}"}}]}
        wrong = {
            "/messages/1/results/0/ran_as": [call, {"role": "results", "results": [{"call_id": "a", "text": "x", "ran_as": "no", "detached": True}]}],
            "/messages/0/about/0": [{"role": "injected", "text": "x", "about": ["no"]}],
            "/messages/0/progress/0/ran_as": [{"role": "injected", "text": "x", "progress": [{"ran_as": "no", "event": "7-1"}]}]}
        for place, messages in wrong.items():
            for repair in ("false", "true"):
                path = f"/v1/conversations:import?session={self.session}&repair={repair}"
                problem = json.loads(dev.ask(path, {"format": "toolway", "version": 1, "messages": messages}, 422))
                self.assertEqual(problem["code"], "invalid_request", problem)
                self.assertIn(f"{place}: expected the id of a call", problem["detail"])
        self.assertEqual(self.export("toolway"), before)

    def test_what_is_too_large_says_so_and_what_to_do(self):
        said = [{"role": role, "content": "x" * 1000} for _ in range(300) for role in ("user", "assistant")]
        problem = self.put(json.dumps(said), "openai", status=413)
        self.assertEqual(problem["code"], "payload_too_large", problem)
        self.assertRegex(problem["detail"], r"have 6\d{5} bytes .* at most 524288, .*: import them in parts")
        self.assertEqual(self.imported(json.dumps(said[200:]), "openai")["messages"], 400)

    def test_what_is_large_is_imported_in_parts(self):
        said = [{"role": role, "content": f"{number} " + "x" * 1000} for number in range(500) for role in ("user", "assistant")]
        place = self.place
        first = self.imported(json.dumps(said[:400]), "openai")
        self.assertEqual(first["messages"], 400)
        second = self.imported(json.dumps(said[400:800]), "openai", more=place(first))
        self.assertEqual((second["conversation"], second["messages"]), (first["conversation"], 800))
        for wrong in (place(first), place({**second, "messages": 801}), place({**second, "conversation": "0" * 32})):
            ended = self.put(json.dumps(said[800:]), "openai", more=wrong)
            self.assertEqual((ended["outcome"], ended["error"]["code"]), ("failed", "conversation_changed"), ended)
        for wrong in ("&after=5", "&conversation=c", "&conversation=c&after=0", "&conversation=c&after=x"):
            self.assertEqual(self.put("[]", "openai", status=422, more=wrong)["code"], "invalid_request", wrong)
        self.assertEqual(self.imported(json.dumps(said[800:]), "openai", more=place(second))["messages"], 1000)
        self.assertEqual(json.loads(self.export("openai"))["messages"], said)
        self.assertGreater(len(self.export("toolway")), 1_000_000)

    @staticmethod
    def place(result):
        return f"&conversation={result['conversation']}&after={result['messages']}"

    def test_talk_imports_what_it_has_exported(self):
        said = [{"role": role, "content": f"{number} " + "x" * 1000} for number in range(700) for role in ("user", "assistant")]
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "a talk.json"

            def talk(line):
                return dev.toolway("talk", "--server", "--session", self.session, lines=line)
            file.write_text(json.dumps({"messages": said}))
            status, _, err = talk(f"/import {file} openai")
            self.assertEqual((status, err.splitlines()[-1]), (0, "A conversation of 1400 messages"), err)
            before = self.export("toolway")
            self.assertEqual(json.loads(self.export("openai"))["messages"], said)
            file.write_text(talk("/export")[1])
            self.assertEqual(talk(f"/import {file}")[0], 0)
            self.assertEqual(self.export("toolway"), before, "byte for byte")
            for wrong, why in (("/import", "name a file"), ("/import /no/such", "/no/such: "), ("/import /proc/self/cmdline", "a NUL byte at offset")):
                status, _, err = talk(wrong)
                self.assertNotEqual(status, 0, wrong)
                self.assertIn(why, err, wrong)

    def test_numbers_that_are_none_are_refused(self):
        for number in ("1e300", "-5", '"5"'):
            body = '{"model": "m", "max_tokens": %s, "messages": [{"role": "user", "content": "hi"}]}' % number
            problem = json.loads(dev.send("/v1/chat/completions", body.encode(), 400))
            self.assertEqual(problem["error"]["message"], "max_tokens: expected a whole number of 1 or more", problem)


if __name__ == "__main__":
    unittest.main()

"""Images and documents: a Python tool's reach a model at each of the three APIs as that takes them, and are kept with the conversation; those
of official clients are part of their turn."""

import json
import pathlib
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(ROOT / "tests/e2e/telemetry"), str(ROOT / "tests/chat"), str(ROOT / "tests/chat/campaign")]
from dev_stack import Dev  # noqa: E402
from strict_model import StrictModel  # noqa: E402
import strict_check  # noqa: E402

PROGRAM = sys.argv.pop(1)
TOOLS = ROOT / "tests/e2e/agents/tools"
FORMATS = ("toolway", "openai", "openai-responses", "anthropic")
# As tests/e2e/agents/tools/agent_test_tools.py has them.
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
REPORT = "JVBERi0xLjQKMSAwIG9iaiA8PCAvVHlwZSAvUGFnZSA+PiBlbmRvYmoK"
AS_TEXT = ("The picture:\n[image image/png, 70 bytes]\n[resource application/pdf report.pdf file:///report.pdf, 42 bytes]\n"
           "[resource text/csv file:///list.csv] name,price\nplum,1")
PICTURE_URL = "data:image/png;base64," + PICTURE
REPORT_URL = "data:application/pdf;base64," + REPORT
SHOWN = {"openai": AS_TEXT,
         "openai-responses": [
             {"type": "input_text", "text": "The picture:"},
             {"type": "input_image", "image_url": PICTURE_URL, "detail": "high"},
             {"type": "input_file", "filename": "report.pdf", "file_data": REPORT_URL},
             {"type": "input_text", "text": "[resource text/csv file:///list.csv] name,price\nplum,1"}],
         "anthropic": [
             {"type": "text", "text": "The picture:"},
             {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}},
             {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": REPORT}, "title": "report.pdf"},
             {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "name,price\nplum,1"},
              "title": "file:///list.csv"}]}
PLAN = 'plan:{"id": "p", "rounds": [[{"tool": "shop__picture", "arguments": {}}]]}'
SCRIPT = {"turns": [{"when": "later", "replies": [{"calls": [{"tool": "shop.picture"}], "inline_ms": 0}, {"text": "It runs."},
                                                  {"text": "Told: {{event}}"}]},
                    {"when": "picture", "replies": [{"calls": [{"tool": "shop.picture"}]}, {"text": "I read: {{result}}"}]},
                    {"replies": [{"text": "Hello."}]}]}


def setUpModule():
    global dev
    kept = tempfile.TemporaryDirectory(prefix="toolway-images-")
    unittest.addModuleCleanup(kept.cleanup)
    script = pathlib.Path(kept.name) / "script.json"
    script.write_text(json.dumps(SCRIPT))
    dev = Dev(PROGRAM, "--chat", "--script", script, "--specs", TOOLS, "--python-path", TOOLS)
    unittest.addModuleCleanup(dev.__exit__)
    dev.__enter__()


def ask(path, body=None, status=200, **headers):
    """The text of the answer."""
    return dev.ask(path, body, status, **headers)


def talk(session, *arguments, lines="", **more):
    """Exit status, standard output, standard error."""
    return dev.toolway("talk", "--session", session, *arguments, lines=lines, **more)


class Shown(StrictModel):
    """A model that is as strict as the APIs, and keeps what it was sent."""

    def __init__(self, sees=True):
        self.requests, self.sees = [], sees
        super().__init__(1, 0)

    def answer(self, handler, body):
        self.requests.append(json.loads(body))
        if self.sees or PICTURE.encode() not in body:
            return super().answer(handler, body)
        error = json.dumps({"error": {"type": "invalid_request_error", "message": "This model does not support image input."}}).encode()
        handler.send_response(400)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(error)))
        handler.end_headers()
        handler.wfile.write(error)

    def settings(self, api):
        return {"TOOLWAY_AI_PROVIDER": api, "TOOLWAY_AI_MODEL": "m", "OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "TOOLWAY_AI_ALLOW_ADDRESSES": "127.0.0.1",
                "TOOLWAY_AI_BASE_URL": self.url().removesuffix("/v1") + ("" if api == "anthropic" else "/v1")}


def result_in(request):
    """The content of the first result; None: it has none."""
    for item in request.get("input", request.get("messages")):
        if item.get("type") == "function_call_output":
            return item["output"]
        if item.get("role") == "tool":
            return item["content"]
        for block in item["content"] if isinstance(item.get("content"), list) else ():
            if block["type"] == "tool_result":
                return block["content"]
    return None


class Images(unittest.TestCase):
    def setUp(self):
        self.session = self.id().split(".")[-1]
        self.path = f"/v1/sessions/{self.session}"

    def test_of_tools_reach_each_api(self):
        for api, wanted in SHOWN.items():
            session = f"{self.session}-{api}"
            with self.subTest(api):
                model = Shown()
                settings = model.settings(api)
                self.assertEqual(talk(session, PLAN, **settings)[:2], (0, "Done with p\n"))
                self.assertEqual(talk(session, "again", **settings)[0], 0)
                self.assertEqual([result_in(request) for request in model.requests], [None, wanted, wanted], "also in another process")
                self.assertEqual(model.wrong, [])
                for name in FORMATS:
                    text = talk(session, lines=f"/export {name}\n", **settings)[1]
                    self.assertIsNone(strict_check.check(name, text), text)

    def test_a_model_that_sees_none_reads_what_they_are(self):
        for api in ("openai-responses", "anthropic"):
            with self.subTest(api):
                model = Shown(sees=False)
                status, out, err = talk(f"{self.session}-{api}", lines=f"{PLAN}\nagain\n", **model.settings(api))
                self.assertEqual((status, out.splitlines()[:1]), (0, ["Done with p"]), err)
                seen = [result_in(request) for request in model.requests]
                self.assertEqual(seen, [None, SHOWN[api], AS_TEXT, AS_TEXT], "it was refused once")
                self.assertEqual(model.wrong, [])

    def test_of_calls_that_ended_later_are_shown(self):
        ask("/v1/sessions", {"session_id": self.session, "namespaces": ["*"]}, 201)
        ask(f"{self.path}/messages", {"content": "Make it for later.", "options": {"on_completion": "turn"}}, Prefer="wait=60")
        # With the turn's next request, or with a turn that begins for it.
        told_of = lambda: [one for one in json.loads(ask(f"{self.path}/messages"))["messages"] if one["role"] == "injected"]  # noqa: E731
        deadline = time.monotonic() + 40
        while not told_of():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.2)
        [told] = told_of()
        self.assertEqual(told["text"], f"[[SYSTEM: shop.picture completed: {AS_TEXT}]]")
        self.assertEqual([block.get("data") for block in told["blocks"]], [PICTURE, REPORT, None])
        for name in FORMATS:
            text = ask(f"{self.path}/export?format={name}")
            self.assertIsNone(strict_check.check(name, text), text)
            self.assertIn(PICTURE, text, "a message of the user's side has images at each API")

    def test_of_a_conversation_on_the_servers_side_are_kept(self):
        ask("/v1/sessions", {"session_id": self.session, "namespaces": ["*"]}, 201)
        say = lambda content: json.loads(ask(f"{self.path}/messages", {"content": content}, Prefer="wait=60"))  # noqa: E731
        self.assertEqual(say("Show me the picture.")["result"]["reply"], "I read: " + AS_TEXT)
        blocks = json.loads(ask(f"{self.path}/messages"))["messages"][2]["results"][0]["blocks"]
        self.assertEqual([(block["type"], block["media_type"], block.get("data")) for block in blocks],
                         [("image", "image/png", PICTURE), ("document", "application/pdf", REPORT), ("document", "text/csv", None)])
        exported = {name: ask(f"{self.path}/export?format={name}") for name in FORMATS}
        for name, text in exported.items():
            self.assertIsNone(strict_check.check(name, text), text)
            self.assertEqual(PICTURE in text, name != "openai")
        for name in ("toolway", "openai-responses", "anthropic"):
            session = f"{self.session}-{name}"
            ask("/v1/sessions", {"session_id": session, "namespaces": ["*"]}, 201)
            ask(f"/v1/conversations:import?session={session}&format={name}", json.loads(exported[name]), Prefer="wait=60")
            self.assertEqual(json.loads(ask(f"/v1/sessions/{session}/export?format={name}")), json.loads(exported[name]))
        self.assertEqual(say("hello")["outcome"], "succeeded", "the conversation continues")

    def test_of_clients_are_part_of_their_turn(self):
        said = {"type": "text", "text": "hi"}
        bodies = {"/v1/chat/completions": {"messages": [{"role": "user", "content": [said, {"type": "image_url", "image_url": {"url": PICTURE_URL}}]}]},
                  "/v1/responses": {"input": [{"role": "user", "content": [
                      {"type": "input_text", "text": "hi"}, {"type": "input_image", "image_url": PICTURE_URL}]}]},
                  "/v1/messages": {"max_tokens": 9, "messages": [{"role": "user", "content": [said, {"type": "image", "source": {
                      "type": "base64", "media_type": "image/png", "data": PICTURE}}]}]}}
        for path, body in bodies.items():
            session = {"X-Toolway-Session": self.session + path.replace("/", "-")}
            ask("/v1/sessions", {"session_id": session["X-Toolway-Session"], "namespaces": ["*"]}, 201)
            with self.subTest(path):
                self.assertIn("Hello.", ask(path, {"model": "m", **body}, **session))
                turn = json.loads(ask(f"/v1/sessions/{session['X-Toolway-Session']}/calls"))["calls"][0]
                message = turn["arguments"]["messages"][0]
                self.assertEqual((message["text"], message["blocks"][0]["data"]), ("hi\n[image image/png, 70 bytes]", PICTURE))
                wrong = json.dumps({"model": "m", **body}).replace(PICTURE, "AAAA")
                self.assertIn("expected a PNG", ask(path, json.loads(wrong), 400, **session))

    def test_at_a_url_reach_each_api(self):
        """Those of the user: their provider reads them."""
        url = "https://a.example/picture.png?w=1"
        sent = {"openai": {"type": "image_url", "image_url": {"url": url, "detail": "high"}},
                "openai-responses": {"type": "input_image", "image_url": url, "detail": "high"},
                "anthropic": {"type": "image", "source": {"type": "url", "url": url}}}
        said = {"messages": [{"role": "user", "content": [{"type": "text", "text": "Look:"}, sent["openai"]]}, {"role": "assistant", "content": "I see."}]}
        ask("/v1/sessions", {"session_id": self.session, "namespaces": ["*"]}, 201)
        ask(f"/v1/conversations:import?session={self.session}&format=openai", said, Prefer="wait=60")
        exported = {name: ask(f"{self.path}/export?format={name}") for name in FORMATS}
        for name, text in exported.items():
            self.assertIsNone(strict_check.check(name, text), text)
        for name, part in sent.items():
            messages = json.loads(exported[name])
            self.assertEqual(messages.get("messages", messages.get("input"))[0]["content"][1], part)
        file = pathlib.Path(dev.directory.name) / "url.json"
        file.write_text(exported["toolway"])
        for api, part in sent.items():
            with self.subTest(api):
                model = Shown()
                self.assertEqual(talk(f"{self.session}-{api}", lines=f"/import {file}\nagain\n", **model.settings(api))[0], 0)
                self.assertEqual(model.wrong, [])
                self.assertIn(json.dumps(part, separators=(",", ":")), json.dumps(model.requests[0], separators=(",", ":")))


if __name__ == "__main__":
    unittest.main()

"""Which model answers `toolway dev --chat` and `toolway chat check`: the one that the environment or files name, or a script where there is no key.
And that a provider which quotes all that it is sent makes neither key nor prompt visible."""

import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(ROOT / "tests/e2e/telemetry")]
from dev_stack import Dev  # noqa: E402

PROGRAM = sys.argv.pop(1)
KEY = "sk-of-the-operator-0123456789"
PROMPT = "the pomegranate secret of the orchard"
# No model of this machine.
NONE = {name: "" for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY_FILE", "ANTHROPIC_API_KEY_FILE", "TOOLWAY_AI_CONFIG",
                              "TOOLWAY_AI_ENABLED", "TOOLWAY_AI_PROVIDER", "TOOLWAY_AI_MODEL", "TOOLWAY_AI_BASE_URL", "TOOLWAY_AI_ALLOW_ADDRESSES")}


class Quoting(http.server.BaseHTTPRequestHandler):
    """Chat Completions that quote the key and the message: as an error of the status that the message names, as one in the stream, as no event."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        said = [message["content"] for message in body["messages"] if message["role"] == "user"][-1]
        self.server.asked.append((self.headers["authorization"], body))
        quote = f"Invalid prompt: \"{said}\" with {self.headers['authorization']}"
        error = json.dumps({"error": {"type": "invalid_request_error", "message": quote}})
        if said.startswith("status "):
            return self.answer(int(said.split()[1]), "application/json", error)
        if said.startswith("stream "):
            return self.answer(200, "text/event-stream", f"data: {error}\n\n")
        if said.startswith("noise "):
            return self.answer(200, "text/event-stream", f"data: {quote}\n\n")
        if said.startswith("page "):
            return self.answer(200, "text/html", f"<p>{quote}</p>")
        if said.startswith("whole "):
            return self.answer(200, "application/json", error)
        message = {"role": "assistant", "content": "Ready."}
        self.answer(200, "application/json", json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}))

    def answer(self, status, kind, text):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("x-should-retry", "false")
        self.send_header("content-length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


def setUpModule():
    global server, url, directory
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quoting)
    server.asked = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    unittest.addModuleCleanup(server.shutdown)
    kept = tempfile.TemporaryDirectory(prefix="toolway-chat-")
    unittest.addModuleCleanup(kept.cleanup)
    directory = pathlib.Path(kept.name)


def file(name, text):
    path = directory / name
    path.write_text(text)
    return str(path)


def check(*arguments, **environment):
    """Exit status, standard output and standard error of `toolway chat check`."""
    ran = subprocess.run([PROGRAM, "chat", "check", *arguments], capture_output=True, text=True, timeout=60, env={**os.environ, **NONE, **environment})
    return ran.returncode, ran.stdout, ran.stderr


def family(pid):
    """A process and all below it."""
    children = {}
    for status in pathlib.Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(line.split(":\t", 1) for line in status.read_text().splitlines() if ":\t" in line)
        except OSError:
            continue
        children.setdefault(int(fields["PPid"]), []).append(int(fields["Pid"]))
    found, left = [], [pid]
    while left:
        found.append(left.pop())
        left += children.get(found[-1], [])
    return found


class Check(unittest.TestCase):
    def test_a_key_may_be_in_a_file_and_the_rest_in_another(self):
        config = file("ai.yaml", f"provider: openai\nmodel: m-of-file\nbase_url: {url}\nallow_addresses: [127.0.0.1]\n")
        key = file("key", KEY + "\n")
        status, said, problem = check(OPENAI_API_KEY_FILE=key, TOOLWAY_AI_CONFIG=config)
        self.assertEqual(status, 0, problem)
        self.assertEqual(said.splitlines()[:4], [f"provider   openai, from {config}, line 1", f"model      m-of-file, from {config}, line 2",
                                                 f"base URL   {url}, from {config}, line 3", "key        set, from OPENAI_API_KEY_FILE"])
        self.assertIn("Ready.", said)
        self.assertEqual(server.asked[-1][0], f"Bearer {KEY}")
        self.assertEqual(server.asked[-1][1]["model"], "m-of-file")
        status, said, problem = check("--ai-config", config, "-o", "json", OPENAI_API_KEY=KEY, TOOLWAY_AI_MODEL="m-of-environment")
        told = json.loads(said)
        self.assertEqual(told["model"], "m-of-environment", "the environment wins")
        self.assertEqual(told["from"], {"provider": f"{config}, line 1", "model": "TOOLWAY_AI_MODEL", "base_url": f"{config}, line 3", "key": "OPENAI_API_KEY"})
        self.assertNotIn(KEY, said + problem)

    def test_a_url_may_have_a_query_which_is_shown_by_name_alone(self):
        status, said, problem = check(OPENAI_API_KEY=KEY, TOOLWAY_AI_ALLOW_ADDRESSES="127.0.0.1", TOOLWAY_AI_BASE_URL=url + "?key=query-secret")
        self.assertEqual(status, 0, problem)
        self.assertIn(f"{url}?key=…, from TOOLWAY_AI_BASE_URL", said)
        self.assertNotIn("query-secret", said + problem)

    def test_a_wrong_url_is_named_by_where_it_is(self):
        status, said, problem = check(TOOLWAY_AI_BASE_URL="nonsense")
        self.assertEqual(status, 2, problem)
        self.assertIn("TOOLWAY_AI_BASE_URL: ", problem)
        config = file("wrong-url.yaml", "base_url: nonsense\n")
        self.assertIn(f"{config}, line 1: ", check("--ai-config", config)[2])

    def test_a_script_without_a_reply_fails(self):
        script = file("script.yaml", "turns: [{when: files, replies: [{text: None.}]}]\n")
        status, said, problem = check("--script", script)
        self.assertEqual(status, 4, said)
        self.assertIn("script", problem)

    def test_files_that_say_nothing_are_refused(self):
        empty = file("empty", "\n")
        for environment, why in (({"OPENAI_API_KEY_FILE": "/no/such/file"}, "OPENAI_API_KEY_FILE: cannot read /no/such/file"),
                                 ({"ANTHROPIC_API_KEY_FILE": empty}, f"ANTHROPIC_API_KEY_FILE: {empty} is empty"),
                                 ({"TOOLWAY_AI_CONFIG": file("wrong.yaml", "model: m\nkey: sk-secret\n")}, "wrong.yaml:2: unknown field `key`")):
            status, said, problem = check(**environment)
            self.assertNotEqual(status, 0)
            self.assertIn(why, problem)
            self.assertNotIn("sk-secret", said + problem)


class WithoutKey(unittest.TestCase):
    def test_a_script_answers(self):
        with Dev(PROGRAM, "--chat", environment=NONE) as dev:
            dev.ask("/v1/sessions", {"session_id": "s", "namespaces": ["*"]}, 201)
            ended = json.loads(dev.ask("/v1/sessions/s/messages", {"content": "hi"}, Prefer="wait=60"))
            self.assertEqual(ended["outcome"], "succeeded", ended)
            self.assertIn("A script answers here", ended["result"]["reply"])
            for word, begins in (("files", "The directory has"), ("time", "It is 2")):
                ended = json.loads(dev.ask("/v1/sessions/s/messages", {"content": f"What {word}?"}, Prefer="wait=60"))
                self.assertTrue(ended["result"]["reply"].startswith(begins), ended)
            dev.log.seek(0)
            self.assertIn("a script of ours answers messages: No API key found for provider 'anthropic'. Set ANTHROPIC_API_KEY.", dev.log.read())

    def test_what_is_off_is_off(self):
        with Dev(PROGRAM, "--chat", environment={**NONE, "TOOLWAY_AI_ENABLED": "false"}) as dev:
            dev.ask("/v1/sessions", {"session_id": "s", "namespaces": ["*"]}, 201)
            ended = json.loads(dev.ask("/v1/sessions/s/messages", {"content": "hi"}, Prefer="wait=60"))
            self.assertEqual(ended["error"]["code"], "not_configured", ended)


class Secrets(unittest.TestCase):
    """The issue: keys and prompts appear in no log, error, metric or process list."""

    @classmethod
    def setUpClass(cls):
        cls.dev = Dev(PROGRAM, "--chat", environment={**NONE, "OPENAI_API_KEY": KEY, "TOOLWAY_AI_BASE_URL": url,
                                                        "TOOLWAY_AI_ALLOW_ADDRESSES": "127.0.0.1"})
        cls.addClassCleanup(cls.dev.__exit__)
        cls.dev.__enter__()

    def hidden(self, text, where):
        for secret in (KEY, "pomegranate", "secret of the orchard"):
            self.assertNotIn(secret, text, where)

    def test_key_and_prompt_are_in_no_log_error_metric_or_process_list(self):
        dev = self.dev
        dev.ask("/v1/sessions", {"session_id": "s", "namespaces": ["*"]}, 201)
        for how in ("status 400", "status 401", "status 403", "status 404", "status 413", "status 429", "status 500", "stream", "noise", "page", "whole"):
            ended = json.loads(dev.ask("/v1/sessions/s/messages", {"content": f"{how} {PROMPT}"}, Prefer="wait=60"))
            self.assertEqual(ended["outcome"], "failed", (how, ended))
            self.hidden(json.dumps(ended["error"]), how)
        self.assertIn(PROMPT, json.dumps(server.asked), "it was sent")
        self.assertIn(KEY, server.asked[-1][0])
        answer = json.loads(dev.ask("/v1/chat/completions", {"model": "m", "messages": [{"role": "user", "content": f"status 400 {PROMPT}"}]}, 500))
        self.hidden(json.dumps(answer), "face")
        for log in (pathlib.Path(dev.directory.name) / "data/logs").glob("*.log"):
            self.hidden(log.read_text(errors="replace"), log)
        dev.log.seek(0)
        self.hidden(dev.log.read(), "dev's output")
        for role in ("chat", "gateway", "worker", "collector"):
            self.hidden(dev.scrape(role)[1], f"metrics of {role}")
        for pid in family(dev.process.pid):
            self.hidden(pathlib.Path(f"/proc/{pid}/cmdline").read_text(errors="replace"), pid)

    def test_no_process_has_the_key_in_its_environment(self):
        names = {}
        for pid in family(self.dev.process.pid):
            process = pathlib.Path(f"/proc/{pid}")
            names.setdefault(process.joinpath("comm").read_text().strip(), []).append(pid)
            environment = process.joinpath("environ").read_bytes()
            self.assertTrue(environment)
            self.assertNotIn(KEY.encode(), environment, names)
        ours = pathlib.Path(PROGRAM).name
        self.assertLessEqual({"nats-server", "postgres", ours}, set(names), names)
        self.assertGreaterEqual(len(names[ours]), 5, "dev, gateway, worker, collector, chat")


if __name__ == "__main__":
    unittest.main()

"""What tests of conversations on the server's side share: one session a test, its messages, its exports."""

import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests/chat"), str(ROOT / "tests/e2e/telemetry")]
from dev_stack import Dev  # noqa: E402
import strict_check  # noqa: E402

FORMATS = ("toolway", "openai", "openai-responses", "anthropic")


class ConversationCase(unittest.TestCase):
    """A session of its own for each test, on the stack `dev`."""
    dev = None

    @classmethod
    def ask(cls, path, body=None, status=200, method=None, raw=False, **headers):
        text = cls.dev.ask(path, body, status, method, **headers)
        return text if raw else json.loads(text)

    def setUp(self):
        self.session = self.id().split(".")[-1]
        self.path = f"/v1/sessions/{self.session}"
        self.ask("/v1/sessions", {"session_id": self.session, "namespaces": ["*"]}, 201)

    def say(self, content, wait=60, **more):
        return self.ask(f"{self.path}/messages", {"content": content, **more}, **{"Prefer": f"wait={wait}"})

    def messages(self):
        return self.ask(f"{self.path}/messages")["messages"]

    def roles(self):
        return [message["role"] for message in self.messages()]

    def eventually(self, what, seconds=40):
        deadline = time.monotonic() + seconds
        while not (found := what()):
            self.assertLess(time.monotonic(), deadline, self.messages())
            time.sleep(0.1)
        return found

    def check_exports(self):
        for name in FORMATS:
            text = self.ask(f"{self.path}/export?format={name}", raw=True)
            self.assertIsNone(strict_check.check(name, text), text)


class KeyCase(unittest.TestCase):
    """On a stack `dev` of `program` that asks callers for API keys."""
    dev = program = None

    @classmethod
    def begin(cls, policy, script, *options):
        """`policy`, `script`: the texts of their files."""
        kept = tempfile.TemporaryDirectory(prefix="toolway-chat-")
        cls.addClassCleanup(kept.cleanup)
        files = {name: pathlib.Path(kept.name) / name for name in ("extensions.yaml", "script.yaml")}
        for file, text in zip(files.values(), (policy, script)):
            file.write_text(text)
        cls.dev = Dev(cls.program, "--auth", "keys", "--extensions", files["extensions.yaml"], "--chat", "--script", files["script.yaml"],
                      "--root", ROOT / "examples/chat", *options)
        cls.addClassCleanup(cls.dev.__exit__)
        cls.dev.__enter__()

    @classmethod
    def key(cls, user, role):
        made = subprocess.run([cls.program, "keys", "create", "--user", user, "--role", role, "--data", f"{cls.dev.directory.name}/data",
                               "-o", "json"], capture_output=True, text=True, check=True)
        return json.loads(made.stdout)["key"]

    @classmethod
    def ask(cls, path, key, body=None, status=200, **headers):
        credential = {"Authorization": f"Bearer {key}"} if key else {}
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(cls.dev.ready["http"] + path, data=data,
                                         headers={"Content-Type": "application/json", **credential, **headers})
        deadline = time.monotonic() + 10
        while True:
            try:
                with urllib.request.urlopen(request, timeout=60) as answer:
                    found, text = answer.status, answer.read().decode()
            except urllib.error.HTTPError as problem:
                found, text = problem.code, problem.read().decode()
            # A key that was just made is known within two seconds.
            if found == status or found != 401 or time.monotonic() > deadline:
                break
            time.sleep(0.1)
        assert found == status, (found, text)
        return json.loads(text)

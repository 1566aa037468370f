"""A stack of `toolway dev` with chat processes that the campaign starts and kills itself."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/e2e/telemetry"))
from dev_stack import Dev  # noqa: E402

TOOLS = ROOT / "tests/e2e/agents/tools"
PROVIDERS = ("openai", "openai-responses", "anthropic")


class Stack:
    def __init__(self, program, model_url, chats, chat_options=()):
        self.program, self.model_url, self.count, self.chat_options = program, model_url, chats, chat_options
        self.dev = Dev(program, "--specs", TOOLS, "--python-path", TOOLS, "--pool", "native=64", "--pool", "python=48")
        self.chats = []
        self.killed_at = {}  # by worker id
        self.lock = threading.Lock()

    def __enter__(self):
        self.dev.__enter__()
        self.directory = pathlib.Path(self.dev.directory.name)
        subprocess.run([self.program, "migrate", "--pool", "chat"], env=self.environment("openai"), check=True, capture_output=True)
        self.chats = [self.start(PROVIDERS[i % 3]) for i in range(self.count)]
        return self

    def __exit__(self, *_):
        for process, *_ in self.chats:
            process.send_signal(signal.SIGTERM)
        for process, *_ in self.chats:
            process.wait(60)
        self.dev.__exit__()

    def environment(self, provider):
        return {**os.environ, "TOOLWAY_NATS_URL": self.dev.ready["nats"], "TOOLWAY_POSTGRES_URL": self.dev.ready["postgres"],
                "TOOLWAY_AI_PROVIDER": provider, "TOOLWAY_AI_MODEL": "m", "TOOLWAY_AI_BASE_URL": self.model_url,
                "TOOLWAY_AI_ALLOW_ADDRESSES": "127.0.0.1"}

    def start(self, provider):
        """The process, its provider, and the id that calls name it by."""
        before = self.workers()
        run = self.directory / "data/run"
        with open(self.directory / "chat.log", "a", encoding="utf-8") as log:
            process = subprocess.Popen(
                [self.program, "chat", "--url-file", run / "http-url", "--token-file", self.token_file(), "--drain", "5", *self.chat_options],
                env=self.environment(provider), stdout=log, stderr=log)
        deadline = time.monotonic() + 60
        while not (new := self.workers() - before):
            if time.monotonic() > deadline or process.poll() is not None:
                raise RuntimeError("a chat process did not start:\n" + (self.directory / "chat.log").read_text()[-2000:])
            time.sleep(0.02)
        return process, provider, new.pop()

    def token_file(self):
        found = [path for path in (self.directory / "data/run").iterdir() if "operator" in path.name and "token" in path.name]
        return found[0]

    def workers(self):
        try:
            return {worker["worker_id"] for worker in self.ask("/v1/workers")["workers"] if worker["pool"] == "chat"}
        except OSError:
            return set()

    def kill_chat(self, number):
        """kill -9, and another in its place."""
        process, provider, worker = self.chats[number]
        process.send_signal(signal.SIGKILL)
        with self.lock:
            self.killed_at[worker] = time.monotonic()
        process.wait()
        self.chats[number] = self.start(provider)

    def kill(self, role):
        """kill -9 of one of `toolway dev`'s processes or servers, which starts it again."""
        os.kill(self.dev.pid_of(role), signal.SIGKILL)

    def ask(self, path, body=None, raw=False, **headers):
        """The answer. Raises HTTPError of another status than 2xx, and OSError."""
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.url() + path, data, {"Content-Type": "application/json", **headers})
        with urllib.request.urlopen(request, timeout=40) as answer:
            text = answer.read().decode()
        return text if raw else json.loads(text)

    def url(self):
        return json.loads(self.dev.ready_file.read_text())["http"]

    def insist(self, path, body=None, seconds=90, **more):
        """Asks until there is an answer: what failed is asked again."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                return self.ask(path, body, **more)
            except (OSError, json.JSONDecodeError) as error:
                final = isinstance(error, urllib.error.HTTPError) and error.code not in (404, 409, 429, 500, 502, 503, 504)
                if final or time.monotonic() > deadline:
                    raise
            time.sleep(0.1)

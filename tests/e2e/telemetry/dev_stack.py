"""`toolway dev` and `toolway chat serve` as a person starts them, for a test."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request


class Dev:
    """Everything on this machine, in a directory of its own; gone when the block ends."""

    def __init__(self, program, *arguments, environment=None):
        self.program = program
        self.directory = tempfile.TemporaryDirectory(prefix="toolway-telemetry-")
        root = pathlib.Path(self.directory.name)
        root.chmod(0o711)  # as root, Postgres runs as another user
        self.ready_file = root / "ready.json"
        self.log = open(root / "dev.log", "w+")
        self.process = subprocess.Popen(
            [program, "dev", "--data", root / "data", "--http", "127.0.0.1:0",
             "--ready-file", self.ready_file, *arguments],
            stdout=self.log, stderr=subprocess.STDOUT, env={**os.environ, **(environment or {})})

    def __enter__(self):
        deadline = time.monotonic() + 90
        while not self.ready_file.exists():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.log.seek(0)
                raise RuntimeError("toolway dev did not start:\n" + self.log.read())
            time.sleep(0.02)
        self.ready = json.loads(self.ready_file.read_text())
        return self

    def __exit__(self, *_):
        self.stop()
        self.log.close()
        self.directory.cleanup()

    def pid_of(self, role):
        """Of a process as it runs now: `dev` restarts those that end, and writes its ready file again."""
        return json.loads(self.ready_file.read_text())["pids"][role][0]

    def stop(self):
        """SIGTERM: every process drains, and sends what it still has."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(90)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise

    def post(self, path, body, **headers):
        request = urllib.request.Request(
            self.ready["http"] + path, json.dumps(body).encode(),
            {"content-type": "application/json", "x-toolway-user": "telemetry",
             **{name.replace("_", "-"): value for name, value in headers.items()}})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read())

    def ask(self, path, body=None, status=200, method=None, **headers):
        """The text of an answer that has this status."""
        return self.send(path, json.dumps(body).encode() if body is not None else None, status, method, **headers)

    def send(self, path, data=None, status=200, method=None, **headers):
        """The same with bytes as they are."""
        request = urllib.request.Request(self.ready["http"] + path, data=data, method=method or ("POST" if data else "GET"),
                                         headers={"Content-Type": "application/json", **headers})
        try:
            with urllib.request.urlopen(request, timeout=100) as answer:
                found, text = answer.status, answer.read().decode()
        except urllib.error.HTTPError as problem:
            found, text = problem.code, problem.read().decode()
        assert found == status, (found, text)
        return text

    def toolway(self, *arguments, lines="", **environment):
        """Exit status, standard output and standard error of a command, without this machine's models."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("TOOLWAY_AI", "OPENAI", "ANTHROPIC"))}
        process = subprocess.run([self.program, *map(str, arguments)], input=lines, capture_output=True, text=True, timeout=120,
                                 env={**clean, "TOOLWAY_URL": self.ready["http"],
                                      "XDG_STATE_HOME": str(pathlib.Path(self.directory.name) / "state"), **environment})
        return process.returncode, process.stdout, process.stderr

    def open_session(self, session, *namespaces):
        return self.post("/v1/sessions", {"session_id": session, "namespaces": list(namespaces)})

    def call(self, session, tool, arguments=None, **headers):
        """One call to its end."""
        return self.post(f"/v1/sessions/{session}/calls", {"tool": tool, "arguments": arguments or {}},
                         prefer="wait=30", **headers)

    def scrape(self, role, accept="text/plain"):
        request = urllib.request.Request(self.ready["metrics"][role][0], headers={"accept": accept})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.headers["content-type"], answer.read().decode()


class Served:
    """`toolway chat serve` with the script in `path`, until the block ends. The block has its URL."""

    def __init__(self, program, path):
        self.port_file = pathlib.Path(str(path) + ".port")
        self.process = subprocess.Popen([program, "chat", "serve", "--script", path, "--port-file", self.port_file], stdout=subprocess.DEVNULL)

    def __enter__(self):
        while not self.port_file.exists():
            assert self.process.poll() is None
            time.sleep(0.02)
        return f"http://127.0.0.1:{self.port_file.read_text()}"

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

"""A `toolway dev` for the tests of this directory: its own NATS and Postgres, that are stopped, copied, lost and put back.

TOOLWAY_PROGRAM names the program. Everything is in a temporary directory; as root Postgres runs as user `postgres`.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

PROGRAM = os.environ.get("TOOLWAY_PROGRAM", "build/toolway")


def wait_for(condition, what, seconds=60):
    """What `condition` returns once that is something; looks again every 50 ms, since other processes do not report it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"{seconds} s were not enough: {what}")


def postgres_program(name):
    """Debian keeps the server's programs out of PATH."""
    found = shutil.which(name) or max(pathlib.Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: float(path.parts[4]))
    return str(found)


def postgres(url):
    """What Postgres' own programs need in their environment: a password is never on a command line."""
    parts = urllib.parse.urlsplit(url)
    return {**os.environ, "PGHOST": parts.hostname, "PGPORT": str(parts.port), "PGUSER": parts.username,
            "PGPASSWORD": urllib.parse.unquote(parts.password), "PGDATABASE": parts.path[1:]}


class Fleet:
    """Started on `data`, and again on the same after `stop()`."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.data = self.directory / "data"
        self.ready_file = self.directory / "ready.json"
        self.process = None

    def start(self):
        self.ready_file.unlink(missing_ok=True)
        with open(self.directory / "dev.log", "ab") as log:
            self.process = subprocess.Popen([PROGRAM, "dev", "--data", str(self.data), "--http", "127.0.0.1:0", "--root", str(self.directory),
                                             "--pool", "native", "--ready-file", str(self.ready_file)], stdout=log, stderr=log)
        wait_for(lambda: self.ready_file.exists() or self.process.poll() is not None, "toolway dev")
        assert self.process.poll() is None, (self.directory / "dev.log").read_text()
        return self

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(60)

    @property
    def ready(self):
        return json.loads(self.ready_file.read_text())

    def postgres_data(self):
        """Where the cluster is, and who owns it."""
        directory = pathlib.Path(self.sql("SHOW data_directory"))
        return directory, directory.stat()

    # -- what a client does --------------------------------------------------------------------------------------------
    def ask(self, method, path, body=None, user="ann", headers=None):
        """(status, answer)"""
        request = urllib.request.Request(self.ready["http"] + path, method=method, data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json", "X-Toolway-User": user, **(headers or {})})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or b"null")

    def must(self, *arguments, **named):
        status, answer = self.ask(*arguments, **named)
        assert status < 300, (arguments, status, answer)
        return answer

    def open(self, session):
        return self.must("POST", "/v1/sessions", {"session_id": session, "namespaces": ["bench"]})

    def call(self, session, payload):
        """Its call_id, once it is completed."""
        answer = self.must("POST", f"/v1/sessions/{session}/calls", {"tool": "echo", "arguments": {"payload": payload}}, headers={"Prefer": "wait=30"})
        assert answer["outcome"] == "succeeded", answer
        return answer["call_id"]

    def mailbox(self, session, after=""):
        """All completions from a cursor on: (call_ids, the last cursor)."""
        ids = []
        while True:
            page = self.must("GET", f"/v1/sessions/{session}/completions?limit=1000" + (f"&after={after}" if after else ""))
            ids += [each["call_id"] for each in page["completions"]]
            after = page["next"] or after
            if not page["more"]:
                return ids, after

    # -- what an operator does -----------------------------------------------------------------------------------------
    def sql(self, text, url=None):
        """The first column of the last statement's rows, a line each."""
        ran = subprocess.run(["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-c", text], capture_output=True, text=True, check=False,
                             env=postgres(url or self.ready["postgres"]))
        assert ran.returncode == 0, ran.stderr
        return ran.stdout.strip()

    def count(self, table, url=None):
        return int(self.sql(f"SELECT count(*) FROM {table}", url))

    def run(self, *arguments):
        """A verb of toolway that needs NATS and Postgres; the URL of the latter is a secret, so it is not an argument."""
        ran = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False,
                             env={**os.environ, "TOOLWAY_POSTGRES_URL": self.ready["postgres"], "TOOLWAY_NATS_URL": self.ready["nats"]})
        assert ran.returncode == 0, ran.stderr
        return ran.stderr


def temporary():
    """A directory that user `postgres` may pass through."""
    directory = tempfile.TemporaryDirectory(prefix="toolway-operations-")
    os.chmod(directory.name, 0o755)
    return directory


def give(path, owner):
    """Makes a tree the property of the user who owned the one before."""
    for root, directories, files in os.walk(path):
        for name in [root] + [os.path.join(root, each) for each in directories + files]:
            os.chown(name, owner.st_uid, owner.st_gid, follow_symlinks=False)

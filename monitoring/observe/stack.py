"""A `toolway dev` stack of its own, with tools that end in every way."""
import json
import os
import pathlib
import subprocess

from children import Child
from receiver import Receiver
from wait import wait_for

HERE = pathlib.Path(__file__).resolve().parent
POOLS = ["native", "python", "command", "http", "mcp", "template", "narrow=1"]
UNSERVED = "unserved"  # a pool that no worker serves: its calls are lost


class Stack:
    def __init__(self, program, directory, http="127.0.0.1:0"):
        self.program = str(program)
        directory.chmod(0o711)  # as root, Postgres runs as another user; its data would be elsewhere, and stay there
        self.ready_file = directory / "ready.json"
        self.receiver = Receiver()
        self.child = Child(
            [program, "dev", "--data", directory / "data", "--http", http, "--root", HERE, "--ready-file", self.ready_file,
             "--workers", "2", "--collectors", "2", "--specs", HERE / "tools.yaml", "--mock", HERE / "mocks.yaml",
             "--extensions", HERE / "extensions.yaml",
             *(a for pool in POOLS for a in ("--pool", pool))],
            directory / "dev.log",
            {"OTEL_EXPORTER_OTLP_ENDPOINT": self.receiver.url, "OTEL_TRACES_SAMPLER_ARG": "0.1"})

    def wait_until_ready(self):
        def ready():
            if self.child.ended():
                raise RuntimeError(f"toolway dev ended:\n{self.child.log_end()}")
            return self.ready_file.exists()
        wait_for("toolway dev is ready", ready, 120)
        self.run("migrate", "--pool", UNSERVED, environment={"TOOLWAY_POSTGRES_URL": self.ready()["postgres"]})

    def ready(self):
        """What the stack says of itself now: URLs and pids."""
        return json.loads(self.ready_file.read_text())

    def run(self, *arguments, environment=None):
        """A verb of `toolway` against this stack."""
        ready = self.ready()
        done = subprocess.run(
            [self.program, *arguments], capture_output=True, text=True,
            env={**os.environ, "TOOLWAY_NATS_URL": ready["nats"], "TOOLWAY_URL": ready["http"], **(environment or {})})
        if done.returncode != 0:
            raise RuntimeError(f"toolway {' '.join(arguments)}: {done.stdout}{done.stderr}")

    def pids(self, role):
        return self.ready()["pids"][role]

    def stop(self):
        status = self.child.stop()
        self.receiver.stop()
        return status

"""The `toolway dev` that the clients call, as REST and its metrics see it."""

import json
import os
import pathlib
import re
import signal
import sys
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/e2e/telemetry"))
from dev_stack import Dev  # noqa: E402

PACK = ROOT / "tests/mcp_conformance"


def wait_for(what, why, seconds=30):
    deadline = time.monotonic() + seconds
    while True:
        found = what()
        if found:
            return found
        assert time.monotonic() < deadline, why
        time.sleep(0.05)


class Stack(Dev):
    def __init__(self, program):
        super().__init__(program, "--specs", PACK, "--specs", ROOT / "tests/clients/tools", "--python-path", PACK)

    @property
    def url(self):
        return self.ready["http"] + "/mcp"

    def get(self, path):
        with urllib.request.urlopen(self.ready["http"] + path, timeout=30) as answer:
            return json.loads(answer.read())

    def newest(self, tool):
        return self.get(f"/v1/calls?tool={tool}&limit=1")["calls"][0]

    def running(self, seconds):
        """The id of the newest call of slow_compute for that long, once it runs."""
        def found():
            calls = self.get("/v1/calls?tool=slow_compute&limit=20")["calls"]
            return next((call["call_id"] for call in calls if call["state"] == "running" and call["arguments"]["seconds"] == seconds), None)
        return wait_for(found, "no call runs")

    def outcome(self, call, seconds=30):
        return wait_for(lambda: self.get(f"/v1/calls/{call}").get("outcome"), f"the call {call} did not end", seconds)

    def calls_over_mcp(self):
        """How many `tools/call` there were, by revision."""
        _, text = self.scrape("gateway")
        found = re.findall(r'^toolway_mcp_server_operation_seconds_count\{(.*)\} (\S+)', text, re.MULTILINE)
        counts = [(dict(re.findall(r'(\w+)="([^"]*)"', labels)), float(count)) for labels, count in found]
        return {labels["revision"]: count for labels, count in counts if labels["method"] == "tools/call"}

    def is_up(self):
        self.ready = json.loads(self.ready_file.read_text())
        try:
            return self.get("/readyz") is not None
        except (OSError, ValueError):
            return False

    def kill(self, *roles):
        """SIGKILL to all processes of these roles. `dev` starts them again; returns once they are there."""
        before = json.loads(self.ready_file.read_text())["pids"]
        for role in roles:
            for pid in before[role]:
                os.kill(pid, signal.SIGKILL)

        def started():
            now = json.loads(self.ready_file.read_text())["pids"]
            return all(len(now[role]) == len(before[role]) and not set(now[role]) & set(before[role]) for role in roles) and self.is_up()
        wait_for(started, f"{' and '.join(roles)} did not start again", 60)

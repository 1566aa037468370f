"""The MCP Inspector as commands over a connection that a daemon keeps: `mcpdo`. Each cell has a daemon of its own."""

import asyncio
import contextlib
import json
import os
import pathlib
import secrets
import subprocess
import tempfile

from cells import DELETE, GREET, REVISION, URL, pause, run, slow

PROGRAM = [os.environ["CLIENT_NODE"], pathlib.Path(os.environ["CLIENT_PACKAGES"]) / "node_modules/.bin/mcpdo", "--format", "json"]
MODERN = REVISION == "2026-07-28"
TASK_SECONDS = int(os.environ["CLIENT_TASK_SECONDS"])


def start(*words):
    return subprocess.Popen([*PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def end(process):
    said, wrong = process.communicate(timeout=60)
    assert said, (process.args, wrong)
    return json.loads(said)


def mcpdo(*words):
    return end(start(*words))


def call(tool, arguments, *options):
    return start("@toolway", "tools/call", tool, json.dumps(arguments), *options)


def text(said):
    return said["content"][0]["text"]


async def begin(seconds):
    """A call as a task, which continues without its process, and the task's id: mcpdo does not tell it, the judge does."""
    waiting = call(*slow(seconds), *([] if MODERN else ["--task"]))
    return waiting, await pause({})


def look_for(task):
    if MODERN:
        return
    listed = mcpdo("@watch", "tasks/list")["tasks"]
    assert task in [each["taskId"] for each in listed], listed


@contextlib.contextmanager
def connection():
    with tempfile.TemporaryDirectory(prefix="toolway-mcpdo-") as directory:
        os.environ |= {"MCP_INSPECTOR_DAEMON_DIR": directory, "MCP_INSPECTOR_DAEMON_TOKEN": secrets.token_urlsafe(), "MCP_INSPECTOR_SECRET_STORE": "memory"}
        for name in ("@toolway", "@watch"):
            mcpdo("connect", name, URL, "--transport", "http", "--era", "modern" if MODERN else "legacy")
        try:
            yield
        finally:
            mcpdo("daemon", "stop")


class Cells:
    async def list(self):
        return {"tools": {tool["name"]: tool["inputSchema"] for tool in mcpdo("@toolway", "tools/list")["tools"]}}

    async def call(self):
        return {"text": text(end(call(*GREET)))}

    async def question(self):
        asked = end(call(*DELETE))["elicitationPending"]
        result = mcpdo("@toolway", "elicitation/respond", asked["elicitationId"], "confirm:=true")
        return {"asked": [asked["message"]], "text": text(result)}

    async def task(self):
        if MODERN:
            return {"text": text(end(call("slow_job", {"seconds": TASK_SECONDS})))}
        waiting, task = await begin(TASK_SECONDS)
        statuses = [mcpdo("@watch", "tasks/get", task)["task"]["status"]]
        look_for(task)
        end(waiting)
        return {"task": task, "statuses": statuses, "text": text(mcpdo("@watch", "tasks/result", task))}

    async def begin(self, seconds):
        waiting, task = await begin(float(seconds))
        look_for(task)
        waiting.kill()
        waiting.communicate()
        return {"task": task}

    async def finish(self, *ids):
        return {"texts": {id: text(mcpdo("@toolway", "tasks/result", id)) for id in ids}}

    async def cancel_task(self):
        waiting, task = await begin(20)
        look_for(task)
        mcpdo("@watch", "tasks/cancel", task)
        await pause({"status": "cancelled"})
        waiting.communicate()
        return {}


with connection():
    asyncio.run(run(Cells()))

"""The MCP Inspector as a command that keeps its connection: `mcpdo`, with a daemon of its own for each cell."""

import asyncio
import json
import os
import pathlib
import signal
import subprocess

from cells import DELETE, GREET, REVISION, URL, pause, run, slow

PROGRAM = [os.environ["CLIENT_NODE"], pathlib.Path(os.environ["CLIENT_PACKAGES"]) / "node_modules/.bin/mcpdo"]
MODERN = REVISION == "2026-07-28"


def start(*words):
    return subprocess.Popen([*PROGRAM, "--format", "json", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def mcpdo(*words):
    process = start(*words)
    said, wrong = process.communicate(timeout=60)
    assert said, (words, wrong)
    return json.loads(said)


def at(*words):
    return mcpdo("@toolway", *words)


def call(tool, arguments, *options):
    return at("tools/call", tool, json.dumps(arguments), *options)


class Cells:
    async def list(self):
        return {"tools": {tool["name"]: tool["inputSchema"] for tool in at("tools/list")["tools"]}}


asyncio.run(run(Cells()))

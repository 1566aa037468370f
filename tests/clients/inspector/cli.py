"""The MCP Inspector as a command: `mcp-inspector --cli`, which makes one request and ends."""

import asyncio
import json
import os
import pathlib
import subprocess

from cells import GREET, REVISION, URL, run

LAUNCHER = pathlib.Path(os.environ["CLIENT_PACKAGES"]) / "node_modules/.bin/mcp-inspector"
ERA = "modern" if REVISION == "2026-07-28" else "legacy"


def inspector(method, *options):
    done = subprocess.run([os.environ["CLIENT_NODE"], LAUNCHER, "--cli", URL, "--transport", "http", "--protocol-era", ERA, "--method", method,
                           "--format", "json", *options], capture_output=True, text=True, timeout=60)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def text_of(tool, arguments):
    said = inspector("tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments))
    return said["result"]["content"][0]["text"]


class Cells:
    async def list(self):
        return {"tools": {tool["name"]: tool["inputSchema"] for tool in inspector("tools/list")["result"]["tools"]}}

    async def call(self):
        return {"text": text_of(*GREET)}

    async def task(self):
        """Of a tool that only runs as one: the command has no option that asks for a task."""
        return {"text": text_of("slow_job", {"seconds": 2})}


asyncio.run(run(Cells()))

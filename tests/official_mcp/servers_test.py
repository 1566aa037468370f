"""Servers with the official SDKs, 1.x and 2.x of Python and TypeScript, and public ones that many use, under a whole stack: all start, list
their tools and answer a call. With them one that takes 20 s to start."""

import http.server
import json
import os
import pathlib
import subprocess
import sys
import threading
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests/e2e/telemetry"))
from dev_stack import Dev  # noqa: E402

PROGRAM, BUILD = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
SDK_SERVERS = HERE / "sdk_servers"
PUBLIC = BUILD / "mcp-public"
OFFICIAL = BUILD / "mcp-servers/node_modules/@modelcontextprotocol"
PYTHON = {version: BUILD / f"mcp-python-{version}" for version in (1, 2)}


def python(version, *argv):
    return {"command": [sys.executable, *map(str, argv)], "env": {"PYTHONPATH": str(PYTHON[version])}}


def python_program(version, name, *argv):
    return python(version, PYTHON[version] / "bin" / name, *argv)


def node(script, *argv):
    return {"command": ["node", str(script), *map(str, argv)]}


class Page(http.server.BaseHTTPRequestHandler):
    """What the server `fetch` fetches."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<html><body><h1>A page of this machine</h1></body></html>")

    def log_message(self, *_):
        pass


def sdk_argv(language, version):
    if language == "python":
        return [sys.executable, SDK_SERVERS / "python_server.py"], {"PYTHONPATH": str(PYTHON[version])}
    return ["node", SDK_SERVERS / f"typescript_{version}.mjs", PUBLIC], {}


SDKS = [(language, version) for language in ("python", "typescript") for version in (1, 2)]


class Servers:
    """The file of servers, and the servers that run by themselves."""

    def __init__(self, directory):
        self.directory = directory
        self.page = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
        threading.Thread(target=self.page.serve_forever, daemon=True).start()
        self.running = []
        self.file = {}
        self.add_sdks()
        self.add_public()
        slow = python(2, SDK_SERVERS / "python_server.py", "stdio", "--slowly", directory / "starts")
        self.file["slow"] = slow

    def add_sdks(self):
        for language, version in SDKS:
            argv, environment = sdk_argv(language, version)
            name = f"{language}_{version}"
            self.file[f"{name}_stdio"] = {"command": [*map(str, argv), "stdio"], "env": environment}
            port = self.directory / f"{name}.port"
            self.running.append(subprocess.Popen([*argv, "http", port], env={**os.environ, **environment},
                                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        for language, version in SDKS:
            port = self.directory / f"{language}_{version}.port"
            deadline = time.monotonic() + 60
            while not port.exists() and time.monotonic() < deadline:
                time.sleep(0.02)
            self.file[f"{language}_{version}_http"] = {"url": f"http://127.0.0.1:{port.read_text()}/mcp",
                                                       "allow_addresses": ["127.0.0.1"]}

    def add_public(self):
        packages = PUBLIC / "node_modules"
        ours = packages / "@modelcontextprotocol"
        repository = self.directory / "repository"
        subprocess.run(["git", "init", "--quiet", repository], check=True)
        self.file |= {
            "filesystem": node(OFFICIAL / "server-filesystem/dist/index.js", self.directory),
            "everything": node(OFFICIAL / "server-everything/dist/index.js", "stdio"),
            "memory": {**node(ours / "server-memory/dist/index.js"), "env": {"MEMORY_FILE_PATH": str(self.directory / "memory.json")}},
            "thinking": node(ours / "server-sequential-thinking/dist/index.js"),
            "postgres": node(ours / "server-postgres/dist/index.js", "postgresql://nobody@127.0.0.1:9/none"),
            "playwright": node(packages / "@playwright/mcp/cli.js", "--headless"),
            "chrome": node(packages / "chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js", "--headless", "--no-usage-statistics"),
            "git": python_program(2, "mcp-server-git", "--repository", repository),
            "fetch": python_program(2, "mcp-server-fetch", "--ignore-robots-txt"),
            "time": python_program(2, "mcp-server-time"),
            "excel": python_program(2, "excel-mcp-server", "stdio"),
            "sqlite": python_program(1, "mcp-server-sqlite", "--db-path", self.directory / "a.db"),
            "word": {**python_program(1, "word_mcp_server"), "cwd": str(self.directory)},
        }

    def write(self):
        path = self.directory / "mcp.yaml"
        path.write_text(json.dumps(self.file))  # which is YAML, too
        return path

    def close(self):
        self.page.shutdown()
        for process in self.running:
            process.kill()
            process.wait()


def setUpModule():
    global dev, servers, directory
    dev = Dev(PROGRAM)
    dev.stop()
    directory = pathlib.Path(dev.directory.name) / "servers"
    directory.mkdir()
    servers = Servers(directory)
    unittest.addModuleCleanup(servers.close)


class Check(unittest.TestCase):
    def test_all_come_up_side_by_side_and_the_slow_one_says_that_it_starts(self):
        begun = time.monotonic()
        done = subprocess.run([PROGRAM, "mcp", "check", servers.write(), "-o", "json"], capture_output=True, text=True, timeout=120)
        checked = {one["server"]: one for one in json.loads(done.stdout)["servers"]}
        self.assertEqual({name: one["error"] for name, one in checked.items() if one["error"]}, {})
        self.assertEqual({name for name, one in checked.items() if not one["tools"]}, set())
        self.assertEqual({name: one["refused"] for name, one in checked.items() if one["refused"]}, {})
        self.assertLess(time.monotonic() - begun, 60)
        self.assertIn("slow is starting: it has not answered for 10 s; it last wrote: importing half of the world", done.stderr)
        for language, version in SDKS:
            for transport in ("stdio", "http"):
                revision = checked[f"{language}_{version}_{transport}"]["revision"]
                self.assertEqual(revision, "2025-11-25" if version == 1 else "2026-07-28", f"{language} {version} {transport}")


if __name__ == "__main__":
    unittest.main(verbosity=2)

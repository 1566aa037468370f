"""Servers with the official SDKs, 1.x and 2.x of Python and TypeScript, and public ones that many use, under a whole stack: all start, list
their tools and answer a call. With them one that takes 20 s to start."""

import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request

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
        self.send_header("content-type", "text/plain")
        self.end_headers()
        self.wfile.write(b"A page of this machine")

    def log_message(self, *_):
        pass


def sdk_argv(language, version):
    if language == "python":
        return [sys.executable, SDK_SERVERS / "python_server.py"], {"PYTHONPATH": str(PYTHON[version])}
    return ["node", SDK_SERVERS / f"typescript_{version}.mjs", PUBLIC], {}


SDKS = [(language, version) for language in ("python", "typescript") for version in (1, 2)]


class Servers:
    """The file of servers, and the servers that run by themselves."""

    def __init__(self, directory, database):
        self.directory = directory
        self.database = database
        self.page = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
        threading.Thread(target=self.page.serve_forever, daemon=True).start()
        self.running = []
        self.file = {}
        self.add_sdks()
        self.add_public()
        slow = python(2, SDK_SERVERS / "python_server.py", "stdio", "--slowly")
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
            "postgres": node(ours / "server-postgres/dist/index.js", self.database),
            "playwright": node(packages / "@playwright/mcp/cli.js", "--headless"),
            "chrome": node(packages / "chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js", "--headless", "--no-usage-statistics"),
            "git": python_program(2, "mcp-server-git", "--repository", repository),
            "fetch": python_program(2, "mcp-server-fetch", "--ignore-robots-txt", "--allow-private-ips"),
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


def started(stack):
    unittest.addModuleCleanup(stack.__exit__)
    return stack.__enter__()


def setUpModule():
    global dev, servers, directory
    temporary = tempfile.TemporaryDirectory(prefix="toolway-mcp-")
    unittest.addModuleCleanup(temporary.cleanup)
    directory = pathlib.Path(temporary.name)
    database = started(Dev(PROGRAM))
    servers = Servers(directory, database.ready["postgres"])
    unittest.addModuleCleanup(servers.close)
    dev = started(Dev(PROGRAM, "--set", f"mcp.servers={servers.write()}"))


class Check(unittest.TestCase):
    def test_all_come_up_side_by_side_and_the_slow_one_says_that_it_starts(self):
        begun = time.monotonic()
        done = subprocess.run([PROGRAM, "mcp", "check", servers.write(), "-o", "json"], capture_output=True, text=True, timeout=120)
        checked = {one["server"]: one for one in json.loads(done.stdout)["servers"]}
        self.assertEqual({name: one["error"] for name, one in checked.items() if one["error"]}, {})
        self.assertEqual({name for name, one in checked.items() if not one["tools"]}, set())
        self.assertEqual({name: len(one["refused"]) for name, one in checked.items() if one["refused"]}, {"everything": 1},
                         "a tool that only runs as a task")
        self.assertLess(time.monotonic() - begun, 60)
        self.assertIn("slow is starting: it has not answered for 10 s; it last wrote: importing half of the world", done.stderr)
        for language, version in SDKS:
            for transport in ("stdio", "http"):
                revision = checked[f"{language}_{version}_{transport}"]["revision"]
                self.assertEqual(revision, "2025-11-25" if version == 1 else "2026-07-28", f"{language} {version} {transport}")


class Calls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        deadline = time.monotonic() + 90
        while cls.missing() and time.monotonic() < deadline:
            time.sleep(0.1)
        if cls.missing():
            raise RuntimeError(f"no tools of {cls.missing()} are offered")
        dev.open_session("s", *servers.file)

    @staticmethod
    def missing():
        with urllib.request.urlopen(dev.ready["http"] + "/v1/tools", timeout=30) as answer:
            return set(servers.file) - {tool["namespace"] for tool in json.loads(answer.read())["tools"]}

    def succeeds(self, tool, arguments, expected):
        ended = dev.call("s", tool, arguments)
        self.assertEqual(ended["outcome"], "succeeded", f"{tool}: {ended}")
        self.assertIn(expected, json.dumps(ended["result"], ensure_ascii=False), tool)

    def fails(self, tool, arguments, expected):
        ended = dev.call("s", tool, arguments)
        self.assertEqual((ended["outcome"], ended["error"]["code"]), ("failed", "mcp_tool_error"), f"{tool}: {ended}")
        self.assertIn(expected, ended["error"]["message"])

    def test_servers_of_the_official_sdks_answer(self):
        for language, version in SDKS:
            for transport in ("stdio", "http"):
                with self.subTest(language=language, version=version, transport=transport):
                    name = f"{language}_{version}_{transport}"
                    self.succeeds(f"{name}.add", {"a": 2, "b": 40}, "42")
                    # The Python SDK 2 keeps what an exception says to itself.
                    words = "Error executing tool refuse" if (language, version) == ("python", 2) else "not today"
                    self.fails(f"{name}.refuse", {"reason": "not today"}, words)

    def test_public_servers_answer(self):
        calls = {
            "filesystem.list_directory": ({"path": str(directory)}, "mcp.yaml"),
            "everything.echo": ({"message": "hi"}, "Echo: hi"),
            "memory.create_entities": (
                {"entities": [{"name": "Toolway", "entityType": "program", "observations": ["runs tools"]}]}, "runs tools"),
            "thinking.sequentialthinking": (
                {"thought": "first", "nextThoughtNeeded": False, "thoughtNumber": 1, "totalThoughts": 1}, "thoughtHistoryLength"),
            "postgres.query": ({"sql": "SELECT 6 * 7 AS answer"}, "42"),
            "git.git_status": ({"repo_path": str(directory / "repository")}, "No commits yet"),
            "fetch.fetch": ({"url": f"http://127.0.0.1:{servers.page.server_port}/"}, "A page of this machine"),
            "time.get_current_time": ({"timezone": "Asia/Tokyo"}, "Asia/Tokyo"),
            "excel.create_workbook": ({"path": str(directory / "a.xlsx")}, "a.xlsx"),
            "sqlite.list_tables": ({}, "[]"),
            "word.create_document": ({"filename": str(directory / "a.docx")}, "created"),
        }
        for tool, (arguments, expected) in calls.items():
            with self.subTest(tool=tool):
                self.succeeds(tool, arguments, expected)

    def test_what_these_servers_miss_on_this_machine_is_said_in_their_words(self):
        self.fails("playwright.browser_close", {}, "hromium")
        self.fails("chrome.list_pages", {}, "Chrome")

    def test_one_that_takes_20_s_came_up_on_its_first_start(self):
        self.succeeds("slow.add", {"a": 1, "b": 2}, "3")
        log = next(pathlib.Path(dev.directory.name).glob("data/logs/worker-*.log")).read_text()
        self.assertIn("MCP server slow: is starting: it has not answered for 10 s; it last wrote: importing half of the world", log)
        self.assertEqual(log.count("MCP server slow: importing half of the world"), 1, "on its first start")

    def test_a_model_gets_the_result_of_a_tool_that_reports_steps_and_ends_soon(self):
        arguments = json.dumps({"duration": 1, "steps": 4})
        message = {"role": "assistant", "tool_calls": [
            {"id": "c1", "type": "function",
             "function": {"name": "everything__trigger-long-running-operation", "arguments": arguments}}]}
        answer = dev.post("/v1/sessions/s/tool_calls?format=openai", message)
        self.assertEqual(answer["calls"][0]["status"], "completed", answer)
        self.assertIn("completed", answer["messages"][0]["content"])
        answer = dev.post("/v1/sessions/s/tool_calls?format=openai&inline_ms=100", message)
        self.assertEqual(answer["calls"][0]["status"], "detached", answer)


if __name__ == "__main__":
    unittest.main(verbosity=2)

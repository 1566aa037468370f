"""The clients of the table: what is run of each, and how."""

import dataclasses
import filecmp
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parents[1]
ROOT = HERE.parents[1]
OLDER, NEWER = "2025-11-25", "2026-07-28"
CELLS = ("list", "call", "progress", "question", "task", "cancel")


@dataclasses.dataclass
class Row:
    folder: str  # of tests/clients
    package: str  # whose version the lock says
    revision: str
    without: tuple = ()  # cells that the client has no feature for: README.md says why
    program: str = "client"
    suffix: str = ""
    cancels: tuple = ("cancel",)  # a call, a task, or both
    task_seconds: int = 2  # how long its task runs, so that it can look at the status: mcpdo begins a process for each look

    @property
    def carries_on(self):
        """Whether it can read a task that another client began."""
        return "cancel_task" in self.cancels

    @property
    def lock(self):
        node = HERE / self.folder / "package-lock.json"
        return node if node.exists() else HERE / self.folder / "requirements.txt"

    @property
    def version(self):
        if self.lock.name == "package-lock.json":
            return json.loads(self.lock.read_text())["packages"]["node_modules/" + self.package]["version"]
        return re.search(rf"^{re.escape(self.package)}==(\S+)", self.lock.read_text(), re.MULTILINE)[1]

    @property
    def name(self):
        return f"{self.package} {self.version}{self.suffix}"


CALL, TASK, BOTH = ("cancel",), ("cancel_task",), ("cancel", "cancel_task")
ROWS = [
    Row("typescript-1", "@modelcontextprotocol/sdk", OLDER, cancels=BOTH),
    Row("typescript-2", "@modelcontextprotocol/client", OLDER, cancels=BOTH),
    Row("typescript-2", "@modelcontextprotocol/client", NEWER, cancels=BOTH),
    Row("inspector", "@modelcontextprotocol/inspector", OLDER, ("progress", "question", "cancel"), "cli", " --cli"),
    Row("inspector", "@modelcontextprotocol/inspector", NEWER, ("progress", "question", "cancel"), "cli", " --cli"),
    Row("inspector", "@modelcontextprotocol/inspector", OLDER, ("progress",), "mcpdo", " mcpdo", TASK, 10),
    Row("inspector", "@modelcontextprotocol/inspector", NEWER, ("progress",), "mcpdo", " mcpdo", TASK, 10),
    Row("ai", "@ai-sdk/mcp", OLDER, ("progress", "task", "cancel")),
    Row("ai", "@ai-sdk/mcp", NEWER, ("progress", "task")),
    Row("python-1", "mcp", OLDER, cancels=TASK),
    Row("python-2", "mcp", OLDER, ("task",)),
    Row("python-2", "mcp", NEWER, cancels=BOTH),
    Row("langgraph", "langchain-mcp-adapters", OLDER, ("task", "cancel")),
    Row("openai-agents", "openai-agents", NEWER, ("question", "task")),
]


class NotInstalled(Exception):
    pass


def why(npm, folder):
    """What the installer says in its log, if it failed."""
    if npm and not shutil.which("npm"):
        return ": there is no npm"
    log = folder / "npm.log" if npm else folder.with_name(folder.name + ".log")
    said = re.findall("^(?:npm error|ERROR:) (.+)", log.read_text(), re.MULTILINE) if log.exists() else []
    return ": " + (", ".join(said[:2]) if npm else said[-1]) if said else ""


class Packages:
    """What `./run packages clients` has installed, and the processes of clients that use it."""

    def __init__(self, directory, scratch, rows):
        self.directory, self.scratch, self.rows = directory, scratch, rows

    def require(self, lock):
        folder = self.directory / lock.parent.name
        npm = lock.name == "package-lock.json"
        installed = folder / ("installed.json" if npm else "installed")
        if not (installed.exists() and filecmp.cmp(lock, installed, shallow=False)):
            raise NotInstalled(f"{'npm' if npm else 'pip'} has not installed {lock.relative_to(ROOT)}{why(npm, folder)}")
        return folder

    def node(self):
        """The one that npm has, or this machine's where it is new enough for all."""
        try:
            return next(self.require(HERE / "node/package-lock.json").glob("node_modules/node-linux-*/bin/node"))
        except (NotInstalled, StopIteration) as error:
            found = shutil.which("node")
            version = subprocess.run([found, "--version"], capture_output=True, text=True).stdout if found else "v0"
            if int(version.lstrip("v").partition(".")[0]) < 22:
                raise NotInstalled(str(error) or "npm has no Node 22 for this machine") from None
            return pathlib.Path(found)

    def missing(self):
        """Why the clients of a row cannot run, of each that cannot."""
        for row in self.rows:
            try:
                self.argv(row)
            except NotInstalled as error:
                yield row, str(error)

    def argv(self, row):
        folder = self.require(row.lock)
        scratch = self.scratch / row.folder
        scratch.mkdir(exist_ok=True)
        environment = {**os.environ, "HOME": str(scratch), "PYTHONDONTWRITEBYTECODE": "1", "CLIENT_PACKAGES": str(folder),
                       "CLIENT_TASK_SECONDS": str(row.task_seconds),
                       "PYTHONPATH": os.pathsep.join(map(str, (folder, HERE / "shared", ROOT / "tests/e2e/agents", ROOT / "examples/agents")))}
        if row.lock.name == "requirements.txt":
            return [sys.executable, HERE / row.folder / "client.py"], environment
        environment["CLIENT_NODE"] = str(self.node())
        # Some begin a process of megabytes of JavaScript for each look at a task.
        environment["NODE_COMPILE_CACHE"] = str(self.scratch / "compiled")
        if row.program != "client":
            environment["PATH"] = os.pathsep.join((str(self.node().parent), environment["PATH"]))
            return [sys.executable, HERE / row.folder / f"{row.program}.py"], environment
        # Node looks for packages next to the script.
        if not (scratch / "node_modules").exists():
            (scratch / "node_modules").symlink_to(folder / "node_modules")
        for script in (HERE / row.folder / "client.mjs", HERE / "shared/cells.mjs"):
            shutil.copy(script, scratch)
        return [environment["CLIENT_NODE"], scratch / "client.mjs"], environment

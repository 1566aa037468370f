"""What a page of the documentation tells its reader to type. Pure: text in, steps out.

Commands are in blocks that are indented by four blanks. A block is one of these:

- a transcript: lines that begin with `$ ` are commands, and what follows one, up to the next, is what it prints. A command that ends with
  `# exit status N` ends so, and any other with 0.
- commands alone: the first line, comments aside, begins with a program of PROGRAMS, and no line with `$ `.
- of a page of docs/alerts: queries for Prometheus, and commands with `$ `.
- something else, in which no line may begin with such a program: a mistake of the page.

An HTML comment in the line above a block says more: `<!-- not run: REASON -->`, or `<!-- file: NAME -->`, the contents of a file that the
reader is told to make.
"""

import dataclasses
import re
import subprocess
import textwrap

PROGRAMS = {"apt-get", "awk", "bash", "cat", "cmake", "cp", "curl", "df", "docker", "export", "git", "helm", "jq", "k6", "kill", "kind",
            "kubectl", "ls", "mkdir", "nats", "ninja", "node", "npm", "npx", "openssl", "pip", "printf", "promtool", "psql", "pg_dump",
            "python3", "rm", "sed", "source", "sudo", "systemctl", "toolway", "unshare", "venv/bin/pip", "venv/bin/python"}
MARK = re.compile(r"^\s*<!-- (not run|file): (.+) -->$")
STATUS = re.compile(r"\s# exit status (\d+)\b")
SAYS = re.compile(r"toolway( \w+)?: ")  # what the program prints about itself
ASSIGNMENT = re.compile(r"[A-Z_]+=\S+ ")


@dataclasses.dataclass
class Step:
    """A command, a file to make (`kind` "file"), or a block that is not run ("not run", whose `text` is the reason)."""
    kind: str
    line: int
    text: str
    output: list = dataclasses.field(default_factory=list)
    status: int = 0
    name: str = ""


class Mistake(Exception):
    """Something in a page that this module cannot take for commands or for anything else."""


def blocks(text):
    """(line number, mark or None, lines) of every indented block; the mark is a match of MARK."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        if not lines[at].startswith("    "):
            at += 1
            continue
        end = at
        while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
            end += 1
        above = next((line for line in reversed(lines[:at]) if line.strip()), "")
        inside = textwrap.dedent("\n".join(lines[at:end])).rstrip().split("\n")
        yield at + 1, MARK.match(above), inside
        at = end


def is_command(line):
    """Whether a line begins with a program, past assignments of variables."""
    while ASSIGNMENT.match(line):
        line = line[ASSIGNMENT.match(line).end():]
    word = line.split(" ")[0]
    return not SAYS.match(line) and word in PROGRAMS or word.startswith(("build/", "./run")) and " " in line


def is_whole(command):
    """Whether a shell would not wait for more: no open quote, here document, or backslash at the end."""
    if command.endswith("\\"):
        return False
    told = subprocess.run(["bash", "-n", "-c", command], capture_output=True, text=True)
    return "unexpected EOF" not in told.stderr and "here-document" not in told.stderr and "unexpected end of file" not in told.stderr


def command_at(lines, start):
    """The command that begins at line `start` of `lines`, and the number of the line after it."""
    end = start + 1
    while end < len(lines) and not is_whole("\n".join(lines[start:end])):
        end += 1
    command = "\n".join(lines[start:end])
    if not is_whole(command):
        raise Mistake(f"the command does not end: {lines[start]}")
    return command, end


def step_of(command, line):
    status = STATUS.search(command)
    return Step("command", line, command, status=int(status[1]) if status else 0)


def transcript(lines, first, queries):
    """Steps of a block with `$ ` in it."""
    if queries:
        return [step_of(line[2:], first + at) for at, line in enumerate(lines) if line.startswith("$ ")]
    if not lines[0].startswith("$ "):
        raise Mistake(f"line {first}: a transcript begins with a command, and this one with: {lines[0]}")
    steps, at = [], 0
    while at < len(lines):
        if lines[at].startswith("$ "):
            command, end = command_at([lines[at][2:], *lines[at + 1:]], 0)
            steps.append(step_of(command, first + at))
            at += end
        else:
            steps[-1].output.append(lines[at])
            at += 1
    for step in steps:
        while step.output and not step.output[-1].strip():
            step.output.pop()
    return steps


def commands(lines, first):
    """Steps of a block of commands alone."""
    steps, at = [], 0
    while at < len(lines):
        if not lines[at].strip() or lines[at].startswith("#"):
            at += 1
            continue
        command, end = command_at(lines, at)
        steps.append(step_of(command, first + at))
        at = end
    return steps


def steps_of_block(first, mark, lines, queries):
    if mark and mark[1] == "not run":
        return [Step("not run", first, mark[2])]
    if mark:
        return [Step("file", first, "\n".join(lines) + "\n", name=mark[2])]
    if any(line.startswith("$ ") for line in lines):
        return transcript(lines, first, queries)
    typed = [line for line in lines if line.strip() and not line.startswith("#")]
    if typed and is_command(typed[0]):
        return commands(lines, first)
    for line in typed:
        if is_command(line):
            raise Mistake(f"line {first}: a command in a block that does not begin with one; commands need `$ `: {line}")
    return []


def steps_of(text, queries=False):
    """The steps of a page, in order; `queries`: its blocks have queries for Prometheus, too. Raises Mistake."""
    if re.search(r"^\s*```", text, re.M):
        raise Mistake("code is in blocks that are indented by four blanks, not in fences")
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("<!--") and re.search("not run|file:", line) and not MARK.match(line):
            raise Mistake(f"line {number}: a mark is one line, `<!-- not run: REASON -->` or `<!-- file: NAME -->`")
    return [step for block in blocks(text) for step in steps_of_block(*block, queries)]


FOLDERS = ("docs", "examples", "packs", "k8s")
# Which test runs a page. Pages with commands that are in no part are not run yet: checks.scripts holds their number.
PARTS = {
    "use": ("README.md", "docs/tutorial.md", "docs/results.md", "docs/chat.md", "docs/agents.md", "examples/agents/README.md"),
    "write": ("docs/first-tool.md", "docs/versions.md", "examples/tools/README.md", "docs/spec-sources.md", "docs/mock.md", "docs/mcp.md",
              "docs/moving-tools.md"),
    "help": ("help",),  # the examples of --help
    "operate": ("docs/cli.md", "packs/ethereum/README.md", "docs/operations/explain.md", "packs/README.md", "packs/web_search/README.md",
                "docs/incidents.md"),
}


def pages_of(root):
    """The names of all pages."""
    names = [name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md") if (root / name).exists()]
    return names + sorted(str(path.relative_to(root)) for folder in FOLDERS for path in (root / folder).rglob("*.md"))


def steps_in(root, page):
    """The steps of the page of that name."""
    return steps_of((root / page).read_text(), queries=page.startswith("docs/alerts/"))

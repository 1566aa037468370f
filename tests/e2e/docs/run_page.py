"""Runs the commands of one page as they are printed; prints what fails, and exits with 1.

usage: run_page.py PAGE TOOLWAY

It needs an empty network of its own, so that port 8080 is free, and its own processes, which end with it: docs_test.py starts it so. The
reader's directory is a checkout in which `./run build` has ended: a copy of the sources, whose build/ has links to what was built. What
is the reader's own before a page begins (a server that it takes for granted, files of examples) is in prepared/PAGE.sh, with the
docs' slashes as dashes: commands in the same form. PAGE may be `help`: the examples of `--help`.
"""

import fcntl
import json
import os
import pathlib
import re
import shutil
import socket
import struct
import sys
import tempfile

import help_examples
import pages
import shape
import shell

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
ID = re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})?\b(?!-)")
PLACEHOLDER = re.compile(r"(?<![\w${])[A-Z]+(_[A-Z]+)*\b(?![=\w])")
NOT_COPIED = shutil.ignore_patterns("build", "build-*", ".git", ".toolway*", "__pycache__")


def bring_up_loopback():
    """The only network of the page."""
    with socket.socket() as any_socket:
        request = struct.pack("16sH14s", b"lo", 0, b"")
        flags = struct.unpack("16sH14s", fcntl.ioctl(any_socket, 0x8913, request))[1]  # SIOCGIFFLAGS
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sH14s", b"lo", flags | 1, b""))  # SIOCSIFFLAGS, IFF_UP


def make_checkout(into, program):
    shutil.copytree(ROOT, into, symlinks=True, ignore=NOT_COPIED)
    (into / "build").mkdir()
    built = pathlib.Path(program).parent
    for path in built.iterdir():
        if path != pathlib.Path(program):
            (into / "build" / path.name).symlink_to(path)
    shutil.copy2(program, into / "build/toolway")  # a file, since tools refuse links that lead out of their root


def environment_of(home, checkout, programs):
    """A reader's: nothing of the test's own but what says where programs are."""
    return {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(home), "TERM": "xterm-256color", "LANG": "C.UTF-8", "NO_COLOR": "1",
            "CHECKOUT": str(checkout), "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")),
            "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def place_programs(into, program):
    """`toolway` itself, and cmake and ninja that say nothing: what they would build is built."""
    into.mkdir()
    (into / "toolway").symlink_to(program)
    for name in ("cmake", "ninja"):
        (into / name).write_text("#!/bin/sh\nexit 0\n")
        (into / name).chmod(0o755)


class Reader:
    """Follows the steps of a page; `failures` has what went wrong."""

    def __init__(self, terminal):
        self.shell = terminal
        self.failures = []
        self.ran = 0

    def follow(self, steps, page):
        for step in steps:
            if step.kind == "file":
                path = pathlib.Path((self.shell.state / "cwd").read_text().strip()) / step.name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(step.text)
            elif step.kind == "command":
                self.run(step, page)
            elif step.kind == "prepare":
                self.shell.run(step.text)

    def with_values(self, command):
        """An id of a call is that of the reader's newest one; a word in capitals that the page's prepared commands export is its value, and
        `NAME=…` is a value that the test does not need to know."""
        if ID.search(command):
            newest = self.shell.run("toolway calls list --limit 1 -o name 2>/dev/null")[1].strip()
            command = ID.sub(lambda found: newest if len(found[0]) > 8 else newest[-8:], command)
        command = command.replace("=…", "=value")
        return PLACEHOLDER.sub(lambda found: "$" + found[0] if f"declare -x {found[0]}=" in self.shell.variables() else found[0], command)

    def result_of(self, step):
        """The exit status of a step's command, and what it printed. One that begins with `sleep` waits for something, which may take longer
        here than for a reader, who would look again."""
        command = self.with_values(step.text)

        def is_as_printed(printed):
            return not (step.output and shape.differs(step.output, printed))
        if shell.stays(command):
            return self.shell.start(command, is_as_printed)
        for left in range(5 if command.startswith("sleep ") else 1, 0, -1):
            status, printed = self.shell.run(command)
            if left == 1 or is_as_printed(printed):
                return status, printed

    def run(self, step, page):
        self.ran += 1
        status, printed = self.result_of(step)
        where = f"{page}:{step.line}: {step.text}"
        if status != step.status:
            ended = "did not end" if status is None else f"ended with status {status} and not {step.status}"
            self.failures.append(f"{where}\n{ended}; it printed:\n{printed[-3000:]}")
        elif step.output and (difference := shape.differs(step.output, printed)):
            self.failures.append(f"{where}\n{difference}")


def prepared_for(page):
    file = HERE / "prepared" / (page.removeprefix("docs/").removesuffix(".md").replace("/", "-") + ".sh")
    text = file.read_text() if file.exists() else ""
    return file.name, pages.commands(text.split("\n"), 1)


def main(page, program):
    bring_up_loopback()
    with tempfile.TemporaryDirectory(prefix="toolway-docs-") as directory:
        place = pathlib.Path(directory)
        place.chmod(0o755)  # as root, Postgres runs as another user
        for name in ("home", "state"):
            (place / name).mkdir()
        make_checkout(place / "toolway", program)
        place_programs(place / "bin", program)
        reader = Reader(shell.Shell(place / "toolway", place / "state", environment_of(place / "home", place / "toolway", place / "bin")))
        steps_of_page = help_examples.steps_of_help(program) if page == "help" else pages.steps_in(ROOT, page)
        try:
            for name, steps in (prepared_for(page), (page, steps_of_page)):
                if not reader.failures:
                    reader.follow(steps, name)
        finally:
            reader.shell.stop_all()
    print(json.dumps({"ran": reader.ran, "failures": reader.failures}))
    return 1 if reader.failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
"""Draws the command line as its user sees it: runs commands on a terminal of 80 columns against a stack of its own, and writes what they
print as SVG.

usage: cli_picture.py TOOLWAY OUT.svg      as `python3 cmake/cli_picture.py build/toolway docs/cli.svg`
"""
import fcntl
import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import time
from xml.sax.saxutils import escape

COLUMNS = 80
COMMANDS = (
    "toolway session open chat -n time,filesystem -o name",
    "toolway call get_current_time timezone=Asia/Tokyo --session chat --wait",
    "toolway call hash_file path=docs/cli.md --session chat --follow",
    "toolway call get_curent_time --session chat",
    "toolway calls list chat",
)

SGR = re.compile(r"\x1b\[([0-9;]*)m")
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-ln-z]")
COLOURS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "34": "#79c0ff", "35": "#d2a8ff", "36": "#76e3ea"}
INK, DIM, PAPER, BAR, PROMPT = "#e6edf3", "#8b949e", "#0d1117", "#161b22", "#7ee787"
CELL, LINE, MARGIN, HEAD, SIZE = 8.0, 19, 18, 34, 13.3


class Style:
    def __init__(self, colour=INK, bold=False, dim=False):
        self.colour, self.bold, self.dim = colour, bold, dim

    def after(self, codes):
        style = Style(self.colour, self.bold, self.dim)
        for code in codes.split(";"):
            if code in ("", "0"):
                style = Style()
            elif code == "1":
                style.bold = True
            elif code == "2":
                style.dim = True
            elif code in ("22", "39"):
                style = Style(style.colour if code == "22" else INK, style.bold and code == "39")
            elif code in COLOURS:
                style.colour = COLOURS[code]
        return style


def runs(line):
    """[(text, Style)] of a line that a terminal would show; what was taken back with \\r is not."""
    line = CONTROL.sub("", line.rstrip("\r\n").rsplit("\r", 1)[-1])
    style, at, found = Style(), 0, []
    for sgr in SGR.finditer(line):
        if sgr.start() > at:
            found.append((line[at:sgr.start()], style))
        style, at = style.after(sgr[1]), sgr.end()
    if at < len(line):
        found.append((line[at:], style))
    return found


def text_svg(row, parts):
    """One line; each run as wide as its characters, whatever font there is."""
    out, column = [], 0
    y = HEAD + MARGIN + row * LINE
    for text, style in parts:
        if text.strip():
            weight = ' font-weight="600"' if style.bold else ""
            out.append(f'<text x="{MARGIN + column * CELL:g}" y="{y}" fill="{DIM if style.dim else style.colour}"{weight} '
                       f'textLength="{len(text) * CELL:g}" lengthAdjust="spacingAndGlyphs" xml:space="preserve">{escape(text)}</text>')
        column += len(text)
    return "".join(out)


def svg(lines):
    """The picture of lines as `runs` gives them."""
    width, height = round(2 * MARGIN + COLUMNS * CELL), HEAD + MARGIN + len(lines) * LINE
    dots = "".join(f'<circle cx="{18 + 18 * i}" cy="17" r="5.5" fill="{colour}"/>' for i, colour in enumerate(("#ff5f57", "#febc2e", "#28c840")))
    body = "\n".join(text_svg(row, parts) for row, parts in enumerate(lines))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
            f'font-family="ui-monospace, \'DejaVu Sans Mono\', Menlo, Consolas, monospace" font-size="{SIZE}">\n'
            f'<title>toolway on a terminal</title>\n<rect width="{width}" height="{height}" rx="8" fill="{PAPER}"/>'
            f'<path d="M0 8a8 8 0 0 1 8-8h{width - 16}a8 8 0 0 1 8 8v{HEAD - 8}H0z" fill="{BAR}"/>{dots}\n{body}\n</svg>\n')


def on_terminal(command, environment, directory):
    """What a command prints on a terminal."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
    process = subprocess.Popen(["bash", "-c", command], stdin=slave, stdout=slave, stderr=slave, env=environment, cwd=directory, close_fds=True)
    os.close(slave)
    text = b""
    while True:
        try:
            read = os.read(master, 65536)
        except OSError:  # the end of a terminal
            break
        if not read:
            break
        text += read
    os.close(master)
    process.wait()
    return text.decode().replace("\r\n", "\n")


def main(program, out):
    root = pathlib.Path(__file__).resolve().parents[1]
    program = pathlib.Path(program).resolve()
    with tempfile.TemporaryDirectory(prefix="toolway-picture-") as directory:
        here = pathlib.Path(directory)
        here.chmod(0o711)  # as root, Postgres runs as another user
        ready = here / "ready.json"
        dev = subprocess.Popen([program, "dev", "--data", here / "data", "--http", "127.0.0.1:0", "--root", root, "--ready-file", ready,
                                "--quiet"], stdout=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + 60
            while not ready.exists():
                if dev.poll() is not None or time.monotonic() > deadline:
                    return "toolway dev did not start"
                time.sleep(0.05)
            environment = {**os.environ, "TOOLWAY_URL": json.loads(ready.read_text())["http"], "TERM": "xterm-256color",
                           "PATH": f"{program.parent}:{os.environ['PATH']}"}
            environment.pop("NO_COLOR", None)
            lines = []
            for command in COMMANDS:
                lines += [[] if not lines else [("", Style())], [("$ ", Style(PROMPT)), (command, Style(bold=True))]]
                lines += [runs(line) for line in on_terminal(command, environment, root).splitlines()]
            pathlib.Path(out).write_text(svg(lines[1:]))
        finally:
            dev.terminate()
            dev.wait(60)
    return None


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))

"""A command on a terminal of its own, as a person sees it."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
import unicodedata

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def columns(line):
    """How wide a terminal shows it: CJK takes two columns, a combining mark none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


class OnTerminal:
    """Runs until the block ends, which sends Ctrl-C."""

    def __init__(self, argv, width=80, **environment):
        self.bytes = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
            os.execvpe(argv[0], argv, {**os.environ, **environment})
        self.status = None

    def read(self, seconds):
        """What comes within that time, or until the command ends."""
        deadline = time.monotonic() + seconds
        while self.status is None and (left := deadline - time.monotonic()) > 0:
            if not select.select([self.fd], [], [], left)[0]:
                break
            try:
                got = os.read(self.fd, 65536)
            except OSError:  # the other side is closed
                got = b""
            if not got:
                self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            self.bytes += got

    def until(self, wanted, seconds=15):
        """Waits until the text holds `wanted`; whether it does."""
        deadline = time.monotonic() + seconds
        while wanted not in self.text and self.status is None and time.monotonic() < deadline:
            self.read(0.1)
        return wanted in self.text

    @property
    def raw(self):
        return self.bytes.decode(errors="replace").replace("\r\n", "\n")

    @property
    def text(self):
        return ESCAPES.sub("", self.raw)

    def lines(self):
        return self.text.split("\n")

    def interrupt(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGINT)
            self.read(15)
        return self.status

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.interrupt() is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)

"""A reader's terminals: commands one after another in the same directory with the same variables, and those that stay in one of their own."""

import codecs
import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

COLUMNS, ROWS = 80, 40
# These run until they are stopped.
STAYS = re.compile(r"^(?:[A-Z_]+=\S+ )*(?:(?:\S*/)?toolway|\./run) (dev|gateway|worker|collector|watch|approvals watch|logs|top)\b(?!.*(--once|--help))|--watch\b|&\s*(#.*)?$|curl -s?N\b", re.S)
IN_BACKGROUND = re.compile(r"&\s*(#.*)?$")
SERVES = re.compile(r"(?:\btoolway|\./run) dev\b")
READY = "Toolway is ready."


def stays(command):
    return STAYS.search(command) is not None


class Terminal:
    """One command in a pseudo terminal of 80 columns; `printed` has what it wrote."""

    def __init__(self, script, directory, environment):
        self.printed = ""
        self.decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.process = subprocess.Popen(["bash", "-c", script], stdin=slave, stdout=slave, stderr=slave, cwd=directory, env=environment,
                                        start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)

    def read(self, seconds):
        """Adds what is written within `seconds`. False: it has closed the terminal."""
        if not select.select([self.master], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.master, 65536)
        except OSError:  # the last process that had it open has ended
            return False
        self.printed += self.decoder.decode(data)
        return bool(data)

    def until(self, done, seconds):
        """Reads until done(), the end, or for `seconds`. Whether done() holds."""
        deadline = time.monotonic() + seconds
        while not done() and time.monotonic() < deadline:
            if self.process.poll() is not None and not self.read(0):
                break
            self.read(0.05)
        return done()

    def end(self, seconds):
        """The exit status; None when it still runs after `seconds`."""
        deadline = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < deadline:
            self.read(0.02)
        while select.select([self.master], [], [], 0)[0] and self.read(0):
            pass
        return self.process.poll()

    def interrupt(self):
        """Ctrl-C."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)


class Shell:
    """Runs commands as one reader would. Directory, variables and functions last from one command to the next."""

    def __init__(self, directory, state, environment):
        self.state = pathlib.Path(state)
        self.environment = environment
        (self.state / "cwd").write_text(str(directory))
        (self.state / "variables").write_text("")
        self.staying = []

    def script(self, command):
        (self.state / "command").write_text(command)
        return (f"cd \"$(cat {self.state}/cwd)\"; . {self.state}/variables; set -a; eval \"$(cat {self.state}/command)\"\n"
                f"status=$?; set +a; export -p > {self.state}/variables; pwd > {self.state}/cwd; exit $status")

    def variables(self):
        """As `export -p` prints them."""
        return (self.state / "variables").read_text()

    def terminal(self, command):
        return Terminal(self.script(command), self.state, self.environment)

    def run(self, command, seconds=90):
        """(exit status or None when it did not end, what it printed)."""
        terminal = self.terminal(command)
        status = terminal.end(seconds)
        if status is None:
            os.killpg(terminal.process.pid, signal.SIGKILL)
            terminal.end(5)
        return status, terminal.printed

    def start(self, command, said_all=lambda printed: True, seconds=90):
        """Leaves a command running once it has said what it has to say: nothing more for a while, and `said_all`, for which it has 20 s.
        (0, what it printed), or its status when it ended."""
        serves = SERVES.search(command) is not None
        if serves:
            self.stop_server()
        terminal = self.terminal(IN_BACKGROUND.sub("", command))
        if serves:
            said = terminal.until(lambda: READY in terminal.printed, seconds)
            self.settle(terminal, 0.5)
        else:
            said = self.settle(terminal, 1.0)
            terminal.until(lambda: said_all(terminal.printed), 20)
        if not said or terminal.process.poll() is not None:
            return terminal.end(1), terminal.printed
        self.staying.append((command, terminal))
        return 0, terminal.printed

    @staticmethod
    def settle(terminal, quiet, seconds=30):
        """Reads until nothing more has come for `quiet` seconds."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            before = len(terminal.printed)
            terminal.until(lambda: False, quiet)
            if len(terminal.printed) == before or terminal.process.poll() is not None:
                return True
        return False

    def stop_server(self):
        """Ctrl-C in the terminal of `toolway dev`, which frees its ports and its directory."""
        for command, terminal in list(self.staying):
            if SERVES.search(command):
                terminal.interrupt()
                status = terminal.end(60)
                self.staying.remove((command, terminal))
                if status != 0:
                    raise RuntimeError(f"{command} ended with status {status} after Ctrl-C: {terminal.printed[-2000:]}")

    def stop_all(self):
        """Ctrl-C in every terminal. Returns when nothing of it runs any more: what they write to may be removed."""
        for _, terminal in self.staying:
            terminal.interrupt()
        for _, terminal in self.staying:
            if terminal.end(60) is None:
                os.killpg(terminal.process.pid, signal.SIGKILL)
                terminal.end(5)
        self.staying.clear()

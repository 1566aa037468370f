"""What an interpreter of the pool does: gets ready, then takes one call after the other."""
import faulthandler
import io
import json
import logging
import os
import signal
import sys

import _toolway_channel as channel
import _toolway_functions as functions
import _toolway_running as running


class ToChannel(logging.Handler):
    """Records of the logging module become log events of the call."""

    def emit(self, record):
        try:
            level = "error" if record.levelno >= 40 else "warning" if record.levelno >= 30 else \
                "info" if record.levelno >= 20 else "debug"
            channel.log(level, self.format(record))
        except Exception:
            pass


def limit_memory(beyond):
    """Address space: what there is now, and so much more."""
    import resource
    with open("/proc/self/statm") as file:
        has = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (has + beyond, has + beyond))


def adopt_orphans():
    """Whatever the tools start stays below this process, where it is found and ended."""
    try:
        import ctypes
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    except (ImportError, OSError, AttributeError):
        pass  # then only what stays in our process group


def main():
    if sys.version_info < (3, 9):
        sys.exit("Python 3.9 or later is needed, this is " + sys.version.split()[0])
    kind, payload = channel.receive()
    options = json.loads(payload)
    os.set_inheritable(channel.FILE, False)
    os.register_at_fork(after_in_child=lambda: os.close(channel.FILE))
    paths = [os.path.abspath(path) for path in options["path"]]
    sys.path[:0] = paths
    functions.directories = tuple(path.rstrip("/") + "/" for path in paths)
    running.recycle_above = options["recycle_above"]
    for name, number in (("stdout", 1), ("stderr", 2)):
        setattr(sys, name, io.TextIOWrapper(
            io.BufferedWriter(io.FileIO(number, "w", closefd=False), 8192), encoding="utf-8",
            errors="backslashreplace", line_buffering=True))
    root = logging.getLogger()
    root.addHandler(ToChannel())
    root.setLevel(logging.INFO)
    logging.raiseExceptions = False
    faulthandler.enable(file=2)
    adopt_orphans()
    if options["memory_limit"]:
        limit_memory(options["memory_limit"])
    signal.signal(signal.SIGUSR1, running.on_cancel)
    signal.signal(signal.SIGINT, running.on_interrupt)
    channel.send(channel.HELLO, sys.version.split()[0].encode())
    while True:
        kind, payload = channel.receive()
        if kind == channel.CALL and not running.handle(payload):
            return

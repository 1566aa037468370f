"""Tools that leave a trace: each start is a line in effects.log, synced to the disk before anything else happens."""

import fcntl
import os
import time
from pathlib import Path

from toolway import Context, ToolError

EFFECTS = Path(__file__).resolve().parent.parent / "effects.log"
PAIR = 2  # of extensions.yaml


def started(context: Context, token: str) -> None:
    line = f"{context.call_id} {context.attempt} {time.time_ns() // 1000} {token}\n"
    fd = os.open(EFFECTS, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(fd, line.encode())
        os.fsync(fd)
    finally:
        os.close(fd)


def effect(token, context: Context, sleep_ms=0):
    started(context, token)
    # In slices, so that a cancelled one ends by itself.
    context.cancelled.wait(sleep_ms / 1000)
    if context.cancelled.is_set():
        raise ToolError("cancelled", "stopped before the end")
    return {"token": token}


def steps(token, context: Context, count=5, sleep_ms=0):
    started(context, token)
    for step in range(1, count + 1):
        if context.cancelled.wait(sleep_ms / 1000):
            raise ToolError("cancelled", "stopped before the last step")
        yield {"progress": step, "total": count, "data": {"step": step, "token": token}}
    return {"token": token, "steps": count}


def flaky(token, context: Context, failures=1):
    started(context, token)
    if context.attempt <= failures:
        raise ToolError("flaky", f"attempt {context.attempt} fails", retryable=True)
    return {"token": token, "attempt": context.attempt}


def large(token, context: Context, bytes=300000):
    started(context, token)
    return {"token": token, "filling": "x" * bytes}


def pair(token, context: Context, sleep_ms=0):
    """Of these at most PAIR run at once: each holds one of as many locks, which end with its process."""
    started(context, token)
    for number in range(PAIR):
        fd = os.open(EFFECTS.with_name(f"pair-{number}"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            continue
        try:
            context.cancelled.wait(sleep_ms / 1000)
            if context.cancelled.is_set():
                raise ToolError("cancelled", "stopped before the end")
            return {"token": token}
        finally:
            os.close(fd)
    with open(EFFECTS.with_name("crowd.log"), "a") as crowd:
        crowd.write(f"{context.call_id} {context.attempt} {time.time_ns() // 1000} {token}\n")
    return {"token": token}

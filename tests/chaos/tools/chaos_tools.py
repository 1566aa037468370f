"""Tools that leave a trace: each start is a line in effects.log, synced to the disk before anything else happens."""

import fcntl
import os
import time
from pathlib import Path

from toolway import Context, ToolError

EFFECTS = Path(__file__).resolve().parent.parent / "effects.log"
VALUE = {"type": "object", "properties": {"value": {"type": "string"}}, "required": ["value"]}
PAIR = 2  # of extensions.yaml


def write_down(file: Path, line: str) -> None:
    fd = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(fd, f"{line}\n".encode())
        os.fsync(fd)
    finally:
        os.close(fd)


def started(context: Context, token: str) -> None:
    write_down(EFFECTS, f"{context.call_id} {context.attempt} {time.time_ns() // 1000} {token}")


def effect(token, context: Context, sleep_ms=0):
    started(context, token)
    # In slices, so that a cancelled one ends by itself.
    context.cancelled.wait(sleep_ms / 1000)
    if context.cancelled.is_set():
        raise ToolError("cancelled", "stopped before the end")
    return {"token": token}


def steps(token, context: Context, count=5, sleep_ms=0, logs=False, failures=0):
    started(context, token)
    for step in range(1, count + 1):
        if context.attempt <= failures and step > count / 2:
            raise ToolError("flaky", f"attempt {context.attempt} fails in the middle", retryable=True)
        if logs and step % 2:
            context.log(f"{token} takes step {step}")
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


def ask(token, context: Context, count=1, together=False):
    """Asks for values, and writes each down as it was told, to answers.log; "-" is a refusal."""
    started(context, token)
    keys = [f"q{number}" for number in range(1, count + 1)]
    messages = {key: f"{token} {key} {context.call_id}" for key in keys}
    told = {}

    def tell(key, answer):
        told[key] = answer["content"]["value"] if answer["action"] == "accept" else "-"
        write_down(EFFECTS.with_name("answers.log"), f"{context.call_id} {context.attempt} {key} {told[key]}")

    if together:
        answers = context.ask_all({key: ("elicitation/create", {"message": messages[key], "requestedSchema": VALUE}) for key in keys})
        for key in keys:
            tell(key, answers[key])
    else:
        for key in keys:
            answer = context.ask(messages[key], VALUE, key=key)
            tell(key, {"action": answer.action, "content": answer.content})
    return {"token": token, "told": told}

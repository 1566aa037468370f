"""Python tools for tests: what they may be, and everything that can go wrong with one."""
import asyncio
import ctypes
import dataclasses
import datetime
import enum
import hashlib
import logging
import os
import struct
import signal
import subprocess
import sys
import threading
import time
from typing import Optional

from toolway import Context, Result, ToolError


def noop():
    return None


def echo(value=None):
    return value


def add(a: int, b: int = 10):
    return a + b


async def add_async(a, b):
    await asyncio.sleep(0.001)
    return a + b


def count(to, context):
    for i in range(to):
        yield {"progress": i + 1, "total": to, "message": "step %d" % (i + 1)}
    return {"counted": to, "call": context.call_id}


async def count_async(to):
    for i in range(to):
        await asyncio.sleep(0)
        yield {"n": i}
    yield Result({"counted": to})


async def count_async_without_result(to):
    for i in range(to):
        yield i


def report(ctx: Context):
    ctx.progress(1, 4, "one", step="first", data=[1])
    ctx.log("a line", level="warning")
    ctx.logger.error("an error %d", 7)
    return None


def who(context: Context):
    return {"session": context.session_id, "user": context.user_id, "call": context.call_id,
            "attempt": context.attempt, "key": context.idempotency_key, "run": context.limits.run,
            "heartbeat": context.limits.heartbeat, "cancelled": context.cancelled.is_set(),
            "secret": context.secret("token"), "other": context.secret("other")}


def trace_context(context: Context):
    return [context.traceparent, context.tracestate]


def context_as_argument(context):
    return context


class Group:
    @staticmethod
    def twice(text):
        return text * 2


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass
class Point:
    x: float
    y: float = 0.0
    color: Color = Color.RED
    at: Optional[datetime.datetime] = None


def move(point: Point, by: float):
    assert isinstance(point, Point) and isinstance(point.color, Color)
    return dataclasses.replace(point, x=point.x + by)


def raises(message):
    def inner():
        raise ValueError(message)
    inner()


def raises_tool_error():
    raise ToolError("quota_exceeded", "no more today", retryable=True, details={"limit": 3}, retry_after=1.5)


class Unmade(ToolError):
    def __init__(self):
        pass


def raises_unusual(what):
    if what == "timedelta":
        raise ToolError("later", "m", retry_after=datetime.timedelta(seconds=2))
    if what in ("5s", "5"):
        raise ToolError("later", "m", retry_after=what)
    if what == "inf":
        raise ToolError("later", "m", retry_after=float("inf"))
    if what == "huge":
        raise ToolError("later", "m", retry_after=1e300)
    if what == "set later":
        error = ToolError("later", "m")
        error.retry_after, error.code, error.message = "soon", "a b", 5
        raise error
    if what == "set":
        raise ToolError("own_code", "m", details={"seen": {1}})
    if what == "nan":
        raise ToolError("own_code", "m", details=float("nan"))
    if what == "large details":
        raise ToolError("own_code", "m", details="x" * 5_000_000)
    if what == "large message":
        raise ToolError("own_code", "m" * 5_000_000)
    if what == "surrogate":
        raise ToolError("own_code", "m\ud800")
    if what == "unmade":
        raise Unmade()
    raise ToolError(what, "m")


def when(at: datetime.datetime):
    return at.isoformat()


def defaulted(at: datetime.date = None, color: Color = None, **rest):
    return {"at": at, "color": color, **rest}


class Strange(Exception):
    def __str__(self):
        raise RuntimeError("no")


def raises_strange():
    raise Strange()


def prints(lines):
    for i in range(lines):
        print("line", i)
    os.write(1, b"raw out\n")
    os.write(2, b"raw \xff err\n")
    subprocess.run(["/bin/echo", "from a child"])
    print("to stderr, without an end", file=sys.stderr, end="")
    logging.getLogger("some.library").warning("a record")


def floods(mebibytes):
    text = "x" * 99 + "\n"
    for _ in range(mebibytes * 10486):
        os.write(1, text.encode() * 1)
    raise ValueError("after the flood")


def long_line():
    print("ä" * 100000)


def exits(how, status):
    if how == "sys":
        sys.exit(status)
    if how == "os":
        os._exit(status)
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    ctypes.string_at(0)


def spins(swallow=False):
    print("spinning")
    while True:
        try:
            while True:
                pass
        except BaseException:
            if not swallow:
                raise


def waits_until_cancelled(context):
    context.progress(1, message="waiting")
    return {"cancelled": context.cancelled.wait(60)}


async def sleeps_async(context):
    context.progress(1, message="waiting")
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        context.log("was cancelled")
        raise


def yields_for_ever():
    n = 0
    while True:
        n += 1
        yield n


def ignores_signals(context):
    for number in (signal.SIGINT, signal.SIGUSR1, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    child = subprocess.Popen(["/bin/sleep", "600"], start_new_session=True)
    context.progress(1, data={"pid": os.getpid(), "child": child.pid})
    while True:
        time.sleep(1000)


def recurses(n=0):
    return recurses(n + 1)


def allocates(mebibytes):
    return len(bytearray(mebibytes << 20))


KEPT = []


def keeps(mebibytes):
    KEPT.append(b"x" * (mebibytes << 20))
    return os.getpid()


def process():
    return os.getpid()


def leaves_thread():
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    return os.getpid()


def leaves_child():
    child = subprocess.Popen(["/bin/sh", "-c", "setsid sleep 600 & echo $!; exec sleep 600"], stdout=subprocess.PIPE)
    return [os.getpid(), child.pid, int(child.stdout.readline())]


def forks_and_returns():
    if os.fork() == 0:
        return "the child's"
    time.sleep(0.05)
    return "the parent's"


async def uses_thread():
    return await asyncio.to_thread(lambda: os.getpid())


def blocks_in_c():
    """Where no signal handler of Python's ever runs."""
    print("spinning")
    hashlib.pbkdf2_hmac("sha256", b"", b"", 10 ** 9)


async def leaves_task():
    async def later():
        await asyncio.sleep(600)
    asyncio.ensure_future(later())
    return os.getpid()


def circle():
    value = []
    value.append(value)
    return value


def bad_result(kind):
    return {"nan": {"a": [1, float("nan")]}, "set": {"a": {1}}, "bytes": {"b": b"x"}, "surrogate": ["\ud800"],
            "key": {(1, 2): 3}, "big": 2 ** 70, "object": object(), "function": noop,
            "deep": eval("[" * 80 + "]" * 80)}[kind]


def large(size):
    return "x" * size


def garbage(how):
    os.write(3, {"kind": b"\0\0\0\4Zabcd", "size": b"\xff\xff\xff\xffR", "text": b"hello, world\n" * 100}[how])
    time.sleep(30)


def false_frame():
    """A frame that looks right, for a call that has not ended: the next one must not get it."""
    os.write(3, b"\0\0\0\4R1234")
    return "real"


def asks_and_does_not_read():
    frame = struct.pack("!IB", 5, ord("S")) + b"token"
    while True:
        os.write(3, frame * 1000)


def environment():
    return dict(os.environ)


def stdin():
    return sys.stdin.read()


def shows(context: Context):
    context.content("text", text="a picture:")
    context.content("image", data=b"\0\1\2", mime_type="image/png")
    context.content("resource", uri="test://a", mime_type="text/plain", text="näme")
    context.content("resource_link", uri="test://b", name="b")
    return {"shown": 4}


def shows_wrongly(how, context: Context):
    {"type": lambda: context.content("video"),
     "needs": lambda: context.content("image", mime_type="image/png"),
     "text": lambda: context.content("text", text=b"bytes"),
     "data": lambda: context.content("audio", data="text", mime_type="audio/wav"),
     "large": lambda: [context.content("image", data=b"x" * 300_000, mime_type="image/png") for _ in range(2)],
     "many": lambda: [context.content("text", text="x") for _ in range(1001)]}[how]()


def shows_past_the_host(how):
    """Frames of content that the host would not send."""
    block = {"list": b"[]", "base64": b'{"type":"image","data":"%%%"}',
             "many": b'{"type":"text","text":"x","data":""}'}[how]
    frame = struct.pack("!IB", len(block), ord("B")) + block
    for _ in range(1100 if how == "many" else 1):
        os.write(3, frame)
    return "done"

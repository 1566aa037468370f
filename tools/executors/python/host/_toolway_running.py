"""One call at a time: runs the function, whatever it is, and says how it ended."""
import _thread
import binascii
import json
import math
import os
import sys
import threading
import time
import types

import _toolway_channel as channel
import _toolway_functions as functions
import _toolway_results as results
import toolway

FIELDS = frozenset(("progress", "total", "message", "step", "data"))
GENERATORS = (types.GeneratorType, types.AsyncGeneratorType, types.CoroutineType)
MAX_DETAILS = 64 * 1024  # bytes of JSON, as the worker has it
LONGEST = 1e9            # seconds
current = None     # the call that runs
loop = None        # for async tools, made when the first one comes
recycle_above = 0  # bytes of resident memory; 0: whatever
_loaded = {}
_next_look = 0.0
_page = os.sysconf("SC_PAGE_SIZE")
_statm = -1
_calls = 0


class Call:
    """The call that runs, as context, signals and this module see it."""

    __slots__ = ("number", "cancelled", "task", "running", "reports", "waits", "blocks", "content_bytes")

    def __init__(self, number):
        self.number = number
        self.cancelled = toolway.Cancelled()
        self.task = None
        self.running = False  # in the tool's code, where it may be interrupted
        self.reports = 0
        self.waits = 0
        self.blocks = 0
        self.content_bytes = 0

    def log(self, level, message):
        if current is self:
            channel.log(str(level).lower(), str(message))

    def progress(self, report):
        if current is not self:
            return  # a thread that outlived its call
        self.reports += 1
        number = report.get("progress")
        number = self.reports if number is None else float(number)
        total = report.get("total")
        total = 0 if total is None else float(total)
        if not (math.isfinite(number) and math.isfinite(total)):
            raise toolway.ToolError("invalid_progress", "progress and total must be finite numbers")
        text = results.encode({
            "progress": number, "total": total, "message": str(report.get("message") or ""),
            "step": str(report.get("step") or ""), "data": report.get("data")})
        if len(text) > channel.MAX_REPORT:
            raise toolway.ToolError("progress_too_large", "a report has %d bytes of JSON, the limit is %d"
                                    % (len(text), channel.MAX_REPORT))
        channel.send(channel.PROGRESS, text)

    def content(self, block, data):
        if current is not self:
            return  # a thread that outlived its call
        self.blocks += 1
        self.content_bytes += len(data) + sum(len(text.encode("utf-8", "replace")) for text in block.values())
        if self.blocks > channel.MAX_BLOCKS or self.content_bytes > channel.MAX_CONTENT:
            raise toolway.ToolError("content_too_large", "a call's content has at most %d blocks and %d bytes"
                                    % (channel.MAX_BLOCKS, channel.MAX_CONTENT))
        block["data"] = binascii.b2a_base64(data, newline=False).decode()
        channel.send(channel.CONTENT, results.encode(block))

    def yielded(self, value):
        if type(value) is dict and value and value.keys() <= FIELDS:
            self.progress(value)
        else:
            self.progress({"data": value})

    def secret(self, name):
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("a secret can be asked for on the tool's own thread only")
        if current is not self:
            return None
        payload = self.exchange(channel.SECRET, str(name).encode())
        return payload[1:].decode() if payload[:1] == b"\1" else None

    def ask(self, questions):
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("a question can be asked on the tool's own thread only")
        if current is not self:
            raise toolway.ToolError("cannot_ask", "the call has ended")
        text = results.encode(questions)
        if len(text) > channel.MAX_REPORT:
            raise toolway.ToolError("invalid_request", "questions have %d bytes of JSON, the limit is %d"
                                    % (len(text), channel.MAX_REPORT))
        payload = self.exchange(channel.ASK, text)
        answer = json.loads(payload[1:])
        if payload[:1] == b"\1":
            return answer
        if self.cancelled.is_set():
            raise KeyboardInterrupt
        raise toolway.ToolError(answer["code"], answer["message"], details=answer["details"])

    def exchange(self, frame, payload):
        """Sends a frame and waits for the one that answers it."""
        channel.send(frame, payload)
        self.waits += 1
        try:
            while True:
                kind, payload = channel.receive()
                if kind == frame:
                    return payload
                obey(kind, payload)
        finally:
            self.waits -= 1

    def cancel(self):
        self.cancelled._cancel()
        if self.task is not None:
            loop.call_soon_threadsafe(self.task.cancel)


def obey(kind, payload):
    if kind == channel.CANCEL and current is not None and payload == current.number:
        current.cancel()


def on_cancel(signum, frame):
    """The worker sent a frame that says which call should stop; between calls the main loop reads it."""
    if current is not None and not current.waits and current.running:
        if channel.waiting():
            obey(*channel.receive())


def on_interrupt(signum, frame):
    """It was asked to stop and has not; interrupts the tool's code, and never a frame."""
    if current is not None and current.running and current.cancelled.is_set() and not channel.sending():
        raise KeyboardInterrupt


def run_async(call, work):
    import asyncio
    global loop
    if loop is None:
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
    call.task = loop.create_task(work)
    if call.cancelled.is_set():
        call.task.cancel()
    try:
        return loop.run_until_complete(call.task)
    except asyncio.CancelledError:
        if call.cancelled.is_set():
            raise KeyboardInterrupt from None
        raise
    finally:
        call.task = None
        tidy(asyncio)


def tidy(asyncio):
    """Ends what an async tool left running on the loop that the next one will use."""
    if loop.is_running():
        return
    left = asyncio.all_tasks(loop)
    if left:
        for task in left:
            task.cancel()
        loop.run_until_complete(asyncio.wait(left, timeout=0.1))
    executor = getattr(loop, "_default_executor", None)
    if executor is not None:
        loop._default_executor = None
        executor.shutdown(wait=False)
        for thread in list(executor._threads):
            thread.join(0.02)


async def drive(call, generator):
    last = None
    try:
        async for value in generator:
            if isinstance(value, toolway.Result):
                last = value.value
            else:
                call.yielded(value)
            if call.cancelled.is_set():
                raise KeyboardInterrupt
    finally:
        await generator.aclose()
    return last


def run_generator(call, generator):
    last = None
    while True:
        try:
            value = next(generator)
        except StopIteration as end:
            return last if end.value is None else end.value
        if isinstance(value, toolway.Result):
            last = value.value
        else:
            call.yielded(value)
        if call.cancelled.is_set():
            generator.close()
            raise KeyboardInterrupt


def run(call, function, arguments, about):
    context = toolway.Context(about, call, call.cancelled) if function.context else None
    value = function.run(arguments, context)
    kind = type(value)
    if kind in GENERATORS or (kind not in PLAIN and hasattr(kind, "__await__")):
        if kind is types.GeneratorType:
            return run_generator(call, value)
        if kind is types.AsyncGeneratorType:
            return run_async(call, drive(call, value))
        return run_async(call, value if kind is types.CoroutineType else wait_for(value))
    return value


async def wait_for(awaitable):
    return await awaitable


PLAIN = frozenset((dict, list, tuple, str, int, float, bool, type(None)))


def failed(code, message, retryable=False, retry_after=None, details=None):
    left_out = ""
    if details is not None:
        try:
            size = len(results.encode(details))
            if size > MAX_DETAILS:
                left_out = " (%d bytes of details left out; the limit is %d)" % (size, MAX_DETAILS)
        except results.InvalidResult as error:
            left_out = " (details left out: %s)" % error
    if len(message) > channel.MAX_TEXT:
        message = message[:channel.MAX_TEXT] + "…"
    error = {"code": code, "message": (message + left_out).encode("utf-8", "replace").decode(), "retryable": retryable}
    if retry_after is not None:
        error["retry_after_ms"] = int(min(retry_after, LONGEST) * 1000)
    if details is not None and not left_out:
        error["details"] = details
    return channel.ERROR, results.encode(error)


def failed_as_raised(error):
    """A ToolError's own words: its attributes may have been set to anything since it was made, or never."""
    return failed(toolway._code(getattr(error, "code", "")), str(getattr(error, "message", "")),
                  bool(getattr(error, "retryable", False)), toolway._seconds(getattr(error, "retry_after", None)),
                  getattr(error, "details", None))


def handle(payload):
    """Runs the call of a frame. Whether this process may take another one."""
    global current, _next_look, _calls
    now = time.monotonic()
    if now >= _next_look:
        _next_look = now + 1.0
        if _loaded and functions.changed():
            channel.send(channel.STALE)
            return False
    order, key, about, arguments = payload.split(b"\n", 3)
    number, largest = order.split()
    call = current = Call(number)
    why = None
    threads = _thread._count()
    try:
        call.running = True
        function = _loaded.get(key)
        if function is None:
            module, path, *taken = key.decode().split(" ")
            function = _loaded[key] = functions.load(module, path, taken)
            threads = _thread._count()  # what a module started when it was imported may stay
        value = run(call, function, json.loads(arguments), about)
        text = results.encode(value)
        call.running = False
        answer = channel.RESULT, text
        if len(text) > int(largest):
            answer = failed("result_too_large", "the tool's result has %d bytes of JSON, the limit is %d; ask for less"
                            % (len(text), int(largest)))
    except BaseException as error:
        call.running = False
        answer, why = ended_by(call, error)
    value = text = None
    sys.stdout.flush()
    sys.stderr.flush()
    current = None
    why = why or left_behind(threads, now)
    if why:
        channel.send(channel.RECYCLE, why.encode())
    kind, text = answer
    channel.send(kind, text, number + b"\n")
    _calls += 1
    return True


def ended_by(call, error):
    """The answer for what left the tool, and why this process should not continue, if it should not."""
    said = functions.describe_exception(error)
    if isinstance(error, KeyboardInterrupt) and call.cancelled.is_set():
        return failed("cancelled", "the tool stopped when it was asked to"), None
    if isinstance(error, results.InvalidResult):
        return failed("invalid_result", "the tool's result cannot be sent: %s" % error), None
    if isinstance(error, toolway.ToolError):
        try:
            return failed_as_raised(error), None
        except Exception as broken:
            said = functions.describe_exception(broken)
    if isinstance(error, functions.ImportFailed):
        if error.log:
            channel.log("error", error.log)
        return failed("python_import_failed", str(error)), None
    if isinstance(error, SystemExit):
        return failed("tool_crashed", "the tool called sys.exit(%.100r)" % (error.code,)), "sys.exit"
    channel.log("error", functions.trace(error))
    return failed("python_exception", said), "out of memory" if isinstance(error, MemoryError) else None


def left_behind(threads, began):
    """What the call left that would disturb the next one: threads, children, memory."""
    patience = 20
    while _thread._count() > threads:  # one that was joined may be on its way out
        if not patience:
            return "the call left threads running"
        patience -= 1
        time.sleep(0.001)
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return "the call left child processes"
    except OSError:
        pass
    # Looked at after every call that took time, and now and then.
    if recycle_above and ((_calls & 31) == 0 or time.monotonic() - began > 0.005):
        if resident() > recycle_above:
            return "its memory grew"
    return None


def resident():
    global _statm
    try:
        if _statm < 0:
            _statm = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
        return int(os.pread(_statm, 128, 0).split()[1]) * _page
    except (OSError, IndexError, ValueError):
        return 0

"""What a Python tool may use of Toolway: `from toolway import Context, ToolError, Result`."""
import base64
import json
import logging
import _thread

BLOCKS = ("text", "image", "audio", "resource", "resource_link")

__all__ = ["Context", "ToolContext", "ToolError", "Result", "Limits"]


class ToolError(Exception):
    """Ends the call in the tool's own words, all of which reach the caller.

    retry_after is in seconds; details is any JSON value.
    """

    def __init__(self, code, message="", retryable=False, details=None, retry_after=None):
        super().__init__(message)
        self.code = str(code)
        self.message = str(message)
        self.retryable = bool(retryable)
        self.details = details
        self.retry_after = retry_after


class Result:
    """Yielded by an async generator, which cannot return a value: its result."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


class Cancelled:
    """Whether the call was cancelled or is past its limit; like a threading.Event
    that only Toolway sets. May be looked at and waited for on any thread."""

    __slots__ = ("_set", "_gate")

    def __init__(self):
        self._set = False
        # Held until it is set. Not a threading.Event: a signal handler sets it,
        # which must take no lock that the interrupted code may hold.
        self._gate = _thread.allocate_lock()
        self._gate.acquire()

    def is_set(self):
        return self._set

    def __bool__(self):
        return self._set

    def wait(self, timeout=None):
        """Waits for it at most `timeout` seconds; returns whether it is set."""
        if not self._set and self._gate.acquire(timeout=-1 if timeout is None else max(0.0, timeout)):
            self._gate.release()
        return self._set

    def _cancel(self):
        if not self._set:
            self._set = True
            self._gate.release()


class Limits:
    """The limits of the call in seconds; None: none."""

    __slots__ = ("queue", "run", "total", "heartbeat")

    def __init__(self, milliseconds):
        for name in self.__slots__:
            value = milliseconds.get(name)
            setattr(self, name, value / 1000 if value else None)


class Context:
    """What a tool may know about its call, and how it learns that it should stop."""

    __slots__ = ("cancelled", "_about", "_limits", "_call", "_logger", "__weakref__")

    def __init__(self, about, call, cancelled):
        self.cancelled = cancelled
        self._about = about  # JSON text until it is asked for
        self._call = call
        self._limits = None
        self._logger = None

    def _facts(self):
        if type(self._about) is bytes:
            self._about = json.loads(self._about)
        return self._about

    session_id = property(lambda self: self._facts()["session_id"])
    user_id = property(lambda self: self._facts()["user_id"])
    call_id = property(lambda self: self._facts()["call_id"])
    attempt = property(lambda self: self._facts()["attempt"])
    idempotency_key = property(lambda self: self._facts()["idempotency_key"])
    # The span of this execution (W3C Trace Context), to be sent along with what the tool asks of others.
    # None: the call is part of no trace, or has no state.
    traceparent = property(lambda self: self._facts().get("traceparent"))
    tracestate = property(lambda self: self._facts().get("tracestate"))

    @property
    def limits(self):
        if self._limits is None:
            self._limits = Limits(self._facts()["limits"])
        return self._limits

    @property
    def logger(self):
        """A logging.Logger whose records become log events of the call."""
        return logging.getLogger("tool")

    def content(self, type, text=None, *, data=None, mime_type=None, uri=None, name=None):
        """Adds a block to the result, besides the returned value: `text`, `image` and `audio` (data: bytes, mime_type),
        `resource` (uri, and text or data) or `resource_link` (uri, name)."""
        if type not in BLOCKS:
            raise ValueError("a block's type is one of %s, not %r" % (", ".join(BLOCKS), type))
        if type in ("image", "audio") and not (isinstance(data, (bytes, bytearray)) and mime_type):
            raise ValueError("%s needs data (bytes) and mime_type" % type)
        if type in ("resource", "resource_link") and not uri:
            raise ValueError("%s needs a uri" % type)
        block = {"type": type}
        for key, value in (("text", text), ("mime_type", mime_type), ("uri", uri), ("name", name)):
            if value is not None:
                block[key] = str(value)
        if data is not None:
            block["data"] = base64.b64encode(data).decode()
        self._call.content(block)

    def log(self, message, level="info"):
        """One log event; level is debug, info, warning or error."""
        self._call.log(level, message)

    def progress(self, progress=None, total=None, message="", step="", data=None):
        """Reports how far the call is. Waits while the worker cannot keep up with the reports."""
        self._call.progress({"progress": progress, "total": total, "message": message, "step": step,
                             "data": data})

    def secret(self, name):
        """A secret of the worker, or None. On the thread that runs the tool."""
        return self._call.secret(name)


ToolContext = Context

"""What a Python tool may use of Toolway: `from toolway import Context, ToolError, Result`."""
import datetime
import hashlib
import json
import logging
import math
import re
import _thread

__all__ = ["Answer", "Context", "ToolContext", "ToolError", "Result", "Limits"]


# The types of content blocks, and what each cannot be without.
BLOCKS = {"text": ("text",), "image": ("data", "mime_type"), "audio": ("data", "mime_type"),
          "resource": ("uri",), "resource_link": ("uri", "name")}


class ToolError(Exception):
    """Ends the call in the tool's own words, all of which reach the caller.

    code is up to 64 of A-Z a-z 0-9 _ . : -, and other characters become _. retry_after is a timedelta, or a number of
    seconds; anything else counts as None. details is any JSON value.
    """

    def __init__(self, code, message="", retryable=False, details=None, retry_after=None):
        super().__init__(message)
        self.code = _code(code)
        self.message = str(message)
        self.retryable = bool(retryable)
        self.details = details
        self.retry_after = _seconds(retry_after)


def _code(code):
    return re.sub(r"[^A-Za-z0-9_.:-]", "_", str(code))[:64] or "tool_error"


def _seconds(duration):
    if isinstance(duration, datetime.timedelta):
        duration = duration.total_seconds()
    if duration is None or isinstance(duration, (bool, str, bytes)):
        return None
    try:
        seconds = float(duration)
    except (TypeError, ValueError, OverflowError):
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


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


class Answer:
    """What the client said to a question: action is accept, decline or cancel; content what the form holds.

    It is true when the question was accepted.
    """

    __slots__ = ("action", "content")

    def __init__(self, result):
        self.action = result.get("action", "cancel")
        self.content = result.get("content") or {}

    def __bool__(self):
        return self.action == "accept"


class Limits:
    """The limits of the call in seconds; None: none."""

    __slots__ = ("queue", "run", "total", "heartbeat")

    def __init__(self, milliseconds):
        for name in self.__slots__:
            value = milliseconds.get(name)
            setattr(self, name, value / 1000 if value else None)


def _short(key):
    """A key of at most 64 bytes."""
    key = str(key)
    if len(key.encode("utf-8", "replace")) <= 64:
        return key
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()


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

    def log(self, message, level="info"):
        """One log event; level is debug, info, warning or error."""
        self._call.log(level, message)

    def progress(self, progress=None, total=None, message="", step="", data=None):
        """Reports how far the call is. Waits while the worker cannot keep up with the reports."""
        self._call.progress({"progress": progress, "total": total, "message": message, "step": step,
                             "data": data})

    def content(self, type, text="", *, data=b"", mime_type="", uri="", name=""):
        """Adds a content block to the result, after those before it: what a model sees beside its JSON.

        type is text, image, audio, resource or resource_link; data are the bytes of an image, of audio
        or of a resource that is not text. Counts if the tool succeeds.
        """
        needs = BLOCKS.get(type)
        if needs is None:
            raise ToolError("invalid_content", "a block's type is one of %s" % ", ".join(BLOCKS))
        block = {"type": type, "text": text, "mime_type": mime_type, "uri": uri, "name": name}
        for field, value in block.items():
            if not isinstance(value, str):
                raise ToolError("invalid_content", "%s of a block is a string" % field)
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise ToolError("invalid_content", "data of a block is bytes")
        data = bytes(data)
        for field in needs:
            if not (data if field == "data" else block[field]):
                raise ToolError("invalid_content", "a block of type %s needs %s" % (type, field))
        self._call.content(block, data)

    @property
    def askable(self):
        """What the client of this call can be asked: of "form", "url", "sampling" and "roots"."""
        return frozenset(self._facts()["askable"])

    def ask(self, message, schema=None, *, key=None):
        """Asks for the fields of a form, and waits for the Answer; ToolError "cannot_ask" if the client cannot.

        schema is a JSON Schema: an object with properties of simple types. key stands for this question when
        the call is run again: what was answered then is returned at once. Without one it is its message.
        """
        schema = schema or {"type": "object", "properties": {}}
        return Answer(self._one(key or message, "elicitation/create", {"message": message, "requestedSchema": schema}))

    def ask_url(self, message, url, *, key=None):
        """Asks to open a page, where a secret can be entered that must not come through here; an Answer."""
        key = key or message
        return Answer(self._one(key, "elicitation/create", {
            "mode": "url", "message": message, "url": url, "elicitationId": self.call_id + "/" + _short(key)}))

    def sample(self, messages, max_tokens=1000, *, key=None, **more):
        """Asks the client's model, and returns its message: role, content, model, stopReason.

        messages is a text, or a list of messages of the Model Context Protocol, which says what more there is.
        """
        if isinstance(messages, str):
            messages = [{"role": "user", "content": {"type": "text", "text": messages}}]
        params = dict(more, messages=messages, maxTokens=max_tokens)
        return self._one(key or json.dumps(messages), "sampling/createMessage", params)

    def roots(self, *, key="roots"):
        """Asks for the folders that the client works on: a list of {"uri", "name"}."""
        return self._one(key, "roots/list", {}).get("roots", [])

    def ask_all(self, questions):
        """Asks several questions at once: {key: (method, params)}. Returns {key: result}."""
        asked = [[_short(key), method, params] for key, (method, params) in questions.items()]
        return dict(zip(questions, self._call.ask(asked)))

    def _one(self, key, method, params):
        return self._call.ask([[_short(key), method, params]])[0]

    def secret(self, name):
        """A secret of the worker, or None. On the thread that runs the tool."""
        return self._call.secret(name)


ToolContext = Context

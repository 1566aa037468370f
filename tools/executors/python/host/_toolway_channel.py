"""The frames between this process and the worker (see ../frame.h), on a file of their own."""
import os
import select
import struct
import threading

FILE = 3
HEADER = struct.Struct("!IB")
CALL, CANCEL, SECRET, ASK = b"CXSA"
HELLO, RESULT, ERROR, PROGRESS, CONTENT, LOG, RECYCLE, STALE = b"HREPBLYN"
LEVELS = {"debug": b"\0", "info": b"\1", "warning": b"\2", "warn": b"\2", "error": b"\3", "critical": b"\3"}
MAX_TEXT = 12 * 1024
MAX_REPORT = 1024 * 1024
MAX_BLOCKS = 1000
MAX_CONTENT = 512 * 1024  # bytes of all blocks of a call

_lock = threading.RLock()
_later = []  # frames that came up on a thread that was sending one: from a __del__
_sending = False
_buffer = b""
_pid = os.getpid()


def send(kind, payload=b"", first=b""):
    """One frame, whole, of `first` and `payload`. Frames of several threads do not mix."""
    global _sending
    with _lock:
        if os.getpid() != _pid:
            os._exit(1)  # a forked child does not answer for its parent
        if _sending:
            _later.append((kind, payload, first))
            return
        _sending = True
        try:
            _write(kind, payload, first)
            while _later:
                _write(*_later.pop(0))
        finally:
            _sending = False


def sending():
    """Whether this thread is in the middle of a frame, where nothing may interrupt it."""
    return _lock._is_owned()


def _write(kind, payload, first):
    head = HEADER.pack(len(first) + len(payload), kind) + first
    if len(payload) < 65536:
        _write_all(head + payload)
    else:
        _write_all(head)
        _write_all(payload)


def _write_all(data):
    sent = os.write(FILE, data)
    if sent < len(data):
        rest = memoryview(data)[sent:]
        while rest:
            rest = rest[os.write(FILE, rest):]


def log(level, text):
    """One log event. A long text loses its middle: a traceback says most at its end."""
    if len(text) > MAX_TEXT:
        text = text[:MAX_TEXT // 4] + "\n[…]\n" + text[-MAX_TEXT // 2:]
    send(LOG, LEVELS.get(level, b"\1") + text.encode("utf-8", "backslashreplace"))


def receive():
    """The next frame's kind and payload. Waits; ends the process when the worker is gone."""
    global _buffer
    while True:
        if len(_buffer) >= 5:
            length, kind = HEADER.unpack_from(_buffer)
            end = 5 + length
            if len(_buffer) == end:
                payload, _buffer = _buffer[5:], b""
                return kind, payload
            if len(_buffer) > end:
                payload, _buffer = _buffer[5:end], _buffer[end:]
                return kind, payload
        data = os.read(FILE, 262144)
        if not data:
            raise SystemExit(0)
        _buffer = _buffer + data if _buffer else data


def waiting():
    """Whether a frame has come, without waiting for one."""
    return len(_buffer) > 0 or bool(select.select([FILE], [], [], 0)[0])

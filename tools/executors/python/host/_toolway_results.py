"""Results as JSON, and what to say when one is none."""
import dataclasses
import datetime
import enum
import json
import math
import pathlib
import uuid

MAX_DEPTH = 64


class InvalidResult(Exception):
    pass


def plain(value):
    """What JSON has no words for, as something that it has."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (uuid.UUID, pathlib.PurePath)):
        return str(value)
    if callable(getattr(type(value), "model_dump", None)):
        return value.model_dump(mode="json")
    raise TypeError("%s is not JSON" % type(value).__name__)


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=plain).encode


def encode(value):
    """UTF-8 JSON. Raises InvalidResult, which says what is wrong and where."""
    if value is None:
        return b"null"
    try:
        return _encode(value).encode()
    except MemoryError:
        raise
    except Exception as error:  # whatever an object of the tool does when it is looked at
        raise InvalidResult(_mistake(value) or "%s: %s" % (type(error).__name__, error)) from None


def _mistake(root):
    """The first thing in it that is not JSON. A stack of its own: it may nest deeply."""
    stack = [("", root, 0, ())]
    looked = 0
    while stack:
        where, value, depth, above = stack.pop()
        looked += 1
        if looked > 1_000_000:
            return None
        here = "at %s: " % where if where else ""
        if depth > MAX_DEPTH * 4:
            return "it is nested more than %d levels deep" % MAX_DEPTH
        if id(value) in above:
            return here + "it contains itself"
        if isinstance(value, float) and not math.isfinite(value):
            return here + "%r is not JSON" % value
        if isinstance(value, str):
            try:
                value.encode()
            except UnicodeEncodeError as error:
                return here + "a string with an unpaired surrogate (character %d)" % error.start
        if value is None or isinstance(value, (str, int, float)):
            continue
        path = above + (id(value),)
        if isinstance(value, dict):
            for key, item in reversed(list(value.items())):
                if not (key is None or isinstance(key, (str, int, float))):
                    return here + "a key of type %s" % type(key).__name__
                stack.append(("%s/%s" % (where, key), item, depth + 1, path))
        elif isinstance(value, (list, tuple)):
            for index in range(len(value) - 1, -1, -1):
                stack.append(("%s/%d" % (where, index), value[index], depth + 1, path))
        else:
            try:
                stack.append((where, plain(value), depth + 1, path))
            except TypeError:
                return here + "a value of type %s is not JSON" % type(value).__name__
            except Exception as error:
                return here + "%s: %s" % (type(error).__name__, error)
    return None

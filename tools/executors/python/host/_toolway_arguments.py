"""From JSON to what a parameter's type hint promises, where that is more than JSON."""
import collections.abc
import dataclasses
import datetime
import enum
import sys
import typing
import uuid

import toolway

Unions = {typing.Union}
if sys.version_info >= (3, 10):
    import types
    Unions.add(types.UnionType)
LISTS = (list, tuple, set, frozenset, collections.abc.Sequence, collections.abc.Iterable,
         collections.abc.Collection, collections.abc.Set, collections.abc.MutableSequence)
MAPS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)


def hints_of(target):
    """Type hints with `Annotated` kept; as written when they cannot be evaluated."""
    try:
        return typing.get_type_hints(target, include_extras=True)
    except Exception:
        return dict(getattr(target, "__annotations__", {}))


class Refused(toolway.ToolError):
    """An argument that does not convert."""


def refuse(value, expected):
    raise Refused("invalid_arguments", "%.100r is not a valid %s" % (value, expected))


def _when(kind):
    def convert(value):
        if not isinstance(value, str):
            refuse(value, kind.__name__)
        try:
            return kind.fromisoformat(value[:-1] + "+00:00" if value[-1:] in "zZ" else value)
        except ValueError:
            refuse(value, kind.__name__)
    return convert


def _made_by(kind):
    def convert(value):
        try:
            return kind(value)
        except (ValueError, TypeError, AttributeError):
            refuse(value, kind.__name__)
    return convert


def _dataclass(kind):
    hints = hints_of(kind)
    converters = {field.name: converter(hints.get(field.name)) for field in dataclasses.fields(kind) if field.init}

    def convert(value):
        if not isinstance(value, dict):
            refuse(value, kind.__name__)
        unknown = value.keys() - converters.keys()
        if unknown:
            refuse(value, "%s: it has no %s" % (kind.__name__, ", ".join(sorted(unknown))))
        try:
            return kind(**{name: converters[name](item) if converters[name] else item
                           for name, item in value.items()})
        except TypeError as error:
            refuse(value, "%s: %s" % (kind.__name__, error))
    return convert


def _union(choices):
    converters = [converter(choice) for choice in choices if choice is not type(None)]
    if not any(converters):
        return None

    def convert(value):
        if value is None:
            return None
        for one in converters:
            if one is not None:
                try:
                    return one(value)
                except toolway.ToolError:
                    pass
        if None in converters:
            return value
        refuse(value, "value of any of its types")
    return convert


_in_progress = {}


def converter(hint):
    """A function from the JSON value to the argument; None: the value itself."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hasattr(typing, "Annotated") and origin is typing.Annotated:
        return converter(inner[0])
    if origin in Unions:
        return _union(inner)
    if (origin or hint) in LISTS:
        kind = origin or hint
        one = converter(inner[0]) if inner and (kind is not tuple or inner[1:] == (Ellipsis,)) else None
        make = kind if kind in (tuple, set, frozenset) else None
        if kind is collections.abc.Set:
            make = set
        if one is None:
            return make
        return lambda value: (make or list)(one(item) for item in value)
    if origin in MAPS:
        one = converter(inner[1])
        return one and (lambda value: {key: one(item) for key, item in value.items()})
    if hasattr(hint, "__supertype__"):
        return converter(hint.__supertype__)
    if not isinstance(hint, type):
        return None
    if issubclass(hint, enum.Enum):
        return _made_by(hint)
    if hint in (datetime.datetime, datetime.date, datetime.time):
        return _when(hint)
    if hint is uuid.UUID or hint.__module__ == "pathlib" or hint.__module__.startswith("pathlib."):
        return _made_by(hint)
    if dataclasses.is_dataclass(hint):
        if hint in _in_progress:  # it contains itself
            return lambda value: _in_progress[hint](value)
        _in_progress[hint] = None
        _in_progress[hint] = _dataclass(hint)
        return _in_progress[hint]
    return None

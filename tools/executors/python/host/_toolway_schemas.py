"""JSON Schema (2020-12) of type hints."""
import collections.abc
import dataclasses
import datetime
import enum
import inspect
import typing
import uuid

import _toolway_arguments as arguments

PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null", None: "null"}
FORMATS = {datetime.datetime: "date-time", datetime.date: "date", datetime.time: "time", uuid.UUID: "uuid"}
SETS = (set, frozenset, collections.abc.Set, collections.abc.MutableSet)
NAMES = {"list": list, "dict": dict, "str": str, "int": int, "float": float, "bool": bool}


class NoSchema(Exception):
    pass


class Schemas:
    """Schemas that share their definitions: classes that contain themselves."""

    def __init__(self):
        self.definitions = {}
        self._open = []
        self._referred = set()

    def of(self, hint):
        if hint in (typing.Any, inspect.Parameter.empty, object):
            return {}
        if isinstance(hint, str):
            raise NoSchema("the type hint %r cannot be found" % hint)
        if hint in PLAIN:
            return {"type": PLAIN[hint]}
        if hint in FORMATS:
            return {"type": "string", "format": FORMATS[hint]}
        origin, inner = typing.get_origin(hint), typing.get_args(hint)
        if origin is typing.Annotated:
            return self._annotated(self.of(inner[0]), inner[1:])
        if origin in arguments.Unions:
            return self._union(inner)
        if origin is typing.Literal:
            return self._choices(list(inner))
        if getattr(origin, "__name__", "") in ("Required", "NotRequired", "ReadOnly", "Final") or \
                str(origin).endswith(("Required", "NotRequired", "ReadOnly", "Final")):
            return self.of(inner[0])
        kind = origin or hint
        if kind is tuple and inner and inner[-1:] != (Ellipsis,):
            parts = [] if inner == ((),) else list(inner)
            return {"type": "array", "prefixItems": [self.of(part) for part in parts], "items": False,
                    "minItems": len(parts)}
        if kind in arguments.LISTS or kind in SETS:
            schema = {"type": "array"}
            if inner and self.of(inner[0]):
                schema["items"] = self.of(inner[0])
            if kind in SETS:
                schema["uniqueItems"] = True
            return schema
        if kind in arguments.MAPS:
            if inner and inner[0] not in (str, typing.Any) and not isinstance(inner[0], typing.TypeVar):
                raise NoSchema("JSON objects have string keys, not %s" % name_of(inner[0]))
            schema = {"type": "object"}
            if len(inner) > 1 and self.of(inner[1]):
                schema["additionalProperties"] = self.of(inner[1])
            return schema
        if hasattr(hint, "__supertype__"):
            return self.of(hint.__supertype__)
        if hasattr(hint, "__value__"):  # type X = …
            return self.of(hint.__value__)
        if isinstance(hint, typing.TypeVar):
            return self.of(hint.__bound__) if hint.__bound__ else {}
        if isinstance(kind, type):
            return self._class(kind)
        raise NoSchema("there is no JSON Schema for %s" % name_of(hint))

    def _annotated(self, schema, notes):
        schema = dict(schema)
        for note in notes:
            if isinstance(note, str):
                schema["description"] = note
            elif isinstance(note, dict):
                schema.update(note)
            elif isinstance(getattr(note, "description", None), str):
                schema["description"] = note.description
            elif isinstance(getattr(note, "documentation", None), str):
                schema["description"] = note.documentation
        return schema

    def _union(self, choices):
        schemas = []
        for choice in choices:
            schema = self.of(choice)
            if schema not in schemas:
                schemas.append(schema)
        if {} in schemas:
            return {}
        if all(set(schema) == {"type"} for schema in schemas):
            types = [schema["type"] for schema in schemas]
            return {"type": types if len(types) > 1 else types[0]}
        return {"anyOf": schemas} if len(schemas) > 1 else schemas[0]

    def _choices(self, values):
        for value in values:
            if not (value is None or isinstance(value, (str, int, float))):
                raise NoSchema("the choice %r is not JSON" % (value,))
        types = {PLAIN.get(type(value)) for value in values}
        schema = {"enum": values}
        if len(types) == 1 and None not in types:
            return {"type": types.pop(), **schema}
        return schema

    def _class(self, kind):
        if issubclass(kind, enum.Enum):
            return self._choices([member.value for member in kind])
        if kind.__module__.split(".")[0] == "pathlib":
            return {"type": "string"}
        if dataclasses.is_dataclass(kind):
            return self._object(kind, self._fields)
        if hasattr(kind, "__total__") and hasattr(kind, "__required_keys__"):
            return self._object(kind, self._typed_dict)
        if issubclass(kind, (bytes, bytearray, memoryview)):
            raise NoSchema("bytes are not JSON; take a string")
        if callable(getattr(kind, "model_json_schema", None)):
            return kind.model_json_schema()
        raise NoSchema("there is no JSON Schema for class %s; a dataclass or TypedDict has one" % kind.__name__)

    def _object(self, kind, members):
        name = kind.__name__
        if kind in self._open:
            self._referred.add(name)
            return {"$ref": "#/$defs/" + name}
        self._open.append(kind)
        try:
            schema = members(kind)
        finally:
            self._open.pop()
        text = (kind.__doc__ or "").strip()
        if text and not text.startswith(name + "("):
            schema = {"description": inspect.cleandoc(text), **schema}
        if name in self._referred:
            self.definitions[name] = schema
            return {"$ref": "#/$defs/" + name}
        return schema

    def _fields(self, kind):
        hints = arguments.hints_of(kind)
        properties, required = {}, []
        for field in dataclasses.fields(kind):
            if not field.init:
                continue
            schema = self.of(hints.get(field.name, typing.Any))
            if field.default is not dataclasses.MISSING:
                schema = with_default(schema, field.default)
            elif field.default_factory is dataclasses.MISSING:
                required.append(field.name)
            properties[field.name] = schema
        return object_schema(properties, required)

    def _typed_dict(self, kind):
        hints = arguments.hints_of(kind)
        required = [name for name in hints if name in kind.__required_keys__]
        return object_schema({name: self.of(hint) for name, hint in hints.items()}, required)


def object_schema(properties, required, additional=False):
    schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    schema["additionalProperties"] = additional
    return schema


def with_default(schema, value):
    """The schema with its default, where JSON has one."""
    if isinstance(value, enum.Enum):
        value = value.value
    if isinstance(value, tuple):
        value = list(value)
    if not is_json(value):
        return schema
    if value is None and schema and not admits_null(schema):
        if set(schema) <= {"type", "description"} and isinstance(schema["type"], str):
            schema = {**schema, "type": [schema["type"], "null"]}
        else:
            schema = {"anyOf": [schema, {"type": "null"}]}
    return {**schema, "default": value}


def is_json(value):
    if isinstance(value, dict):
        return all(isinstance(key, str) and is_json(item) for key, item in value.items())
    if isinstance(value, list):
        return all(map(is_json, value))
    return value is None or isinstance(value, (str, int)) or (isinstance(value, float) and value - value == 0)


def admits_null(schema):
    kind = schema.get("type")
    return kind == "null" or (isinstance(kind, list) and "null" in kind) or None in schema.get("enum", ()) or \
        any(map(admits_null, schema.get("anyOf", ())))


def name_of(hint):
    return getattr(hint, "__name__", None) or str(hint)

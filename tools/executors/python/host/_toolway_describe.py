"""The specs that type hints and docstrings of a module's functions make; no function is run."""
import collections.abc
import inspect
import json
import typing

import _toolway_arguments as arguments
import _toolway_docstrings as docstrings
import _toolway_functions as functions
from _toolway_schemas import NoSchema, Schemas, object_schema, with_default

STEPS = (collections.abc.Generator, collections.abc.Iterator, collections.abc.Iterable,
         collections.abc.AsyncGenerator, collections.abc.AsyncIterator, collections.abc.AsyncIterable)


def describe(module, function):
    """As JSON text, so that the order of keys is kept."""
    found = functions.import_module(module)
    tools, refused = [], []
    for name in [function] if function else public_functions(found):
        try:
            tools.append(tool(module, name))
        except NoSchema as error:
            refused.append({"function": name, "reason": str(error)})
    return json.dumps({"tools": tools, "refused": refused}, ensure_ascii=False)


def public_functions(module):
    names = getattr(module, "__all__", None)
    return [name for name, value in vars(module).items()
            if inspect.isfunction(inspect.unwrap(value) if callable(value) else value)
            and (name in names if names is not None else not name.startswith("_"))
            and (names is not None or value.__module__ == module.__name__)]


def tool(module, path):
    call = functions.load(module, path, ()).call
    try:
        signature = inspect.signature(call)
    except (ValueError, TypeError):
        raise NoSchema("its parameters cannot be seen") from None
    inside = inspect.unwrap(call)
    hints = arguments.hints_of(inside)
    description, described = docstrings.parse(inside)
    schema = input_schema(signature, hints, described)
    steps = inspect.isgeneratorfunction(inside) or inspect.isasyncgenfunction(inside)
    result = output_schema(hints.get("return", inspect.Parameter.empty), steps)
    found = {"name": path.rsplit(".", 1)[-1], "description": description, "kind": "python", "input_schema": schema}
    if result:
        found["output_schema"] = result
    if steps:
        found["multi_step"] = True
    found["implementation_config"] = {"module": module, "function_name": path}
    return found


def input_schema(signature, hints, described):
    schemas = Schemas()
    parameters = list(signature.parameters.values())
    context = functions.context_parameter(parameters, hints)
    properties, required, additional = {}, [], False
    for parameter in parameters:
        if parameter.name == context:
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            raise NoSchema("*%s: arguments come by name; take a list" % parameter.name)
        try:
            schema = schemas.of(hints.get(parameter.name, inspect.Parameter.empty))
        except NoSchema as error:
            raise NoSchema("%s: %s" % (parameter.name, error)) from None
        if parameter.kind is parameter.VAR_KEYWORD:
            additional = schema or True
            continue
        if parameter.name in described and "description" not in schema:
            schema = {**schema, "description": described[parameter.name]}
        if parameter.default is parameter.empty:
            required.append(parameter.name)
        else:
            schema = with_default(schema, parameter.default)
        properties[parameter.name] = schema
    found = object_schema(properties, required, additional)
    if schemas.definitions:
        found["$defs"] = schemas.definitions
    return found


def output_schema(hint, steps):
    """Of what it returns; nothing when that is not stated, or has no schema."""
    if steps:
        inner = typing.get_args(hint)
        if typing.get_origin(hint) is not collections.abc.Generator or len(inner) != 3:
            return None
        hint = inner[2]
    elif typing.get_origin(hint) in STEPS:
        return None
    if hint in (None, type(None)):
        return None
    schemas = Schemas()
    try:
        found = schemas.of(hint)
    except NoSchema:
        return None
    if found and schemas.definitions:
        found = {**found, "$defs": schemas.definitions}
    return found

"""The functions that are tools: found, looked at once, and forgotten when their files change."""
import importlib
import inspect
import os
import sys
import time
import traceback
import typing

import toolway
import _toolway_arguments

CONTEXT_NAMES = ("context", "ctx")
directories = ()  # that tools are imported from; set by main
_files = {}       # of the modules that came from there: path -> (mtime, size)
_known = set()    # names of modules that were looked at


class ImportFailed(Exception):
    def __init__(self, message, log=None):
        super().__init__(message)
        self.log = log


class Function:
    """What is known of a tool's function before it is called."""

    __slots__ = ("call", "context", "converters", "positional")

    def __init__(self, call, taken):
        self.call = call
        self.context = None     # the parameter that takes the context
        self.converters = None  # parameter -> from JSON and its default, for those that need it
        self.positional = ()    # parameters that cannot be named
        try:
            parameters = inspect.signature(call).parameters.values()
        except (ValueError, TypeError):
            return
        hints = _toolway_arguments.hints_of(inspect.unwrap(call))
        self.context = context_parameter(parameters, hints, taken)
        self.positional = tuple(p.name for p in parameters if p.kind is p.POSITIONAL_ONLY)
        converters = {}
        for parameter in parameters:
            hint = hints.get(parameter.name)
            if hint is not None and parameter.name != self.context:
                convert = _toolway_arguments.converter(hint)
                if convert is not None and parameter.kind is not parameter.VAR_KEYWORD:
                    converters[parameter.name] = convert, parameter.default
        self.converters = converters or None

    def run(self, arguments, context):
        if self.converters:
            for name, (convert, default) in self.converters.items():
                if name in arguments and not (default is None and arguments[name] is None):
                    try:
                        arguments[name] = convert(arguments[name])
                    except _toolway_arguments.Refused as error:
                        error.message = "%s: %s" % (name, error.message)
                        raise
        if self.context:
            arguments[self.context] = context
        if self.positional:
            first = [arguments.pop(name) for name in self.positional if name in arguments]
            return self.call(*first, **arguments)
        return self.call(**arguments)


def is_context(hint):
    if isinstance(hint, str):
        return hint.rsplit(".", 1)[-1].strip("'\"") in ("Context", "ToolContext")
    if hint is toolway.Context:
        return True
    return typing.get_origin(hint) in _toolway_arguments.Unions and any(map(is_context, typing.get_args(hint)))


def context_parameter(parameters, hints, taken=()):
    """The parameter that wants the context; `taken`: names that are arguments."""
    for parameter in parameters:
        hint = hints.get(parameter.name)
        if is_context(hint) or (hint is None and parameter.name in CONTEXT_NAMES):
            if parameter.name not in taken and parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
                return parameter.name
    return None


def load(module_name, path, taken):
    """Imports what is not imported yet. Raises ImportFailed."""
    found = import_module(module_name)
    for name in path.split("."):
        try:
            found = getattr(found, name)
        except AttributeError:
            raise ImportFailed("module %s has no %s" % (module_name, path)) from None
    if not callable(found):
        raise ImportFailed("%s of module %s is not a function" % (path, module_name))
    return Function(found, taken)


def import_module(name):
    module = sys.modules.get(name)
    if module is not None:
        return module
    began = time.time_ns()
    before = set(sys.modules)
    importlib.invalidate_caches()
    try:
        module = importlib.import_module(name)
    except KeyboardInterrupt:
        forget(before)
        raise
    except BaseException as error:
        forget(before)
        said = describe_exception(error)
        if isinstance(error, ModuleNotFoundError) and error.name and (name + ".").startswith(error.name + "."):
            raise ImportFailed("there is no module %s in the directories that tools are imported from (--python-path)" % error.name,
                               trace(error)) from None
        raise ImportFailed("module %s cannot be imported: %s" % (name, said), trace(error)) from None
    watch(began, name)
    return module


def forget(before):
    """What a failed import left behind is imported again next time."""
    for name in set(sys.modules) - before:
        if is_ours(getattr(sys.modules[name], "__file__", None)):
            del sys.modules[name]


def is_ours(path):
    return bool(path) and path.startswith(directories)


def watch(began, tool_module=None):
    for name in list(sys.modules):
        if name in _known:
            continue
        _known.add(name)
        path = getattr(sys.modules[name], "__file__", None)
        if not (is_ours(path) or (path and name == tool_module)):
            continue
        try:
            found = os.stat(path)
        except OSError:
            continue
        # Written while it was imported: who knows what was read.
        changed = 0 < began < found.st_mtime_ns <= time.time_ns()
        _files[path] = None if changed else (found.st_mtime_ns, found.st_size)


def changed():
    """Whether a file of a module that is in use is not what was imported."""
    watch(0)
    for path, seen in _files.items():
        try:
            found = os.stat(path)
        except OSError:
            return True
        if seen != (found.st_mtime_ns, found.st_size):
            return True
    return False


def describe_exception(error):
    name = type(error).__name__
    try:
        said = str(error)
    except Exception:
        said = "(it cannot say what)"
    if len(said) > 4000:
        said = said[:4000] + "…"
    return "%s: %s" % (name, said) if said else name


def trace(error):
    """The traceback, from the tool's own code on."""
    frames = error.__traceback__
    while frames is not None and (frames.tb_frame.f_code.co_filename.startswith("<toolway>")
                                  or "importlib" in frames.tb_frame.f_code.co_filename):
        frames = frames.tb_next
    try:
        return "".join(traceback.format_exception(type(error), error, frames)).rstrip()
    except Exception:
        return describe_exception(error)

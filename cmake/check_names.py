#!/usr/bin/env python3
"""Finds types whose names are metaphors, or words that mean something else here too, and constants that the field calls
something else; says what to write instead.

usage: check_names.py     exit status 1 when there are any, or when an exception has no use any more
"""
import re

from checked_files import report_all, tree

# What was there once, or is about to go.
FORBIDDEN = {
    "Asked": "the request's name: RequestContext, …",
    "Begun": "a name for what began",
    "Expectant": "Waiter",
    "Held": "a name for what is held",
    "Inside": "GateLock",
    "Letter": "a callable",
    "LoopInbox": "IoPost",
    "Outcome": "how a call ended is v1::Outcome; a name for what came of this",
    "Said": "a name for what was said",
    "Services": "a context of its own for each room",
    "SharedQuestion": "Coalesced",
    "SideBySide": "TaskGroup",
    "Station": "WorkerContext",
    "Turnstile": "AsyncSemaphore",
}
# Those that still exist. A name goes from here with its last type; none comes in.
STILL_THERE: set[str] = set()

DECLARED = re.compile(rf"^[^\n/\"]*?\b(?:class|struct|enum(?: class)?|using) ({'|'.join(FORBIDDEN)})\b", re.M)

# How a constant's name begins, or all of it.
CONSTANTS = {
    "Again": "kRetryDelay",
    "Between": "kXInterval",
    "Every": "kXInterval",
    "Few": "kMaxX",
    "Most": "kMaxX",
    "Patience": "kXWait, kXTimeout",
}
# Folders that still have such constants. A folder goes from here with its last one; none comes in.
STILL_NAMED: set[str] = set()

CONSTANT = re.compile(rf"\bconst(?:expr)?\b[^=;{{}}()\"]*?\bk({'|'.join(CONSTANTS)})(?![a-z])(\w*)\s*[={{]")


def findings(texts, still_there=frozenset(STILL_THERE), still_named=frozenset(STILL_NAMED)):
    """`texts`: (name, text) of each source."""
    texts = list(texts)
    yield from types(texts, still_there)
    yield from constants(texts, still_named)


def constants(texts, still_named):
    met = set()
    for name, text in texts:
        for found in () if name.startswith("tests/") else CONSTANT.finditer(text):
            folder = next((folder for folder in still_named if name.startswith(folder)), None)
            met.add(folder)
            if folder is None:
                yield f"{name}:{text.count(chr(10), 0, found.start(1)) + 1}: k{found[1]}{found[2]} is not a constant's name here; instead: {CONSTANTS[found[1]]}"
    for gone in sorted(still_named - met):
        yield f"no constant in {gone} has such a name: take it out of STILL_NAMED in cmake/check_names.py"


def types(texts, still_there):
    met = set()
    for name, text in texts:
        for found in DECLARED.finditer(text):
            met.add(found[1])
            if found[1] not in still_there:
                yield f"{name}:{text.count(chr(10), 0, found.start(1)) + 1}: {found[1]} is not a type's name here; instead: {FORBIDDEN[found[1]]}"
    for gone in sorted(still_there - met):
        yield f"no type is called {gone} any more: take it out of STILL_THERE in cmake/check_names.py"


if __name__ == "__main__":
    report_all(findings, tree((".h", ".cc"), without=("examples",)))

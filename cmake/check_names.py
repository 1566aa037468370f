#!/usr/bin/env python3
"""Finds types whose names are metaphors, or words that mean something else here too, and says what to write instead.

usage: check_names.py     exit status 1 when there are any, or when a name of STILL_THERE has gone
"""
import re

from checked_files import report_all, tree

# What was there once, or is about to go.
FORBIDDEN = {
    "Asked": "the request's name: RequestContext, …",
    "Begun": "a name for what began",
    "Expectant": "Waiter",
    "Inside": "GateLock",
    "Letter": "a callable",
    "LoopInbox": "IoPost",
    "Said": "a name for what was said",
    "Services": "a context of its own for each room",
    "SharedQuestion": "Coalesced",
    "SideBySide": "TaskGroup",
    "Station": "WorkerContext",
    "Turnstile": "AsyncSemaphore",
}
# Those that still exist. A name goes from here with its last type; none comes in.
STILL_THERE = {"Asked", "Begun"}

DECLARED = re.compile(rf"^[^\n/\"]*?\b(?:class|struct|enum(?: class)?|using) ({'|'.join(FORBIDDEN)})\b", re.M)


def findings(texts, still_there=frozenset(STILL_THERE)):
    """`texts`: (name, text) of each source."""
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

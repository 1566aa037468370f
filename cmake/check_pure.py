#!/usr/bin/env python3
"""Finds headers that decide and touch nothing, and that no unit test includes: nothing is easier to test.

usage: check_pure.py     exit status 1 when there are any, or when a name in one of the lists has no use any more

A header is pure when its comment says so ("Pure."), or when its whole room is.
"""
import re

from checked_files import report_all, tree

ROOMS = ("tools/exports/", "tools/templates/", "workers/log/")
PURE = re.compile(r"^\s*//[^\n]*\b[Pp]ure\b", re.M)
INCLUDED = re.compile(r'^#include "([^"]+\.h)"', re.M)
TESTS = "tests/unit/"

# Parts of a class, which the tests of the class test.
PARTS = {
    "workers/call/alarm.h": "tests/unit/workers/call/call_turn_test.cc",
    "workers/call/attempt_clock.h": "tests/unit/workers/call/call_turn_test.cc",
    "workers/call/call_end.h": "tests/unit/workers/call/call_turn_test.cc",
    "workers/call/delivery_hold.h": "tests/unit/workers/call/call_turn_test.cc",
    "workers/call/log_check.h": "tests/unit/workers/call/call_turn_test.cc",
    "workers/call/log_writer.h": "tests/unit/workers/call/call_turn_test.cc",
    "workers/call/tool_stop.h": "tests/unit/workers/call/call_turn_test.cc",
    "tools/exports/format.h": "tests/unit/tools/exports/definitions_test.cc",
}


def findings(texts, parts=PARTS):
    """`texts`: (name, text) of each source."""
    tests, pure, included = set(), set(), set()
    for name, text in texts:
        if name.startswith(TESTS):
            tests.add(name)
            included.update(INCLUDED.findall(text))
        elif name.endswith(".h") and not name.startswith("tests/") and (name.startswith(ROOMS) or PURE.search(text)):
            pure.add(name)
    for name in sorted(pure - included):
        if parts.get(name) not in tests:
            yield f"{name} is pure, and no test in {TESTS} includes it: write {TESTS}{name[:-2]}_test.cc"
    for name in sorted(parts):
        if name not in pure or name in included or parts[name] not in tests:
            yield f"{name} is not a part that {parts[name]} tests: take it out of PARTS in cmake/check_pure.py"


if __name__ == "__main__":
    report_all(findings, tree((".h", ".cc"), without=("examples", "packs", "cmake")))

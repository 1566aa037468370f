#!/usr/bin/env python3
"""Finds lines that only hand an error on, written otherwise than with the macros of base/try.h.

usage: check_errors.py [FILE…]     without FILE: every .h and .cc of the product but those of NOT_YET; exit status 1 when there are any
"""
import re

from checked_files import report, tree

# Folders that have the old form still.
NOT_YET = ("gateway", "workers/call", "cli/bench")

HANDS_ON = re.compile(r'!\*?(\w+)\)\s*\{?\s*(co_)?return\s+(?:fail|refuse|tl::(?:make_)?unexpected(?:<[\w:]+>)?)\(\s*(?:[\w:]*Error\(\s*)?'
                      r'(?:std::move\(\s*)?\1(?:\s*\))?(?:\.|->)error\(\)[\s)]*;')


def findings(name, text):
    for match in HANDS_ON.finditer(text):
        co = "CO_" if match[2] else ""
        yield f"{name}:{text.count(chr(10), 0, match.start()) + 1}: hands an error on: {co}RETURN_IF_ERROR or {co}ASSIGN_OR_RETURN (base/try.h)"


def sources(without=NOT_YET):
    return [name for name in tree((".h", ".cc"), without=("tests", "examples")) if not name.startswith(tuple(folder + "/" for folder in without))]


if __name__ == "__main__":
    report(findings, sources())

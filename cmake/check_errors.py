#!/usr/bin/env python3
"""Finds lines that only hand an error on, written otherwise than with the macros of base/try.h.

usage: check_errors.py [FILE…]     without FILE: every .h and .cc of the product; exit status 1 when there are any
"""
import re

from checked_files import report, tree

HANDS_ON = re.compile(r'!\*?(\w+)\)\s*\{?\s*(co_)?return\s+(?:fail|refuse|tl::(?:make_)?unexpected(?:<[\w:]+>)?)\(\s*(?:[\w:]*Error\(\s*)?'
                      r'(?:std::move\(\s*)?\1(?:\s*\))?(?:\.|->)error\(\)[\s)]*;')


def findings(name, text):
    for match in HANDS_ON.finditer(text):
        co = "CO_" if match[2] else ""
        yield f"{name}:{text.count(chr(10), 0, match.start()) + 1}: hands an error on: {co}RETURN_IF_ERROR or {co}ASSIGN_OR_RETURN (base/try.h)"


def sources():
    return tree((".h", ".cc"), without=("tests", "examples"))


if __name__ == "__main__":
    report(findings, sources())

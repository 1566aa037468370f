#!/usr/bin/env python3
"""Finds two types of one name in one namespace: to the linker they are one type, and it keeps the functions of either.

usage: check_types.py     exit status 1 when there are any
"""
import re

from checked_files import report_all, tree

NAMESPACE = re.compile(r"^namespace ([a-z0-9_:]+) \{")
TYPE = re.compile(r"^(?:class|struct|enum class) (\w+)(?: final)?(?: :[^;{]*)? ?\{")


def types(text):
    """namespace::Type of each type that a header defines at the level of its namespace."""
    space = ""
    for line in text.split("\n"):
        if found := NAMESPACE.match(line):
            space = found[1]
        elif line.startswith("}  // namespace"):
            space = ""
        elif space and (found := TYPE.match(line)):
            yield f"{space}::{found[1]}"


def findings(texts):
    """`texts`: (name, text) of each header."""
    seen = {}
    for name, text in texts:
        for of in types(text):
            if seen.setdefault(of, name) != name:
                yield f"{of} is in {seen[of]} and in {name}"


if __name__ == "__main__":
    report_all(findings, tree((".h",), without=("tests", "examples", "cmake")))

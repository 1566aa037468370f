#!/usr/bin/env python3
"""Finds functions of more than 60 lines in the product's sources: each does more than one thing.

Cases of a switch of one line each are not counted: a map of a closed list is as long as the list, and does one thing.

usage: check_functions.py [FILE…]     without FILE: every .h and .cc but tests'; exit status 1 when there are any
"""
import re

from checked_files import report, tree

MOST = 60
# What opens a brace and is not a function; a lambda's lines count for the function that holds it.
OTHER = re.compile(r"^\s*(namespace|class|struct|enum|union|extern|if|else|for|while|switch|do|try|catch|return|case|default|[}#])\b|^\s*\}")
OPENS = re.compile(r"\)\s*(const|noexcept|override|final|try|mutable|->\s*[^{;]+|\s)*\{$")
CASE = re.compile(r"^\s*case [\w:]+:(?: return [^;]*;)?$")
NOT_CODE = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|//.*$')


def functions(text):
    """(line, number of lines) of each function, from the line of its opening brace to that of its closing one, without CASE."""
    lines = [NOT_CODE.sub("", line).rstrip() for line in re.sub(r'R"(\w*)\(.*?\)\1"', lambda raw: '""' + "\n" * raw[0].count("\n"),
                                                              text, flags=re.DOTALL).split("\n")]
    until = 0
    for first, line in enumerate(lines):
        if first < until or OTHER.match(line) or not OPENS.search(line) or "[" in line.split("(")[0]:
            continue
        depth = 0
        for last in range(first, len(lines)):
            depth += lines[last].count("{") - lines[last].count("}")
            if depth <= 0:
                until = last
                yield first + 1, last - first + 1 - sum(bool(CASE.match(one)) for one in lines[first:last])
                break


def findings(name, text):
    for line, length in functions(text):
        if length > MOST:
            yield f"{name}:{line}: a function of {length} lines; {MOST} are enough"


if __name__ == "__main__":
    report(findings, tree((".h", ".cc"), without=("tests",)))

#!/usr/bin/env python3
"""Finds sources that are too long: at 400 lines a source file is two files.

usage: check_lengths.py [FILE…]     without FILE: every .h, .cc and .py; exit status 1 when there are any
"""
from checked_files import report, tree

LIMIT = 400
READ = (".h", ".cc", ".py")


def findings(name, text):
    lines = text.count("\n")
    if lines >= LIMIT:
        yield f"{name}: {lines} lines; at {LIMIT} a source file is two files"


if __name__ == "__main__":
    report(findings, tree(READ, without=("examples",)))

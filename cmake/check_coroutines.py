#!/usr/bin/env python3
"""Finds `co_await f({…})`: GCC 12 destroys twice what an aggregate in such an argument holds. Name the value first.

usage: check_coroutines.py     exit status 1 when there is one
"""
import re

from checked_files import report, tree

AWAIT = re.compile(r"\bco_await\b([^;]*)")
# A brace at the beginning of an argument, alone or after a type's name; `{}` holds nothing.
AGGREGATE = re.compile(r"[(,]\s*(?:[A-Za-z_][\w:]*)?\{\s*(?!\s*\})")
COMMENT = re.compile(r"//[^\n]*")


def findings(name, text):
    text = COMMENT.sub("", text)
    for found in AWAIT.finditer(text):
        if AGGREGATE.search(found[1]):
            line = text.count("\n", 0, found.start()) + 1
            yield f"{name}:{line}: GCC 12 destroys twice what a braced argument of co_await holds; name the value first"


if __name__ == "__main__":
    report(findings, tree((".cc", ".h")))

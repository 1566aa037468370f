#!/usr/bin/env python3
"""Finds `co_await f({…})`, `co_await f(a ? b : c)` and `a ? co_await f() : b`: GCC 12 destroys twice what an aggregate, or the value of a
condition, in such a place holds. Name the value first.

usage: check_coroutines.py     exit status 1 when there is one
"""
import re

from checked_files import report, tree

AWAIT = re.compile(r"\bco_await\b([^;]*)")
# A brace at the beginning of an argument, alone or after a type's name; of `{}`, alone, as well: an empty text in it points into itself, and is
# copied byte by byte.
AGGREGATE = re.compile(r"[(,]\s*(?:(?:[A-Za-z_][\w:]*)?\{\s*(?!\s*\})|\{\s*\})")
# The value of a condition as an argument, made by a call: names and numbers are not destroyed.
CONDITION = re.compile(r"[(,][^(),;{}\[\]]*(?:\([^()]*\)[^(),;{}\[\]]*)*\s\?\s[^(),;]*\(")
COMMENT = re.compile(r"//[^\n]*")


def is_half_a_condition(text, start, after):
    """Whether what is awaited is one value of a condition, and the other one is made without."""
    before = text[:start].rstrip()
    if before.endswith("?"):
        other = re.search(r"\s:\s(.*)", after, re.DOTALL)
        return other is not None and not other[1].lstrip().startswith("co_await")
    if not before.endswith(":") or before.endswith("::"):
        return False
    statement = re.split(r"[;{}]", before)[-1]
    return re.search(r"\s\?\s", statement) is not None and "co_await" not in statement


def findings(name, text):
    text = COMMENT.sub("", text)
    for found in AWAIT.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        if AGGREGATE.search(found[1]):
            yield f"{name}:{line}: GCC 12 destroys twice what a braced argument of co_await holds; name the value first"
        elif CONDITION.search(found[1]) or is_half_a_condition(text, found.start(), found[1]):
            yield f"{name}:{line}: GCC 12 destroys twice the value of a condition next to co_await; name the value first"


if __name__ == "__main__":
    report(findings, tree((".cc", ".h")))

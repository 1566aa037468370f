#!/usr/bin/env python3
"""Finds constants of tests/simulation that the product has too: a simulation proves the product's numbers, not its own.

usage: check_simulation.py     exit status 1 when there are any
"""
import re

from checked_files import report_all, tree

SIMULATION = "tests/simulation/"
PRODUCT = ("bus/", "gateway/", "persistence/", "workers/")
DEFINED = re.compile(r"^[ \t]*(?:inline |static )*constexpr [^\n;(={]*?\b(k[A-Z]\w*)\s*[={]", re.M)


def findings(texts):
    """`texts`: (name, text) of each source of the simulation and of the product."""
    theirs, own = {}, []
    for name, text in texts:
        for found in DEFINED.finditer(text):
            if name.startswith(SIMULATION):
                own.append((name, text.count("\n", 0, found.start(1)) + 1, found[1]))
            elif name.startswith(PRODUCT):
                theirs.setdefault(found[1], name)
    for name, line, constant in own:
        if constant in theirs:
            yield f"{name}:{line}: {constant} is in {theirs[constant]} too: use the product's, or name what is the simulation's own differently"


if __name__ == "__main__":
    report_all(findings, tree((".h", ".cc")))

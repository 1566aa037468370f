#!/usr/bin/env python3
"""Finds classes whose functions are in more than one of the product's sources: such a class does more than one thing.

usage: check_classes.py     exit status 1 when there are any
"""
import re

from checked_files import report_all, tree

NAMESPACE = re.compile(r"^namespace ([\w:]+) \{")
# A function of a class where it is defined, at the line's beginning: `void Held::begin() {`, `Reader<T>::Reader(`. What it
# returns may have brackets of its own.
MEMBER = re.compile(r"^(?![\s#/]|using |return |static_assert)[^=;{]*?(?<![\w:])((?:[A-Z]\w*(?:<[^<>]*>)?::)+)(?:~?\w+|operator[^\w\s(]+)\(")


def classes(text):
    """(namespace::Class, line) of each function of a class that a source defines."""
    space = ""
    for number, line in enumerate(text.split("\n"), 1):
        if found := NAMESPACE.match(line):
            space = found[1] + "::"
        elif found := MEMBER.match(line):
            yield space + re.sub(r"<[^<>]*>", "", found[1])[:-2], number


def findings(texts):
    """`texts`: (name, text) of each source."""
    source = {}
    for name, text in texts:
        for of, number in dict(reversed(list(classes(text)))).items():
            if source.setdefault(of, name) != name:
                yield f"{name}:{number}: {of} has functions here and in {source[of]}; a class has one source"


if __name__ == "__main__":
    report_all(findings, tree((".cc",), without=("tests", "examples")))

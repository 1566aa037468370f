#!/usr/bin/env python3
"""Compares what READMEs say of the layout with cmake/check_layout.py: what a folder may include, and which rooms it has, from
the bottom up.

usage: check_readmes.py     exit status 1 when they differ
"""
import re

from check_layout import FOLDERS, ROOMS
from checked_files import report_all, tree

# `May include no other folder.`, `May include all folders; …`, "May include `base` and `bus`." Points within names end nothing.
MAY_INCLUDE = re.compile(r"\bMay include\b(.*?)[.;](?=\s|$)", re.S)
ROOM = re.compile(r"^\| `([^`]+)` \|", re.M)
TABLE = re.compile(r"^\| room \|.*\n\|[-|]+\n((?:\|.*\n?)+)", re.M)


def included(sentence):
    """The names in what follows "May include"."""
    if "no other folder" in sentence:
        return set()
    return set(FOLDERS) if "all folders" in sentence else set(re.findall(r"`([^`]+)`", sentence))


def rule_of(folder):
    names = set(FOLDERS[folder])
    return names | ({folder} if names >= set(FOLDERS) - {folder} else set())  # "all folders" has its own name, too


def findings(texts):
    """`texts`: (name, text) of every README.md."""
    said = {name.rpartition("/")[0]: (name, text) for name, text in texts}
    for folder in FOLDERS:
        name, text = said.get(folder, (f"{folder}/README.md", ""))
        sentence = MAY_INCLUDE.search(text)
        if not sentence:
            yield f"{name}: does not say what {folder} may include"
        elif included(sentence[1]) != rule_of(folder):
            yield f"{name}: may include {listed(included(sentence[1]))}; the rule is {listed(rule_of(folder))} (see cmake/check_layout.py)"
    for folder, (name, text) in sorted(said.items()):
        if folder not in FOLDERS and MAY_INCLUDE.search(text):
            yield f"{name}: what a room may include follows from its place among the rooms"
        table = TABLE.search(text)
        rooms = ROOM.findall(table[1]) if table else None
        if rooms is not None and rooms != ROOMS.get(folder):
            yield f"{name}: the rooms are {', '.join(rooms)}; from the bottom up they are {', '.join(ROOMS.get(folder, ['none']))}"


def listed(names):
    return ", ".join(sorted(names)) or "nothing"


def pages():
    return (name for name in tree(("README.md",)) if name != "README.md")


if __name__ == "__main__":
    report_all(findings, pages())

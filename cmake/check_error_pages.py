#!/usr/bin/env python3
"""Finds error codes that a client can meet and docs/errors.md has no remedy for: those of ErrorCode, those that a turn ends with, and
those that the sources of tools, workers and chat processes spell out.

usage: check_error_pages.py     exit status 1 when there are any
"""
import re

from checked_files import report_all, tree

CODES, TURNS, PAGE = "base/error.cc", "chat/turns/turn_report.cc", "docs/errors.md"
CODE = re.compile(r'"([a-z_]+)"[;}]')  # returned, or the end of a row of a table
LIST = re.compile(r"\bkCodes\{([^}]*)\}")
# A ToolError with its code, in C++ and Python.
MADE = re.compile(r'(?:\bToolError[({]|\bToolError \w+[({]|(?<![.>])\bfailed\()\s*"([a-z]+(?:_[a-z]+)*)",')
RETURNED = re.compile(r'\breturn \{"([a-z]+(?:_[a-z]+)*)",')  # as one, by what executors call
KIND = re.compile(r'case Kind::\w+: return "([a-z_]+)";')  # of what a model's provider refuses
STOPPED = "stopped"  # of a provider: such a turn is `cancelled`
MAKERS = ("tools/executors/", "tools/builtin/", "workers/", "chat/")


def codes_in(name, text):
    if name.endswith("base/error.cc"):
        return CODE.findall(text)
    if name.endswith("providers/provider.cc"):
        return [code for code in KIND.findall(text) if code != STOPPED]
    returned = RETURNED.findall(text) if "executors/" in name else []
    listed = [code for words in LIST.findall(text) for code in re.findall(r'"([a-z_]+)"', words)]
    return listed + returned + MADE.findall(text)


def findings(texts):
    """`texts`: (name, text) of the source of codes and of that of turns' codes, then of the page, then of what makes errors."""
    source, turns, (page, text), *makers = texts
    headings = set(text.split("\n"))
    found = {}
    for name, content in (source, turns, *makers):
        codes = codes_in(name, content)
        if not codes and (name, content) in (source, turns):
            yield f"{name} has no error codes"
        for code in codes:
            found.setdefault(code, name)
    for code, name in found.items():
        if f"### `{code}`" not in headings:
            yield f"{page} has no heading for error code {code} of {name}"


def makers():
    return [name for name in tree((".cc", ".h", ".py"), without=("tests",)) if name.startswith(MAKERS) and name != TURNS]


if __name__ == "__main__":
    report_all(findings, [CODES, TURNS, PAGE, *makers()])

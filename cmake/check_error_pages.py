#!/usr/bin/env python3
"""Finds error codes that a client can meet and docs/errors.md has no remedy for.

usage: check_error_pages.py     exit status 1 when there are any
"""
import re

from checked_files import report_all

CODES, PAGE = "base/error.cc", "docs/errors.md"
CODE = re.compile(r'"([a-z_]+)"[;}]')  # returned, or the end of a row of a table


def findings(texts):
    """`texts`: (name, text) of the source of codes, then of the page."""
    (source, names), (page, text) = texts
    codes = CODE.findall(names)
    if not codes:
        yield f"{source} has no error codes"
    headings = set(text.split("\n"))
    for code in codes:
        if f"### `{code}`" not in headings:
            yield f"{page} has no heading for error code {code}"


if __name__ == "__main__":
    report_all(findings, [CODES, PAGE])

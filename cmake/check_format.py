#!/usr/bin/env python3
"""Compares sources with .clang-format, or brings them into its form.

usage: check_format.py BUILD [--fix] [FILE…]     without FILE: every .h and .cc but examples; exit status 1 when one differs
"""
import pathlib
import subprocess
import sys

from checked_files import tree

AT_ONCE = 100


def main():
    build, *rest = sys.argv[1:]
    fix = rest[:1] == ["--fix"]
    names = rest[fix:] or list(tree((".h", ".cc"), without=("examples",)))
    tool = pathlib.Path(build) / "check-python/clang_format/data/bin/clang-format"
    mode = ["-i"] if fix else ["--dry-run", "--Werror", "--ferror-limit=1"]
    mode.append("--style=file:.clang-format")
    differ = []
    for start in range(0, len(names), AT_ONCE):
        ran = subprocess.run([tool, *mode, *names[start:start + AT_ONCE]], capture_output=True, text=True)
        differ += [line.split(":")[0] for line in ran.stderr.splitlines() if "[-Wclang-format-violations]" in line]
        if ran.returncode != 0 and not differ:
            sys.exit(ran.stderr)
    if differ:
        sys.exit("\n".join(f"{name} is not in the form of .clang-format: ./run format" for name in sorted(set(differ))))


if __name__ == "__main__":
    main()

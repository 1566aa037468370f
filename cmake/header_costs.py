#!/usr/bin/env python3
"""Lists the headers of libraries that cost a build the most: how long each takes to read alone, times the number of
compilations that read it.

usage: header_costs.py [BUILD] [--count N]     BUILD: a directory that has been built with ninja (build)
"""
import argparse
import collections
import json
import pathlib
import re
import shlex
import subprocess
import tempfile
import time

INCLUDE = re.compile(r"^#include <([^>]+)>", re.MULTILINE)
FOLDERS = ("base", "bus", "cli", "extensions", "gateway", "local", "mcp", "monitoring", "persistence", "proto", "tools", "workers")


def included():
    """Headers of libraries that a source of ours names."""
    names = set()
    for folder in FOLDERS:
        for path in pathlib.Path(folder).rglob("*"):
            if path.suffix in (".h", ".cc"):
                names.update(INCLUDE.findall(path.read_text()))
    return sorted(names)


def readers(deps):
    """Of `ninja -t deps`: for each header's path, the number of objects that read it. What is read as part of a
    precompiled header is not in there, and costs them nothing."""
    counts = collections.Counter()
    for line in deps.splitlines():
        if line.startswith("    "):
            counts[line.strip()] += 1
    return counts


def count_of(name, counts):
    return sum(count for path, count in counts.items() if path.endswith("/" + name))


def flags_of(build):
    """What the product is compiled with, of any one source."""
    for command in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(command["command"])
        if "/gateway/" in command["file"] or "toolway_gateway" in command.get("output", ""):
            wanted, skip = [], False
            for i, word in enumerate(words):
                if skip:
                    wanted.append(word)
                    skip = False
                elif word in ("-isystem", "-I"):
                    wanted.append(word)
                    skip = True
                elif word.startswith(("-I", "-D", "-std", "-O")):
                    wanted.append(word)
            return wanted
    return ["-std=c++20"]


def seconds_of(text, flags, directory):
    """Seconds of the faster of two runs; None: it cannot be compiled alone."""
    source = pathlib.Path(directory) / "one.cc"
    source.write_text(text)
    best = None
    for _ in range(2):
        begun = time.monotonic()
        if subprocess.run(["g++", *flags, "-fsyntax-only", source], capture_output=True).returncode != 0:
            return None
        took = time.monotonic() - begun
        best = took if best is None else min(best, took)
    return best


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build", nargs="?", default="build", type=pathlib.Path)
    options.add_argument("--count", default=10, type=int)
    asked = options.parse_args()
    counts = readers(subprocess.run(["ninja", "-C", asked.build, "-t", "deps"], capture_output=True, text=True, check=True).stdout)
    flags = flags_of(asked.build)
    costs = []
    with tempfile.TemporaryDirectory() as directory:
        nothing = seconds_of("", flags, directory)
        for name in included():
            read = count_of(name, counts)
            took = seconds_of(f"#include <{name}>\n", flags, directory) if read else None
            if took is not None:
                costs.append((max(took - nothing, 0) * read, took - nothing, read, name))
    print("cost      alone    read by  header")
    for cost, took, read, name in sorted(costs, reverse=True)[:asked.count]:
        print(f"{cost:6.0f} s  {took:5.2f} s  {read:6}   {name}")


if __name__ == "__main__":
    main()

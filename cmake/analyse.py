#!/usr/bin/env python3
"""Runs clang-tidy over the product's sources, with the flags that BUILD compiles their folder with.

usage: analyse.py BUILD threads [FILE…]   clang's thread safety analysis (base/mutex.h); without FILE: of what uses a mutex
       analyse.py BUILD tidy [FILE…]      the checks of .clang-tidy; without FILE: of every source

BUILD is configured, and has generated its headers. Exit status 1 when there is anything to say.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from checked_files import tree
from source_batches import batches, by_libraries

MUTEX = '#include "base/mutex.h"'
# With a check of its own, without which clang-tidy sees nothing to do. Sources are read in batches, where each is a header.
THREADS = ["--checks=-*,clang-diagnostic-thread-safety*,bugprone-unused-raii", "--warnings-as-errors=*", "--header-filter=.*"]
# Few enough that every core has something to do until the end.
BATCH = 16
# Those of the compiler's flags that say what a source means.
KEPT = re.compile(r"-(D|I|std=)")


def folder_of(name):
    return name.split("/")[0]


def flags_of_folders(build):
    """{folder: what clang needs to compile its sources}, from the first source of each folder's library."""
    flags = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        library = re.search(r" -o CMakeFiles/toolway_(\w+)\.dir/", entry["command"])
        if not library or library[1] in flags:
            continue
        words = iter(shlex.split(entry["command"]))
        kept = flags[library[1]] = []
        for word in words:
            if word in ("-isystem", "-I"):
                kept.append(word + os.path.join(entry["directory"], next(words)))
            elif KEPT.match(word):
                kept.append(word)
    return flags


def sources(folders):
    return [name for name in tree((".cc",), without=("tests", "examples", "cmake")) if folder_of(name) in folders]


def with_a_mutex(names):
    """Those that include base/mutex.h, or a header that does: a class's own sources."""
    headers = [name for name in tree((".h",), without=("tests",)) if MUTEX in pathlib.Path(name).read_text()]
    includes = {MUTEX} | {f'#include "{header}"' for header in headers}
    return [name for name in names if not includes.isdisjoint(pathlib.Path(name).read_text().splitlines())]


def joined(names, directory):
    """A file in `directory` for each batch of `names`, which it includes: what they include is read once."""
    for number, files in enumerate(batches(by_libraries(names, "."), BATCH)):
        path = directory / f"{number}.cc"
        path.write_text("".join(f'#include "{os.path.abspath(file)}"\n' for file in files))
        yield path


def main():
    if len(sys.argv) < 3 or sys.argv[2] not in ("threads", "tidy"):
        sys.exit(__doc__)
    build, threads, named = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2] == "threads", sys.argv[3:]
    flags = flags_of_folders(build)
    tidy = build / "check-python/clang_tidy/data/bin/clang-tidy"
    names = named or sources(flags)
    if threads and not named:
        names = with_a_mutex(names)

    def said_of(unit):
        name, flags_of_unit = unit
        command = [tidy, "--quiet", *(THREADS if threads else ["--config-file=.clang-tidy"]), name, "--",
                   *flags_of_unit, "-Wthread-safety"]
        ran = subprocess.run(command, capture_output=True, text=True)
        return ran.stdout if ran.returncode == 0 or ran.stdout else ran.stderr

    found = False
    with tempfile.TemporaryDirectory() as directory, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        if threads:  # one batch has sources of several folders
            of_all = list(dict.fromkeys(flag for of_folder in flags.values() for flag in of_folder))
            read = [(unit, of_all) for unit in joined(names, pathlib.Path(directory))]
        else:
            read = [(name, flags.get(folder_of(name), flags["base"])) for name in names]
        for said in pool.map(said_of, read):
            found = found or bool(said)
            print(said, end="", flush=True)
    if not found:
        print(f"{len(names)} sources: nothing to say")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

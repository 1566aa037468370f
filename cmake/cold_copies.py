"""Which functions of a program are a cold library's copies, though a library that calls pass through compiled them as well.

usage: cold_copies.py PROGRAM --hot LIBRARY… --cold LIBRARY…

Inline functions and templates are in each library that uses them, and the linker keeps one copy. Which one is told by its
size; what both compiled to the same size counts as hot. Ends with 1 if there is any.
"""

import argparse
import collections
import subprocess
import sys


def sizes(files, kinds):
    found = collections.defaultdict(set)
    for file in files:
        listing = subprocess.run(["nm", "--print-size", "--defined-only", file], check=True, capture_output=True, text=True).stdout
        for line in listing.splitlines():
            words = line.split()
            if len(words) == 4 and words[2] in kinds:
                found[words[3]].add(int(words[1], 16))
    return found


def cold_copies(kept, hot, cold):
    return sorted(name for name, of in kept.items() if name in hot and name in cold and of <= cold[name] - hot[name])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--hot", nargs="+", required=True)
    parser.add_argument("--cold", nargs="+", required=True)
    asked = parser.parse_args()
    hot, cold = sizes(asked.hot, "Ww"), sizes(asked.cold, "Ww")
    found = cold_copies(sizes([asked.program], "TtWw"), hot, cold)
    print(f"{len(found)} of {len(hot.keys() & cold.keys())} functions that both have are the cold libraries'")
    if found:
        print(subprocess.run(["c++filt"], input="\n".join(found[:20]), capture_output=True, text=True).stdout, end="")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

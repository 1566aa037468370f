"""What the commands of the tables share."""

import argparse
import pathlib
import subprocess

from rows import ROOT, Packages


def parser_of(doc):
    """Of the usage in `doc`: PROGRAM, --packages and --only."""
    parser = argparse.ArgumentParser(usage=doc.split("usage: ")[1].splitlines()[0], description=doc.splitlines()[0])
    parser.add_argument("--packages", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("program", nargs="?", type=pathlib.Path, default=ROOT / "build/toolway")
    return parser


def check(parser, given, rows):
    """Ends the command where it has no client or no program to run."""
    if not rows:
        parser.error(f"no client has {given.only} in its name")
    if not given.program.exists():
        parser.error(f"there is no {given.program}: ./run build makes it")


def packages_for(given, scratch, rows):
    """What is installed, and what is missing and why; without --packages that is installed first."""
    packages = Packages((given.packages or ROOT / "build/clients").resolve(), pathlib.Path(scratch), rows)
    if not given.packages and any(packages.missing()):
        subprocess.run([ROOT / "run", "packages", "clients"])
    return packages, {row.package + row.program: why for row, why in packages.missing()}


def report(failed):
    """The exit status."""
    for what, why in failed:
        print(f"\nFAIL {what}: {why}")
    return 1 if failed else 0

#!/usr/bin/env python3
"""Puts known defects back, one at a time, and fails unless each is found. See docs/simulation.md."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEDULES = 4000
TURN_SCHEDULES = 1000  # with chat processes; one takes ten times as long
MOST_TURNS = 6  # as in simulation.turns
PATIENCE = 600  # seconds; a schedule of a mutant may go on for ever


class Mutant:
    def __init__(self, name):
        self.name = name
        self.does = ""
        self.judge = []
        self.edits = []  # [file, old, new]

    def paths(self):
        return {file for file, _, _ in self.edits}


def read_mutants(path):
    mutants = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if match := re.fullmatch(r"\[([a-z0-9-]+)\]", line):
            mutants.append(Mutant(match[1]))
            continue
        key, _, value = line.partition(": ")
        if not mutants or not value:
            sys.exit(f"{path}:{number}: neither [name] nor 'key: value'")
        mutant = mutants[-1]
        if key == "does":
            mutant.does = value
        elif key == "judge":
            mutant.judge = value.split()
        elif key == "file":
            mutant.edits.append([value, None, None])
        elif key in ("old", "new") and mutant.edits:
            mutant.edits[-1][1 if key == "old" else 2] = value
        else:
            sys.exit(f"{path}:{number}: no {key} is known here")
    return mutants


def simulated(mutant):
    """The simulation's options, if it is the judge, else None."""
    asked = re.fullmatch(r"simulation( turns)?( [1-9][0-9]*)?", " ".join(mutant.judge))
    if not asked:
        return None
    usual, turns = (TURN_SCHEDULES, ["--turns", str(MOST_TURNS)]) if asked[1] else (SCHEDULES, [])
    return ["--schedules", (asked[2] or str(usual)).strip(), *turns, "--finds"]


def mistakes(mutants):
    """What keeps mutants from being applied, one line each."""
    names = [mutant.name for mutant in mutants]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{name}: there are two of them"
    for mutant in mutants:
        if not mutant.edits or not mutant.does or not mutant.judge:
            yield f"{mutant.name}: 'does', 'file' or 'judge' is missing"
        if mutant.judge and simulated(mutant) is None and len(mutant.judge) != 2:
            yield f"{mutant.name}: 'judge' is neither 'simulation [turns] [SCHEDULES]' nor a test program and a filter"
        for file, old, new in mutant.edits:
            path = ROOT / file
            if old is None or new is None or old == new:
                yield f"{mutant.name}: changes nothing in {file}"
            elif not path.is_file():
                yield f"{mutant.name}: there is no {file}"
            elif (count := path.read_text().count(old)) != 1:
                yield f"{mutant.name}: {file} has its old text {count} times: {old}"


def copy_tree(tree):
    """Brings the copy up to date; what is the same keeps its time, so that little is built again."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-coz", "--exclude-standard"], capture_output=True)
    if listed.returncode == 0:
        files = [name for name in listed.stdout.decode().split("\0") if name]
    else:
        files = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*")
                 if path.is_file() and not path.relative_to(ROOT).parts[0].startswith(("build", ".git"))]
    wanted = {name for name in files if (ROOT / name).is_file()}
    for name in wanted:
        source, target = ROOT / name, tree / name
        if target.is_file() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        shutil.copymode(source, target)
    for path in list(tree.rglob("*")):
        name = path.relative_to(tree)
        if path.is_file() and name.parts[0] != "build" and str(name) not in wanted:
            path.unlink()


def configure(tree):
    if (tree / "build" / "build.ninja").exists():
        return
    cache = ROOT / "build" / "CMakeCache.txt"
    # As this checkout is built, so that the compiler's cache serves both.
    ci = cache.exists() and re.search(r"^TOOLWAY_WERROR:\w+=ON$", cache.read_text(), re.MULTILINE)
    subprocess.run(["cmake", "--preset", "ci" if ci else "release"], cwd=tree, check=True, stdout=subprocess.DEVNULL)


def build(tree, target, jobs):
    done = subprocess.run(["ninja", "-C", tree / "build", "--quiet", *([f"-j{jobs}"] if jobs else []), target],
                          capture_output=True, text=True)
    return None if done.returncode == 0 else done.stdout[-3000:] + done.stderr[-1000:]


def false_alarms(mutants, tree):
    """Judges that find something where no mutant is: what they found of one would prove nothing."""
    asked = {tuple(mutant.judge): mutant for mutant in mutants}
    for mutant in asked.values():
        found, said = judge(mutant, tree)
        if found or said.startswith("no verdict"):
            yield f"{' '.join(mutant.judge)}: {said}"


def target_of(mutant):
    return "toolway-simulation" if simulated(mutant) else mutant.judge[0]


def judge(mutant, tree):
    """Whether the mutant was found, and what was said of it."""
    if options := simulated(mutant):
        command = [tree / "build/tests/simulation/toolway-simulation", *options]
    else:
        command = [tree / "build/tests" / mutant.judge[0], f"--gtest_filter={mutant.judge[1]}"]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return False, f"no verdict within {PATIENCE} s"
    said = (ran.stdout + ran.stderr).strip().splitlines()
    last = said[-1] if said else ""
    if not options:
        return ran.returncode != 0 and "Running 0 tests" not in ran.stdout, last
    if ran.returncode < 0:
        return True, f"a schedule ended the simulation with signal {-ran.returncode}"
    return ran.returncode == 0, last


def run_one(mutant, tree, jobs):
    for file, old, new in mutant.edits:
        path = tree / file
        path.write_text(path.read_text().replace(old, new))
    try:
        if failed := build(tree, target_of(mutant), jobs):
            return False, f"does not build:\n{failed}"
        return judge(mutant, tree)
    finally:
        for file in mutant.paths():
            shutil.copyfile(ROOT / file, tree / file)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("names", nargs="*", help="those to be run; all when none is named")
    options.add_argument("--check", action="store_true", help="only looks whether each can be put in")
    options.add_argument("--directory", type=pathlib.Path, default=ROOT / "build" / "mutants")
    options.add_argument("--jobs", "-j", type=int, default=0)
    asked = options.parse_args()
    mutants = read_mutants(pathlib.Path(__file__).with_name("mutants"))
    wrong = list(mistakes(mutants))
    for line in wrong:
        print(line, file=sys.stderr)
    if wrong:
        return 1
    if asked.check:
        print(f"{len(mutants)} mutants can be put in")
        return 0
    if unknown := set(asked.names) - {mutant.name for mutant in mutants}:
        sys.exit(f"no such mutant: {', '.join(sorted(unknown))}")
    chosen = [mutant for mutant in mutants if not asked.names or mutant.name in asked.names]
    tree = asked.directory / "tree"
    copy_tree(tree)
    configure(tree)
    for target in sorted({target_of(mutant) for mutant in chosen}):
        if failed := build(tree, target, asked.jobs):
            sys.exit(f"{target} does not build without any mutant:\n{failed}")
    if alarms := list(false_alarms(chosen, tree)):
        sys.exit("without any mutant, this is found:\n" + "\n".join(alarms))
    survived = []
    for mutant in chosen:
        begun = time.monotonic()
        found, said = run_one(mutant, tree, asked.jobs)
        print(f"{'found   ' if found else 'SURVIVED'} {mutant.name} ({time.monotonic() - begun:.0f} s): {said}", flush=True)
        if not found:
            survived.append(mutant)
    for mutant in survived:
        print(f"not found: {mutant.name}: {mutant.does}", file=sys.stderr)
    print(f"{len(chosen) - len(survived)} of {len(chosen)} found")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())

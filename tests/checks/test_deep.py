"""tests/deep/check.sh: which steps it runs, what it writes of them, and how it ends. The steps themselves take hours: here each
is a script that ends at once."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "deep/check.sh"
# What the steps run, from the top of the tree; `python3` is found by PATH.
PROGRAMS = ("run", "tests/deep/tokens.sh", "tests/deep/chat.sh", "tests/deep/fuzz.sh", "tests/deep/nats_servers.sh", "tests/deep/debian.sh", "path/python3")
STEP = """#!/bin/sh
echo "$0 $*" | sed 's|.*/||' >>ran
echo "says $*"
case "$*" in {fails}) exit 3 ;; esac
"""


class Deep(unittest.TestCase):
    def setUp(self):
        self.tree = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.copy = self.tree / "tests/deep/check.sh"
        self.copy.parent.mkdir(parents=True)
        shutil.copy(SCRIPT, self.copy)

    def check(self, *steps, fails="-"):
        """Runs the script in a tree of its own, where the step with the arguments `fails` fails."""
        for name in PROGRAMS:
            program = self.tree / name
            program.parent.mkdir(exist_ok=True)
            program.write_text(STEP.format(fails=f'"{fails}"'), encoding="utf-8")
            program.chmod(0o755)
        return subprocess.run([self.copy, *steps], capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, "PATH": f"{self.tree}/path:{os.environ['PATH']}"})

    def ran(self):
        file = self.tree / "ran"
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []

    def rows(self):
        """{step: what the report says of it}"""
        lines = (self.tree / "build/deep/report.md").read_text(encoding="utf-8").splitlines()
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
        return {row[0]: row[2] for row in cells[1:]}

    def test_an_unknown_step_ends_it_before_anything_runs(self):
        done = self.check("asan", "nonsense")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no step 'nonsense'; the steps are tidy asan tsan ", done.stderr)
        self.assertEqual(self.ran(), [])
        self.assertFalse((self.tree / "build/deep/report.md").exists())

    def test_a_step_that_fails_is_told_and_keeps_none_from_running(self):
        done = self.check("asan", "mutants", "tsan", fails="mutants")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.rows(), {"asan": "passed", "mutants": "failed, status 3", "tsan": "passed"})
        self.assertEqual(self.ran(), ["run test asan", "run mutants", "run test tsan"])
        self.assertIn("| mutants | `./run mutants` | failed, status 3 |", done.stdout)
        self.assertEqual((self.tree / "build/deep/mutants.log").read_text(encoding="utf-8"), "says mutants\n")

    def test_a_step_whose_program_does_not_exist_fails(self):
        self.check("asan")
        (self.tree / "run").unlink()
        done = subprocess.run([self.copy, "asan"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.rows(), {"asan": "failed, status 127"})

    def test_without_names_it_runs_every_step(self):
        done = self.check()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(set(self.rows().values()), {"passed"})
        self.assertEqual(list(self.rows()), ["tidy", "asan", "tsan", "simulation", "tokens", "chat", "mutants", "chaos", "fuzz", "nats", "debian"])
        self.assertEqual(len(self.ran()), len(self.rows()))


if __name__ == "__main__":
    unittest.main()

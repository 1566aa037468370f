"""tests/deep/sanitize_touched.sh fails by a sanitizer's report, and by nothing else."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

DEEP = pathlib.Path(__file__).resolve().parents[1] / "deep"


class SanitizeTouched(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.tree = pathlib.Path(directory.name)
        (self.tree / "tests/deep").mkdir(parents=True)
        for name in ("sanitize_touched.sh", "sanitizers.sh"):
            shutil.copy(DEEP / name, self.tree / "tests/deep")
        for path in ("base/a.cc", "tests/unit/base/a_test.cc"):
            (self.tree / path).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / path).write_text("")
        git = ["git", "-C", str(self.tree), "-c", "user.name=a", "-c", "user.email=a@b"]
        for arguments in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "a"]):
            subprocess.run(git + arguments, check=True)

    def run_with(self, ctest, seconds=3000):
        tools = self.tree / "bin"
        tools.mkdir(exist_ok=True)
        for name, text in {"cmake": "exit 0", "ninja": "exit 0", "ctest": ctest}.items():
            (tools / name).write_text(f"#!/bin/sh\n{text}\n")
            (tools / name).chmod(0o755)
        return subprocess.run([self.tree / "tests/deep/sanitize_touched.sh", str(seconds)], capture_output=True, text=True, check=False,
                              env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"})

    def test_fails_by_a_report(self):
        for report in ("==1==ERROR: AddressSanitizer: heap-use-after-free", "==1==ERROR: LeakSanitizer: detected memory leaks",
                       "a.cc:1:2: runtime error: signed integer overflow"):
            ran = self.run_with(f"echo '{report}'; exit 8")
            self.assertEqual(ran.returncode, 1, ran.stderr)
            self.assertIn(report, ran.stdout)

    def test_shows_tests_that_only_fail(self):
        ran = self.run_with("echo 'Which is: 3'; exit 8")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("Which is: 3", ran.stdout)
        self.assertIn("without a report", ran.stderr)

    def test_tests_the_folders_that_were_touched(self):
        ran = self.run_with('echo "$@"')
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("-R ^unit_(base)\\.", ran.stdout)
        self.assertIn("no time left", self.run_with("exit 1", seconds=100).stderr)


if __name__ == "__main__":
    unittest.main()

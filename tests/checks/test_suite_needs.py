"""cmake/suite_needs.cmake: a tool that is missing is a failed test, unless it is named in TOOLWAY_WITHOUT."""
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(suites NONE)
enable_testing()
include(%s/cmake/suite_needs.cmake)
suite_needs(driven npm ${CMAKE_BINARY_DIR}/found)
if(driven_runs)
  add_test(NAME driven.works COMMAND true)
endif()
"""
RIGHT = """suite_if(mounted mount "no file system can be mounted here" %s)
if(mounted_runs)
  add_test(NAME mounted.works COMMAND true)
endif()
"""


class SuiteNeeds(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.source = pathlib.Path(made.name)
        (self.source / "CMakeLists.txt").write_text(PROJECT % ROOT)
        self.build = self.source / "build"
        self.build.mkdir()

    def run_tests(self, without):
        environment = os.environ | {"TOOLWAY_WITHOUT": without}
        made = subprocess.run(["cmake", "-G", "Ninja", "-S", self.source, "-B", self.build], env=environment, capture_output=True, text=True)
        if made.returncode != 0:
            return made.returncode, made.stderr
        ran = subprocess.run(["ctest", "--test-dir", self.build, "--output-on-failure"], capture_output=True, text=True)
        return ran.returncode, made.stdout + ran.stdout + ran.stderr

    def test_fails_and_says_why_where_the_tool_is_missing(self):
        status, said = self.run_tests("")
        self.assertNotEqual(status, 0)
        self.assertIn("driven cannot run: npm has not provided", said)
        self.assertIn("TOOLWAY_WITHOUT=npm leaves the suite out", said)

    def test_leaves_out_what_is_named(self):
        status, said = self.run_tests("nginx,npm")
        self.assertEqual(status, 0, said)
        self.assertIn("Left out, because TOOLWAY_WITHOUT names npm: driven", said)
        self.assertIn("No tests were found", said)

    def test_leaves_out_what_needs_several_tools_when_one_is_named(self):
        listed = self.source / "CMakeLists.txt"
        listed.write_text(listed.read_text().replace("driven npm", "driven pip,npm"))
        status, said = self.run_tests("npm")
        self.assertEqual(status, 0, said)
        self.assertIn("Left out, because TOOLWAY_WITHOUT names npm: driven", said)

    def test_runs_where_the_tool_is(self):
        (self.build / "found").touch()
        status, said = self.run_tests("")
        self.assertEqual(status, 0, said)
        self.assertIn("driven.works", said)

    def with_right(self, condition):
        with (self.source / "CMakeLists.txt").open("a") as listed:
            listed.write(RIGHT % condition)

    def test_a_right_that_is_missing_fails_too(self):
        (self.build / "found").touch()
        self.with_right("NOT 32")
        status, said = self.run_tests("")
        self.assertNotEqual(status, 0)
        self.assertIn("mounted cannot run: no file system can be mounted here; TOOLWAY_WITHOUT=mount leaves the suite out", said)
        status, said = self.run_tests("mount")
        self.assertEqual(status, 0, said)
        self.assertIn("Left out, because TOOLWAY_WITHOUT names mount: mounted", said)

    def test_runs_with_the_right(self):
        (self.build / "found").touch()
        self.with_right("NOT 0")
        status, said = self.run_tests("")
        self.assertEqual(status, 0, said)
        self.assertIn("mounted.works", said)

    def test_refuses_names_that_it_does_not_know(self):
        status, said = self.run_tests("npm,emacs")
        self.assertNotEqual(status, 0)
        self.assertIn("TOOLWAY_WITHOUT names 'emacs'", said)


if __name__ == "__main__":
    unittest.main()

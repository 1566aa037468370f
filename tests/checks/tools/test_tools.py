"""cmake/check_format.py and cmake/analyse.py find what they are for. They need what `./run test` installs from PyPI."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = os.environ["TOOLWAY_BUILD"]


class Tools(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.source = pathlib.Path(made.name) / "checked.cc"

    def run_on(self, text, script, *arguments):
        self.source.write_text(text)
        ran = subprocess.run([sys.executable, ROOT / "cmake" / script, BUILD, *arguments, self.source],
                             cwd=ROOT, capture_output=True, text=True)
        return ran.returncode, ran.stdout + ran.stderr

    def test_format(self):
        status, said = self.run_on("int  f( );\n", "check_format.py")
        self.assertEqual(status, 1)
        self.assertIn("is not in the form of .clang-format: ./run format", said)
        self.assertEqual(self.run_on("int f();\n", "check_format.py")[0], 0)
        self.assertEqual(self.run_on("int  f( );\n", "check_format.py", "--fix")[0], 0)
        self.assertEqual(self.source.read_text(), "int f();\n")

    GUARDED = """#include "base/mutex.h"
namespace toolway {
class Counter {
 public:
  int next() { %sreturn ++count_; }

 private:
  Mutex mutex_;
  int count_ GUARDED_BY(mutex_) = 0;
};
int first() {
  Counter counter;
  return counter.next();
}
}  // namespace toolway
"""

    def test_threads(self):
        status, said = self.run_on(self.GUARDED % "", "analyse.py", "threads")
        self.assertEqual(status, 1)
        self.assertIn("requires holding mutex 'mutex_'", said)
        self.assertEqual(self.run_on(self.GUARDED % "const MutexLock lock(mutex_); ", "analyse.py", "threads")[0], 0)
        # Also where it shares a batch with others.
        status, said = self.run_on(self.GUARDED % "", "analyse.py", "threads", "base/pause.cc")
        self.assertEqual(status, 1)
        self.assertIn("requires holding mutex 'mutex_'", said)

    def test_tidy(self):
        moved = """#include <string>
#include <utility>
std::string twice(std::string text) {
  std::string other = std::move(text);
  return other + %s;
}
"""
        status, said = self.run_on(moved % "text", "analyse.py", "tidy")
        self.assertEqual(status, 1)
        self.assertIn("bugprone-use-after-move", said)
        self.assertEqual(self.run_on(moved % "other", "analyse.py", "tidy")[0], 0)


if __name__ == "__main__":
    unittest.main()

"""cmake/check_lengths.py finds a source of 400 lines."""
import unittest

from check_lengths import READ, findings


class Lengths(unittest.TestCase):
    def test_finds_one_line_too_many(self):
        self.assertEqual(list(findings("a.cc", "\n" * 400)), ["a.cc: 400 lines; at 400 a source file is two files"])
        self.assertEqual(list(findings("a.cc", "\n" * 399)), [])

    def test_reads_python_too(self):
        for name in ["a.h", "a.cc", "a.py"]:
            self.assertTrue(name.endswith(READ), name)


if __name__ == "__main__":
    unittest.main()

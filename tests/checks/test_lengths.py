"""cmake/check_lengths.py finds a source of more than 400 lines."""
import unittest

from check_lengths import findings


class Lengths(unittest.TestCase):
    def test_finds_one_line_too_many(self):
        self.assertEqual(list(findings("a.cc", "\n" * 401)), ["a.cc: 401 lines; at 400 a source file is two files"])
        self.assertEqual(list(findings("a.cc", "\n" * 400)), [])


if __name__ == "__main__":
    unittest.main()

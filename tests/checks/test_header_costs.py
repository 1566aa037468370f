"""cmake/header_costs.py counts who reads a header."""
import unittest

from header_costs import INCLUDE, count_of, readers

DEPS = """a.cc.o: #deps 2, deps mtime 1 (VALID)
    /usr/include/fmt/format.h
    ../base/ids.h

b.cc.o: #deps 1, deps mtime 1 (VALID)
    /usr/include/fmt/format.h
"""


class HeaderCosts(unittest.TestCase):
    def test_counts_objects(self):
        counts = readers(DEPS)
        self.assertEqual(count_of("fmt/format.h", counts), 2)
        self.assertEqual(count_of("ids.h", counts), 1)
        self.assertEqual(count_of("mat.h", counts), 0)

    def test_finds_what_a_source_includes(self):
        self.assertEqual(INCLUDE.findall('#include <map>\n#include "base/ids.h"\n// #include <list>\n#include <fmt/format.h>\n'),
                         ["map", "fmt/format.h"])


if __name__ == "__main__":
    unittest.main()

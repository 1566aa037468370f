"""cmake/check_circles.py finds units that include each other, whichever of their two files does."""
import unittest

from check_circles import findings

ADVICE = "; move what both need to a header of its own"


class Circles(unittest.TestCase):
    def found(self, **files):
        return [line.replace(ADVICE, "") for line in findings(
            [(name.replace("_", "."), "".join(f'#include "{other}"\n' for other in others.split())) for name, others in files.items()])]

    def test_of_two(self):
        self.assertEqual(self.found(a_h="b.h", b_h=""), [])
        self.assertEqual(self.found(a_h="b.h", b_h="a.h"), ["a -> b -> a: a circle of includes"])

    def test_over_a_source(self):
        self.assertEqual(self.found(a_h="", a_cc="a.h b.h", b_h="a.h", b_cc="b.h"), ["a -> b -> a: a circle of includes"])

    def test_over_others_told_once(self):
        self.assertEqual(self.found(a_h="b.h", b_h="", b_cc="b.h c.h", c_h="d.h", d_h="b.h"), ["b -> c -> d -> b: a circle of includes"])

    def test_not_a_diamond_nor_what_is_not_here(self):
        self.assertEqual(self.found(a_h="b.h c.h", b_h="d.h", c_h="d.h", d_h="", e_h="x.pb.h"), [])

    def test_says_what_to_do(self):
        self.assertEqual(list(findings([("a.h", '#include "b.h"\n'), ("b.cc", '#include "a.h"\n')])),
                         ["a -> b -> a: a circle of includes" + ADVICE])


if __name__ == "__main__":
    unittest.main()

"""cmake/check_pure.py finds pure headers without a test, and names in its lists that need not be there."""
import unittest

from check_pure import findings

PURE = "/// Decides. Pure.\nclass A {};\n"


class Pure(unittest.TestCase):
    def found(self, *texts, parts=None):
        return list(findings(texts, parts or {}))

    def test_finds_one_that_no_test_includes(self):
        self.assertEqual(self.found(("tools/http/a.h", PURE)),
                         ["tools/http/a.h is pure, and no test in tests/unit/ includes it: write tests/unit/tools/http/a_test.cc"])
        self.assertEqual(len(self.found(("tools/http/a.h", PURE), ("tests/unit/tools/http/a_test.cc", '#include "tools/http/b.h"'))), 1)
        self.assertEqual(len(self.found(("tools/http/a.h", PURE), ("tests/e2e/a_test.cc", '#include "tools/http/a.h"'))), 1)

    def test_one_that_a_test_includes(self):
        self.assertEqual(self.found(("tests/unit/x_test.cc", '#include "tools/http/a.h"'), ("tools/http/a.h", PURE)), [])

    def test_a_room_may_be_pure(self):
        self.assertEqual(len(self.found(("workers/log/a.h", "class A {};"))), 1)
        self.assertEqual(self.found(("workers/pool/a.h", "class A {};")), [])

    def test_only_comments_of_headers_say_so(self):
        for name, text in [("a/a.cc", PURE), ("a/a.h", 'f("Pure.");'), ("a/a.h", "/// impure, purely"), ("tests/support/a.h", PURE)]:
            self.assertEqual(self.found((name, text)), [], text)

    def test_a_part_is_tested_with_its_class(self):
        part = {"a/part.h": "tests/unit/a/whole_test.cc"}
        self.assertEqual(self.found(("a/part.h", PURE), ("tests/unit/a/whole_test.cc", ""), parts=part), [])
        self.assertEqual(len(self.found(("a/part.h", PURE), parts=part)), 2)
        self.assertEqual(len(self.found(("a/part.h", PURE), ("tests/unit/a/whole_test.cc", '#include "a/part.h"'), parts=part)), 1)


if __name__ == "__main__":
    unittest.main()

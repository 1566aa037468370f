"""cmake/check_errors.py finds what hands an error on by hand, and nothing that does more than that."""
import os
import unittest

from check_errors import findings, sources


class Errors(unittest.TestCase):
    def found(self, text):
        return list(findings("a.cc", text))

    def test_finds_each_form(self):
        for line in ["if (!x) return fail(x.error());", "if (!x) return fail(std::move(x.error()));", "if (!*x) return fail(x->error());",
                     "if (!x) return tl::unexpected(x.error());",
                     "if (!x) return tl::unexpected<PgError>(std::move(x.error()));", "if (!x) return tl::unexpected(std::move(x).error());",
                     "if (!x) return tl::unexpected(ToolError(x.error()));", "if (auto x = f(a); !x) return fail(x.error());",
                     "if (!x) {\n  return fail(x.error());\n}", "if (!x) return\n    fail(std::move(x.error()));"]:
            self.assertEqual(self.found("f();\n" + line), ["a.cc:2: hands an error on: RETURN_IF_ERROR or ASSIGN_OR_RETURN (base/try.h)"], line)
        self.assertEqual(self.found("if (!x) co_return refuse(std::move(x.error()));"),
                         ["a.cc:1: hands an error on: CO_RETURN_IF_ERROR or CO_ASSIGN_OR_RETURN (base/try.h)"])

    def test_leaves_what_does_more(self):
        for line in ["if (!x) return fail(translate(x.error()));", "if (!x) return fail(kCode, x.error().message);", "if (!x) return report(x.error());",
                     "if (!x && x.error().code == kNotFound) return fail(x.error());", "if (!x) return handler(fail(x.error()));",
                     "RETURN_IF_ERROR(x);", "if (!x) return fail(y.error());"]:
            self.assertEqual(self.found(line), [], line)

    def test_reads_all_folders(self):
        os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
        read = set(sources())
        for name in ("base/try.h", "gateway/calls/submit.cc", "workers/call/held_call.cc", "cli/main.cc"):
            self.assertIn(name, read)


if __name__ == "__main__":
    unittest.main()

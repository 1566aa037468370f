"""cmake/check_error_pages.py finds an error code without a remedy."""
import unittest

from check_error_pages import findings

CODES = '#include "base/error.h"\ncase kA: return "not_found";\n  Named{kB, "gone"},\n'


class ErrorPages(unittest.TestCase):
    def found(self, page, codes=CODES):
        return list(findings([("error.cc", codes), ("errors.md", page)]))

    def test_each_code_has_a_heading(self):
        self.assertEqual(self.found("### `not_found`\nAsk.\n\n### `gone`\nWait.\n"), [])

    def test_finds_one_without(self):
        without = ["errors.md has no heading for error code gone"]
        for page in ["### `not_found`\n", "### `not_found`\n### gone\n", "### `not_found`\n## `gone`\n", "### `not_found`\n### `gone` and more\n"]:
            self.assertEqual(self.found(page), without, page)

    def test_no_codes_are_a_mistake(self):
        self.assertEqual(self.found("", codes="enum class Error;"), ["error.cc has no error codes"])


if __name__ == "__main__":
    unittest.main()

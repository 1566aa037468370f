"""cmake/check_error_pages.py finds an error code without a remedy."""
import unittest

from check_error_pages import findings

CODES = '#include "base/error.h"\ncase kA: return "not_found";\n  Named{kB, "gone"},\n'
TURNS = 'constexpr std::array<std::string_view, 1> kCodes{\n    "repeats"};\n'
HEADINGS = "### `not_found`\nAsk.\n\n### `gone`\nWait.\n\n### `repeats`\n"


class ErrorPages(unittest.TestCase):
    def found(self, page, codes=CODES, turns=TURNS, maker=""):
        return list(findings([("base/error.cc", codes), ("turns.cc", turns), ("errors.md", page), ("executors/tool.cc", maker)]))

    def test_each_code_has_a_heading(self):
        self.assertEqual(self.found(HEADINGS), [])

    def test_finds_one_without(self):
        without = ["errors.md has no heading for error code gone of base/error.cc"]
        for place in ["", "### gone\n", "## `gone`\n", "### `gone` and more\n"]:
            self.assertEqual(self.found(HEADINGS.replace("### `gone`\n", place)), without, place)

    def test_finds_one_of_a_turn_without(self):
        self.assertEqual(self.found(HEADINGS.replace("repeats", "repeat")), ["errors.md has no heading for error code repeats of turns.cc"])

    def test_finds_one_that_a_tool_spells_out(self):
        for made in ['ToolError("own_code", text)', 'ToolError{"own_code", text}', 'ToolError error("own_code", text)', 'return failed(\n    "own_code", text)',
                     'return {"own_code", text};', 'raise toolway.ToolError("own_code", "%d" % n)']:
            self.assertEqual(self.found(HEADINGS, maker=made), ["errors.md has no heading for error code own_code of executors/tool.cc"], made)
        self.assertEqual(self.found(HEADINGS, maker='return {"text"}; log("own_code", 1); metrics.failed("own_code", 1); {"a_field", value}'), [])

    def test_no_codes_are_a_mistake(self):
        self.assertEqual(self.found(HEADINGS, codes="enum class Error;"), ["base/error.cc has no error codes"])
        self.assertEqual(self.found(HEADINGS, turns=""), ["turns.cc has no error codes"])


if __name__ == "__main__":
    unittest.main()

"""docs/openapi.yaml keeps the rules of Spectral, a linter that shares nothing with the validator and the generators of the other tests."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SPECTRAL = pathlib.Path(sys.argv.pop(1)) / "node_modules/.bin/spectral"
ROOT = pathlib.Path(__file__).resolve().parents[3]
DOCUMENT = ROOT / "docs/openapi.yaml"


def findings(path):
    linted = subprocess.run([SPECTRAL, "lint", "--ruleset", ROOT / "tests/e2e/openapi/lint/rules.yaml", "--fail-severity", "hint", path],
                            capture_output=True, text=True, timeout=120)
    return linted.returncode, linted.stdout + linted.stderr


class Lint(unittest.TestCase):
    def test_finds_nothing(self):
        status, text = findings(DOCUMENT)
        self.assertEqual(status, 0, text)

    def test_would_find_a_mistake(self):
        text = DOCUMENT.read_text()
        wrong = {"an example that does not fit": ('example: {"cursor": "782-5"}', 'example: {"cursor": 782}'),
                 "a parameter without a description": ("description: A session's id, schema", "schema"),
                 "a tag that is not declared": ("tags: [fleet]", "tags: [flet]")}
        with tempfile.TemporaryDirectory() as directory:
            for what, (right, mistake) in wrong.items():
                with self.subTest(what):
                    self.assertIn(right, text)
                    path = pathlib.Path(directory) / "openapi.yaml"
                    path.write_text(text.replace(right, mistake, 1))
                    status, _ = findings(path)
                    self.assertEqual(status, 1)


if __name__ == "__main__":
    unittest.main()

"""Types for TypeScript that are generated from docs/openapi.yaml fit a client's program, and refuse one with a mistake. The generator
first holds the document to the rules of Redocly."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(sys.argv.pop(1)) / "node_modules/.bin"
ROOT = pathlib.Path(__file__).resolve().parents[3]
CLIENT = ROOT / "tests/e2e/openapi/typescript/client.ts"


class GeneratedTypes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.directory = pathlib.Path(directory.name)
        shutil.copy(CLIENT, cls.directory)
        subprocess.run([TOOLS / "openapi-typescript", ROOT / "docs/openapi.yaml", "-o", cls.directory / "api.ts"], check=True, capture_output=True)

    def compiled(self, name):
        return subprocess.run([TOOLS / "tsc", "--strict", "--noEmit", "--target", "es2022", "--moduleResolution", "bundler", "--module", "esnext",
                               "--lib", "es2022,dom,dom.iterable", self.directory / name], capture_output=True, text=True)

    def test_fit_a_client(self):
        compiled = self.compiled("client.ts")
        self.assertEqual(compiled.returncode, 0, compiled.stdout)

    def test_refuse_a_client_with_a_mistake(self):
        text = CLIENT.read_text()
        for right, wrong in (("call.ran_ms !== null", "call.runs_ms !== null"), ('outcome: "succeeded", min', 'outcome: "succeded", min'),
                             ('"queue_full"', '"queue_ful"')):
            self.assertIn(right, text)
            (self.directory / "wrong.ts").write_text(text.replace(right, wrong))
            self.assertNotEqual(self.compiled("wrong.ts").returncode, 0, wrong)


if __name__ == "__main__":
    unittest.main()

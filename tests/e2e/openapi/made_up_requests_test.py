"""Requests that schemathesis makes up from docs/openapi.yaml, right ones and wrong ones: no gateway answers with an undocumented
status, type, header or body, nor with a 5xx."""

import pathlib
import re
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)
ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/e2e/telemetry"))
from dev_stack import Dev  # noqa: E402

SECONDS = 60
CHECKS = ("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance", "response_headers_conformance")


class MadeUpRequests(unittest.TestCase):
    def test_get_documented_answers(self):
        with Dev(PROGRAM, "--chat", "--script", ROOT / "examples/chat/files.yaml") as dev:
            dev.post("/v1/sessions", {"session_id": "made-up", "namespaces": ["time"]})
            ran = subprocess.run(
                [sys.executable, "-m", "schemathesis.cli", "run", ROOT / "docs/openapi.yaml", "--url", dev.ready["http"],
                 "--phases", "coverage,fuzzing", "--checks", ",".join(CHECKS), "--max-time", str(SECONDS), "--max-examples", "20",
                 "--seed", "1", "--header", "Accept: application/json"],
                cwd=dev.directory.name, capture_output=True, text=True, timeout=8 * SECONDS)
        self.assertEqual(ran.returncode, 0, ran.stdout[-8000:] + ran.stderr[-2000:])
        cases = re.search(r"(\d+) generated", ran.stdout)
        self.assertTrue(cases and int(cases[1]) > 50, ran.stdout[-3000:])  # about 400 on a machine with nothing else to do


if __name__ == "__main__":
    unittest.main()

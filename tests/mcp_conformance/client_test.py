"""The conformance suite's client leg, without `auth/*`, against the executor of kind `mcp`."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PACK = pathlib.Path(__file__).resolve().parent
PROGRAM, PACKAGES = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
SUITE = PACKAGES / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
NODE = next(PACKAGES.glob("node_modules/node-linux-*/bin/node"))
REVISIONS = ("2025-11-25", "2026-07-28")


def scenarios():
    """Of clients, in these revisions, by their names."""
    listed = subprocess.run([NODE, SUITE, "list"], text=True, capture_output=True, check=True, timeout=60).stdout
    clients = listed[listed.index("Client scenarios"):listed.index("Authorization server scenarios")]
    for line in clients.splitlines():
        name, _, revisions = line.strip().removeprefix("- ").partition(" [")
        if any(revision in revisions for revision in REVISIONS) and not name.startswith("auth/"):
            yield name


class Client(unittest.TestCase):
    def test_every_scenario_passes(self):
        names = list(scenarios())
        self.assertGreaterEqual(len(names), 11, names)
        for name in names:
            with self.subTest(name), tempfile.TemporaryDirectory(prefix="toolway-client-leg-") as directory:
                command = f"{sys.executable} {PACK / 'client_leg.py'} {PROGRAM}"
                done = subprocess.run([NODE, SUITE, "client", "--command", command, "--scenario", name, "--timeout", "90000", "-o", directory],
                                      text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
                checks = [check for file in pathlib.Path(directory).rglob("checks.json") for check in json.loads(file.read_text())]
                failed = [(check["id"], check.get("errorMessage")) for check in checks if check["status"] == "FAILURE"]
                self.assertEqual((failed, done.returncode), ([], 0), done.stdout[-3000:])
                self.assertTrue(any(check["status"] == "SUCCESS" for check in checks), checks)


if __name__ == "__main__":
    unittest.main()

"""promtool finds nothing to say about what the processes of a fleet that has worked tell Prometheus."""

import subprocess
import sys
import unittest

from dev_stack import Dev

PROMTOOL = sys.argv.pop(1)
PROGRAM = sys.argv.pop(1)


class Promtool(unittest.TestCase):
    def test_is_silent(self):
        with Dev(PROGRAM) as dev:
            dev.open_session("chat", "time", "filesystem")
            dev.call("chat", "get_current_time")
            dev.call("chat", "read_file", {"path": "no/such/file"})
            for role in ("gateway", "worker", "collector"):
                content_type, text = dev.scrape(role)
                self.assertEqual(content_type, "text/plain; version=0.0.4; charset=utf-8")
                self.assertIn("toolway_build_info", text)
                self.assertIn("process_open_fds", text)
                said = subprocess.run([PROMTOOL, "check", "metrics"], input=text, text=True, capture_output=True)
                self.assertEqual((said.returncode, said.stdout + said.stderr), (0, ""), role)


if __name__ == "__main__":
    unittest.main(verbosity=2)

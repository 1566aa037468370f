"""`toolway talk` on a terminal: while a call runs, a bar shows how far it is, with the loop here and on the server's side; and `/calls`."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "e2e/telemetry"), str(HERE.parents[1] / "e2e/cli")]
from dev_stack import Dev  # noqa: E402
from terminal import OnTerminal  # noqa: E402

PROGRAM = sys.argv.pop(1)
SCRIPT = """
turns:
  - when: work
    replies:
      - text: Let me work.
        calls:
          - {tool: bench.work, arguments: {wait_ms: 3000, chunks: 6}}
      - text: Done.
  - replies:
      - text: Hello.
"""
HALF = "bench.work  " + "█" * 10 + "░" * 10 + "  50 %"


def setUpModule():
    global dev, script, environment
    kept = tempfile.TemporaryDirectory(prefix="toolway-chat-")
    unittest.addModuleCleanup(kept.cleanup)
    script = pathlib.Path(kept.name) / "script.yaml"
    script.write_text(SCRIPT)
    dev = Dev(PROGRAM, "--chat", "--script", script)
    unittest.addModuleCleanup(dev.__exit__)
    dev.__enter__()
    clean = {name: "" for name in os.environ if name.startswith(("TOOLWAY_AI", "OPENAI", "ANTHROPIC"))}
    environment = {**clean, "TOOLWAY_URL": dev.ready["http"], "XDG_STATE_HOME": kept.name, "NO_COLOR": "1", "TOOLWAY_USER": "telemetry"}


class Terminal(unittest.TestCase):
    def setUp(self):
        self.session = self.id().split(".")[-1]
        dev.open_session(self.session, "bench")

    def argv(self, *more):
        return [PROGRAM, "talk", "--session", self.session, *map(str, more)]

    def see_a_bar(self, *how):
        with OnTerminal(self.argv(*how, "work"), **environment) as seen:
            self.assertTrue(seen.until(HALF, 30), seen.text)
            self.assertTrue(seen.until("Done.", 30), seen.text)
            seen.read(10)
            self.assertEqual(seen.status, 0, seen.text)
        # What the terminal shows at the end: each line from where it was begun again.
        lines = [line.split("\r")[-1] for line in seen.text.split("\n")]
        self.assertEqual(lines[:3], ["Let me work.", "Calling tool: bench.work", "Done."], seen.raw)
        self.assertNotIn("█", "".join(lines))

    def test_a_bar_with_the_loop_here(self):
        self.see_a_bar("--script", script)

    def test_a_bar_with_the_loop_on_the_servers_side(self):
        self.see_a_bar("--server")

    def test_none_in_a_pipe_and_calls_in_both_loops(self):
        for how in (("--script", script), ("--server",)):
            ran = subprocess.run(self.argv(*how), input="work\n/calls\n/help\n", env={**os.environ, **environment}, capture_output=True, text=True, timeout=60)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertNotIn("█", ran.stdout + ran.stderr)
            self.assertRegex(ran.stdout, r"Done\.\n(.*\n)*[0-9a-f-]{36}  bench\.work  \S+\n")
            self.assertIn("/calls           the calls of this session", ran.stderr)


if __name__ == "__main__":
    unittest.main()

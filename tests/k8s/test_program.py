"""The chart calls the program as it is: every argument that a pod gets is an option of the built program."""
import os
import subprocess
import unittest

from rendered import pods, renderings

PROGRAM = os.environ["TOOLWAY_PROGRAM"]


def options_of(verb: str) -> str:
    return subprocess.run([PROGRAM, verb, "--help"], capture_output=True, text=True, check=True).stdout


class Program(unittest.TestCase):
    def test_it_has_every_option(self):
        given = {(spec["containers"][0]["args"][0], argument) for _, objects in renderings()
                 for _, _, spec, _ in pods(objects) for argument in spec["containers"][0]["args"] if argument.startswith("--")}
        verbs = {verb for verb, _ in given}
        known = {(verb, option) for verb in verbs for option in options_of(verb).split()}
        self.assertEqual(verbs, {"gateway", "worker", "collector", "migrate"})
        self.assertEqual(given - known, set())

    def test_help_does_not_show_a_password(self):
        shown = subprocess.run([PROGRAM, "worker", "--help"], capture_output=True, text=True, check=True,
                               env={**os.environ, "TOOLWAY_NATS_URL": "nats://worker:s3cret@nats:4222"}).stdout
        self.assertIn("--nats", shown)
        self.assertNotIn("s3cret", shown)


if __name__ == "__main__":
    unittest.main()

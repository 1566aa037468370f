"""cmake/progress.py tells how far a build is, and hides nothing of what failed."""
import io
import unittest

from progress import main, remaining


def shown(lines, terminal=False):
    out = io.StringIO()
    main(lines, out, terminal)
    return out.getvalue()


class Progress(unittest.TestCase):
    def test_estimates_from_what_was_done(self):
        self.assertEqual(remaining(100, 300, 120.0), ", about 4 min left")
        self.assertEqual(remaining(290, 300, 1200.0), ", about 40 s left")
        self.assertEqual(remaining(1, 300, 2.0), "")  # too early
        self.assertEqual(remaining(300, 300, 600.0), "")

    def test_says_so_every_half_minute_where_there_is_no_terminal(self):
        lines = [f"@{n}/100/{n}.0@ Building a.o\n" for n in range(1, 101)]
        self.assertEqual(shown(lines).splitlines(), ["building: 30 of 100 steps, about 70 s left", "building: 60 of 100 steps, about 40 s left",
                                                     "building: 90 of 100 steps, about 10 s left"])

    def test_overwrites_its_line_on_a_terminal(self):
        self.assertEqual(shown(["@1/2/1.0@ x\n", "@2/2/2.0@ y\n"], terminal=True),
                         "\r\x1b[Kbuilding: 1 of 2 steps\r\x1b[Kbuilding: 2 of 2 steps\r\x1b[K")

    def test_passes_failures_through(self):
        said = "FAILED: a.o\na.cc:1: error: no\n"
        self.assertEqual(shown(["@1/2/1.0@ x\n", *said.splitlines(True)], terminal=True), "\r\x1b[Kbuilding: 1 of 2 steps\n" + said)
        self.assertEqual(shown(["ninja: Entering directory `build'\n", *said.splitlines(True)]), said)


if __name__ == "__main__":
    unittest.main()

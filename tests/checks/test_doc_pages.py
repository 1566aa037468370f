"""What is taken for a command of the documentation (tests/e2e/docs/pages.py), how its output is compared (shape.py), and how many commands
are not run: a number that may fall, and grows only with a reason in the same commit."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e/docs"))
import pages  # noqa: E402
import shape  # noqa: E402

# Blocks marked `<!-- not run: … -->`.
MARKED = {
    "CONTRIBUTING.md": 1,
    "docs/chat.md": 1,  # a model on this machine
    "docs/cli.md": 2,
    "docs/moving-tools.md": 2,
    "examples/agents/README.md": 1,
    "packs/filesystem/README.md": 2,
    "packs/web_search/README.md": 1,
}
# Commands of pages that no part of e2e_docs has.
NOT_YET = {
    "docs/alerts": 55,
    "docs/audit.md": 6,  # e2e_dev.AuditOfDev and integration_persistence.Audit do the same
    "docs/auth.md": 3,
    "docs/building.md": 1,
    "docs/chaos.md": 1,
    "docs/conversations.md": 3,  # e2e_chat.server does the same
    "docs/http.md": 2,
    "docs/kubernetes.md": 23,
    "docs/load-testing.md": 13,
    "docs/mcp-server.md": 5,  # e2e_mcp.clients runs the one with a table
    "docs/metrics.md": 1,
    "docs/observability.md": 1,
    "docs/operations/behind-a-proxy.md": 2,
    "docs/performance.md": 6,
    "docs/questions.md": 3,  # e2e_mcp.questions and the examples of --help do the same
    "k8s/chart/toolway/README.md": 2,
}


def steps(text, **options):
    return [(step.kind, step.text, step.output, step.status) for step in pages.steps_of(text, **options)]


class Extraction(unittest.TestCase):
    def test_a_transcript(self):
        text = "Text.\n\n    $ toolway a 'x\n    y'\n    said\n\n    more\n\n    $ toolway b \\\n        c          # exit status 3\nText."
        self.assertEqual(steps(text), [("command", "toolway a 'x\ny'", ["said", "", "more"], 0),
                                       ("command", "toolway b \\\n    c          # exit status 3", [], 3)])

    def test_commands_alone(self):
        text = "    # first\n    mkdir x\n    cat > x/y <<'E'\n    curl\n    E\n    A=b toolway z"
        self.assertEqual([step[1] for step in steps(text)], ["mkdir x", "cat > x/y <<'E'\ncurl\nE", "A=b toolway z"])

    def test_other_blocks(self):
        self.assertEqual(steps("    {\"a\": 1}\n\ntoolway x\n\n    toolway dev: waiting\n"), [])

    def test_marks(self):
        self.assertEqual(steps("<!-- not run: too long -->\n\n    $ toolway x\n"), [("not run", "too long", [], 0)])
        self.assertEqual(steps("<!-- file: a.py -->\n    def x():\n        pass\n"), [("file", "def x():\n    pass\n", [], 0)])

    def test_queries_of_an_alert(self):
        text = "    up == 0\n    $ toolway workers    # who\n"
        self.assertEqual([step[1] for step in steps(text, queries=True)], ["toolway workers    # who"])

    def test_mistakes(self):
        for text in ("    text\n    toolway x\n", "    text\n    $ toolway x\n", "    $ echo 'a\n", "```\ntoolway x\n```\n",
                     "<!-- not run:\nwhy -->\n"):
            with self.assertRaises(pages.Mistake, msg=text):
                steps(text)


class Shape(unittest.TestCase):
    def same(self, shown, printed):
        return shape.differs(shown.split("\n"), printed) is None

    def test_what_may_differ(self):
        self.assertTrue(self.same("a 12:00:01.123 01a211c3-… 3 s ago", "a  23:59:59.000 01a21fff-0cac-7923-8460-4fb0c4b3d70d now\r\n"))
        self.assertTrue(self.same("one\n…\nlast", "one\nx\ny\nlast\n"))
        self.assertTrue(self.same("one\nlast", "one\r\na bar\r\x1b[Ka longer bar\r\x1b[Klast\r\n"))
        self.assertTrue(self.same("toolway dev: starting\nlast", "toolway dev: starting\r\x1b[Klast\r\n"))
        self.assertTrue(self.same("one\n…\nlast", "one\nlast\n"))
        self.assertTrue(self.same("{\"a\": …}", "{\"a\": 7, \"b\": 8}\n"))

    def test_what_may_not(self):
        for shown, printed in (("2 specs", "3 specs"), ("a", "a\nb"), ("a\nb", "a"), ("succeeded 1 s ago", "failed 1 s ago"),
                               ("on 127.0.0.1:8080", "on 127.0.0.1:8081"), ("…/…", "x")):
            self.assertFalse(self.same(shown, printed), (shown, printed))


class Counts(unittest.TestCase):
    def test_what_is_not_run(self):
        run = {page for part in pages.PARTS.values() for page in part}
        marked, not_yet = {}, {}
        for page in pages.pages_of(ROOT):
            found = pages.steps_in(ROOT, page)
            for counts, kind, counted in ((marked, "not run", True), (not_yet, "command", page not in run)):
                number = sum(step.kind == kind for step in found)
                name = "docs/alerts" if page.startswith("docs/alerts/") else page
                if counted and number:
                    counts[name] = counts.get(name, 0) + number
        self.assertEqual(marked, MARKED)
        self.assertEqual(not_yet, NOT_YET)


if __name__ == "__main__":
    unittest.main()

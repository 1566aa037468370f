#!/usr/bin/env python3
"""The rules: promtool accepts them; each alert has a case that fires it, one that does not, and a page."""
import re
import subprocess
import sys
import unittest

from repository import ROOT, RULES, unknown_metrics

TESTS = sorted((ROOT / "monitoring/prometheus/tests").glob("*_test.yml"))
PAGES = ROOT / "docs/alerts"
HEADINGS = ["Meaning", "Impact", "Diagnosis", "Mitigation"]
PROMTOOL = None


def alerts():
    """Name -> the text of its rule."""
    found = {}
    for file in RULES:
        for rule in re.split(r"^\s+- (?=alert:|record:)", file.read_text(), flags=re.M)[1:]:
            if rule.startswith("alert: "):
                name = rule.splitlines()[0].removeprefix("alert: ").strip()
                assert name not in found, f"two alerts are called {name}"
                found[name] = rule
    return found


def expressions(text):
    """Rules without comments, templates and texts for people: what is left names metrics in PromQL only."""
    return re.sub(r"^\s*(#|summary:|description:|runbook_url:|- record:|- alert:|- name:).*$", "", text, flags=re.M)


class Rules(unittest.TestCase):
    def promtool(self, *arguments):
        done = subprocess.run([PROMTOOL, *map(str, arguments)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_promtool_accepts_rules_and_configurations(self):
        self.promtool("check", "rules", *RULES)
        for config in ("prometheus.yml", "fleet.example.yml"):
            self.promtool("check", "config", ROOT / "monitoring/prometheus" / config)

    def test_every_case_of_every_alert(self):
        running = [(file, subprocess.Popen([PROMTOOL, "test", "rules", file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                           text=True)) for file in TESTS]
        for file, process in running:
            said, _ = process.communicate()
            self.assertEqual(process.returncode, 0, f"{file}: {said}")

    def test_each_alert_has_a_case_that_fires_it_and_one_that_does_not(self):
        cases = re.findall(r"^\s+- alertname: (\w+)\n\s+eval_time: \w+\n\s+exp_alerts:( \[\])?\s*$",
                           "".join(file.read_text() for file in TESTS), flags=re.M)
        fired = {name for name, empty in cases if not empty}
        silent = {name for name, empty in cases if empty}
        self.assertEqual(sorted(alerts()), sorted(fired), "each alert, and no other, has a case that fires it")
        self.assertEqual(sorted(alerts()), sorted(silent), "each alert, and no other, has a case in which it is silent")

    def test_each_alert_says_how_severe_it_is_what_happens_and_where_to_read_on(self):
        for name, rule in alerts().items():
            with self.subTest(name):
                self.assertRegex(rule, r"labels: \{severity: (page|ticket)\}")
                self.assertRegex(rule, r'\n\s+summary: ".{10,}"\n')
                self.assertRegex(rule, r'\n\s+description: ".{20,}"\n')
                self.assertRegex(rule, rf"\n\s+runbook_url: docs/alerts/{name}\.md\s")

    def test_each_alert_has_a_page_and_each_page_an_alert(self):
        self.assertEqual(sorted(alerts()), sorted(p.stem for p in PAGES.glob("*.md") if p.stem != "README"))
        for name in alerts():
            with self.subTest(name):
                page = (PAGES / f"{name}.md").read_text()
                self.assertEqual(page.splitlines()[0], f"# {name}")
                self.assertEqual(re.findall(r"^## (.*)$", page, flags=re.M), HEADINGS)
                diagnosis = page.split("## Diagnosis")[1].split("## Mitigation")[0]
                self.assertRegex(diagnosis, r"\n    \S", "Diagnosis shows a command or a query")
                self.assertEqual(unknown_metrics(diagnosis), [])
                self.assertIn(f"[{name}]({name}.md)", (PAGES / "README.md").read_text())

    def test_rules_ask_only_for_metrics_that_there_are(self):
        for file in RULES:
            self.assertEqual(unknown_metrics(expressions(file.read_text())), [], file)

    def test_alerts_ask_only_for_recorded_series_that_are_recorded(self):
        text = "".join(file.read_text() for file in RULES)
        recorded = set(re.findall(r"- record: (\S+)", text))
        asked = set(re.findall(r"\b[a-z_]+:toolway_\w+:\w+\b", expressions(text)))
        self.assertEqual(sorted(asked - recorded), [])

    def test_what_is_added_up_is_of_one_fleet(self):
        for file in RULES:
            text = expressions(file.read_text())
            for operation, labels in re.findall(r"\b(sum|max|min|avg|count|group|topk|bottomk)\b\s*(?:by )?\(([^)]*)", text):
                self.assertRegex(labels, r"^fleet\b", f"{file.name}: {operation}")
            for labels in re.findall(r"\bon \(([^)]*)\)", text):
                self.assertRegex(labels, r"^fleet\b", f"{file.name}: on")
            self.assertNotRegex(text, r"\b(ignoring|without|vector|scalar)\b", f"{file.name}: forgets the fleet")


if __name__ == "__main__":
    PROMTOOL = f"{sys.argv.pop(1)}/prometheus/usr/bin/promtool"
    unittest.main()

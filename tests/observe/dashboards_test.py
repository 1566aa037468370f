#!/usr/bin/env python3
"""The dashboards' JSON: what dashboards.py writes, and as Grafana's dashboard linter wants it.

The rules are the linter's (github.com/grafana/dashboard-linter, docs/rules), the checks are ours.
"""
import json
import re
import tempfile
import pathlib
import subprocess
import sys
import unittest

from repository import ROOT, unknown_metrics
from panels import dashboards, panels

GRAFANA = ROOT / "monitoring/grafana"
UNITS = {"short", "none", "percentunit", "percent", "s", "ms", "bytes", "Bps", "reqps", "ops", "bool", "dateTimeFromNow",
         "suffix: calls/s", "suffix: attempts/s", "suffix: turns/s"}
SELECTOR = re.compile(r"\b((?:toolway|process|gen_ai_client)_\w+)\s*(\{[^}]*\})?(\[[^\]]*\])?")


def all_panels():
    return [(f"{name}: {panel['title']}", panel) for name, dashboard in dashboards() for panel in panels(dashboard)]


class Dashboards(unittest.TestCase):
    def test_are_what_their_source_says(self):
        done = subprocess.run([sys.executable, GRAFANA / "dashboards.py", "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_stale_file_is_noticed(self):
        with tempfile.TemporaryDirectory() as other:
            subprocess.run([sys.executable, GRAFANA / "dashboards.py", other], check=True)
            file = pathlib.Path(other) / "overview.json"
            file.write_text(file.read_text().replace("Overview", "Survey"))
            done = subprocess.run([sys.executable, GRAFANA / "dashboards.py", "--check", other], capture_output=True, text=True)
            self.assertIn("overview.json", done.stderr)
            self.assertNotEqual(done.returncode, 0)

    def test_cannot_be_edited_and_have_names_of_their_own(self):
        for name, dashboard in dashboards():
            self.assertIs(dashboard["editable"], False, name)
        for field in ("uid", "title"):
            values = [dashboard[field] for _, dashboard in dashboards()]
            self.assertEqual(len(values), len(set(values)))

    def test_variables(self):
        for name, dashboard in dashboards():
            with self.subTest(name):
                variables = {v["name"]: v for v in dashboard["templating"]["list"]}
                sources = [v for v in variables.values() if v["type"] == "datasource"]
                self.assertEqual([(v["name"], v["label"], v["query"]) for v in sources], [("datasource", "Data source", "prometheus")])
                self.assertLessEqual({"fleet", "job", "instance"}, set(variables))
                used = set(re.findall(r"\$\{?(?!__)(\w+)", json.dumps(dashboard)))
                self.assertEqual(used - set(variables), set(), "variables that are used and not there")
                for variable in variables.values():
                    if variable["type"] != "query":
                        continue
                    self.assertIn(variable["name"], used, "a variable that no query uses")
                    self.assertEqual(variable["datasource"]["uid"], "${datasource}")
                    self.assertEqual(variable["label"], variable["name"].title())
                    self.assertTrue(variable["multi"] and variable["includeAll"])
                    # A fleet that has no name has no such label at all.
                    self.assertEqual(variable["allValue"], ".*" if variable["name"] == "fleet" else ".+")
                    self.assertEqual(variable["refresh"], 2, "reloads when the time changes")
                    self.assertRegex(variable["query"], r"^label_values\(.+, \w+\)$")

    def test_panels_say_what_they_show_in_which_unit(self):
        for name, panel in all_panels():
            with self.subTest(name):
                self.assertGreater(len(panel["title"]), 2)
                self.assertGreater(len(panel["description"]), 10)
                self.assertIn(panel["fieldConfig"]["defaults"]["unit"], UNITS)
                self.assertEqual(panel["datasource"], {"type": "prometheus", "uid": "${datasource}"})
                self.assertTrue(panel["targets"])

    def test_a_color_says_one_thing(self):
        for name, panel in all_panels():
            with self.subTest(name):
                steps = panel["fieldConfig"]["defaults"]["thresholds"]["steps"]
                colors = [step["color"] for step in steps]
                self.assertEqual(len(colors), len(set(colors)), colors)
                values = [step["value"] for step in steps]
                self.assertIsNone(values[0])
                self.assertEqual(values[1:], sorted(values[1:]))

    def test_where_more_is_better_nothing_is_red(self):
        base = {panel["title"]: panel["fieldConfig"]["defaults"]["thresholds"]["steps"][0]["color"] for _, panel in all_panels()}
        self.assertEqual((base["Available"], base["Restores that succeed"]), ("red", "red"))

    def test_panels_do_not_lie_on_each_other(self):
        for name, dashboard in dashboards():
            taken = set()
            for panel in dashboard["panels"]:
                at = panel["gridPos"]
                self.assertLessEqual(at["x"] + at["w"], 24)
                cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
                self.assertFalse(cells & taken, f"{name}: {panel['title']}")
                taken |= cells
            self.assertEqual(len({p["id"] for p in dashboard["panels"]}), len(dashboard["panels"]))

    def test_links_lead_to_pages(self):
        for name, panel in all_panels():
            with self.subTest(name):
                self.assertTrue(panel["links"])
                for link in panel["links"]:
                    self.assertTrue(link["url"].startswith("${docs}/"), link)
                    self.assertTrue((ROOT / link["url"].removeprefix("${docs}/")).is_file(), link)

    def test_queries_choose_fleet_job_and_instance_and_name_metrics_that_there_are(self):
        for name, panel in all_panels():
            with self.subTest(name):
                for target in panel["targets"]:
                    expression = target["expr"]
                    self.assertEqual(unknown_metrics(expression), [])
                    for metric, labels, _ in SELECTOR.findall(expression):
                        self.assertIn('fleet=~"$fleet"', labels, metric)
                        self.assertIn('job=~"$job"', labels, metric)
                        self.assertIn('instance=~"$instance"', labels, metric)

    def test_rates_are_taken_over_the_rate_interval_and_counters_are_never_shown_raw(self):
        for name, panel in all_panels():
            with self.subTest(name):
                for target in panel["targets"]:
                    for function, inner in re.findall(r"(\w+)\(((?:toolway|process|gen_ai_client)_\w+\{[^}]*\}\[[^\]]*\])", target["expr"]):
                        if function in ("rate", "irate"):
                            self.assertTrue(inner.endswith("[$__rate_interval]"), inner)
                    for found in SELECTOR.finditer(target["expr"]):
                        if found[1].endswith(("_total", "_bucket", "_sum", "_count")):
                            before = target["expr"][:found.start()]
                            self.assertRegex(before, r"\b(rate|irate|increase)\($", found[0])
                            self.assertTrue(found[3], found[0])


if __name__ == "__main__":
    unittest.main()

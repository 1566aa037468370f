"""The chart carries the rules and dashboards of monitoring/ as they are there."""
import json
import tarfile
import tempfile
import unittest

import yaml

from rendered import CHART, K8S, TOGGLES, helm, of_kind, render

MONITORING = K8S.parent / "monitoring"
RULES = sorted((MONITORING / "prometheus/rules").glob("*.yml"))
DASHBOARDS = sorted((MONITORING / "grafana/dashboards").glob("*.json"))


class Monitoring(unittest.TestCase):
    def setUp(self):
        self.objects = render((), tuple(TOGGLES["monitoring"]))

    def test_every_file_of_rules_is_a_prometheusrule(self):
        made = [one["spec"] for one in of_kind(self.objects, "PrometheusRule")]
        self.assertEqual(made, [yaml.safe_load(file.read_text()) for file in RULES])
        self.assertGreater(len(made), 0)

    def test_every_dashboard_is_a_configmap(self):
        made = {}
        for one in of_kind(self.objects, "ConfigMap"):
            if one["metadata"]["labels"].get("grafana_dashboard") == "1":
                self.assertLess(len(json.dumps(one)), 1_000_000, "a ConfigMap has at most 1 MiB")
                made.update(one["data"])
        self.assertEqual({name: json.loads(text) for name, text in made.items()},
                         {file.name: json.loads(file.read_text()) for file in DASHBOARDS})
        self.assertGreater(len(made), 0)

    def test_scraped_processes_have_the_jobs_that_rules_name(self):
        (monitor,) = of_kind(self.objects, "PodMonitor")
        for endpoint in monitor["spec"]["podMetricsEndpoints"]:
            self.assertIn({"sourceLabels": ["__meta_kubernetes_pod_label_app_kubernetes_io_component"], "replacement": "toolway-$1",
                           "targetLabel": "job"}, endpoint["relabelings"])
        self.assertIn('job="toolway-gateway"', "".join(file.read_text() for file in RULES))

    def test_a_release_is_a_fleet_unless_it_is_part_of_another(self):
        for sets, fleet in (((), "prod"), (("monitoring.fleet=agents-eu",), "agents-eu")):
            (monitor,) = of_kind(render((), (*TOGGLES["monitoring"], *sets)), "PodMonitor")
            for endpoint in monitor["spec"]["podMetricsEndpoints"]:
                self.assertIn({"replacement": fleet, "targetLabel": "fleet"}, endpoint["relabelings"])

    def test_links_lead_to_the_docs_that_are_named(self):
        docs = "https://git.example.com/toolway/blob/main"
        objects = render((), (*TOGGLES["monitoring"], f"monitoring.docsUrl={docs}/"))
        alerts = [rule for one in of_kind(objects, "PrometheusRule") for group in one["spec"]["groups"] for rule in group["rules"] if "alert" in rule]
        self.assertGreater(len(alerts), 0)
        for alert in alerts:
            self.assertEqual(alert["annotations"]["runbook_url"], f"{docs}/docs/alerts/{alert['alert']}.md")
        dashboards = [json.loads(text) for one in of_kind(objects, "ConfigMap") for text in one["data"].values()]
        self.assertEqual(len(dashboards), len(DASHBOARDS))
        for dashboard in dashboards:
            (variable,) = [one for one in dashboard["templating"]["list"] if one["name"] == "docs"]
            self.assertEqual([variable["query"], variable["current"]["value"], variable["options"][0]["value"]], [docs] * 3)
            self.assertNotIn("docs.example.org", json.dumps(dashboard))

    def test_a_package_has_the_files_that_are_links_here(self):
        with tempfile.TemporaryDirectory() as directory:
            packed = helm("package", str(CHART), "--destination", directory)
            self.assertEqual(packed.returncode, 0, packed.stderr)
            with tarfile.open(f"{directory}/toolway-0.1.0.tgz") as package:
                members = {one.name: one for one in package.getmembers()}
            for file in RULES:
                self.assertTrue(members[f"toolway/files/rules/{file.name}"].isreg())
            for file in DASHBOARDS:
                self.assertEqual(members[f"toolway/files/dashboards/{file.name}"].size, file.stat().st_size)


if __name__ == "__main__":
    unittest.main()

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
            self.assertEqual([(one["targetLabel"], one["replacement"]) for one in endpoint["relabelings"]], [("job", "toolway-$1")])
        self.assertIn('job="toolway-gateway"', "".join(file.read_text() for file in RULES))

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

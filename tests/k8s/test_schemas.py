"""Every rendering is what Kubernetes, KEDA and the Prometheus operator take."""
import json
import unittest

import kubernetes_validate
import yaml

from custom_resources import MODELS, mistakes
from rendered import CHART, K8S, helm, renderings

OLDEST, NEWEST = "1.28", "1.37"
# What a sandbox needs came to pods later.
OLDEST_WITH_SANDBOX = "1.30"


def has_sandbox(objects) -> bool:
    return any("hostUsers" in one["spec"]["template"]["spec"] for one in objects if one["kind"] == "Deployment")


class Schemas(unittest.TestCase):
    def test_the_chart_passes_helms_linter(self):
        linted = helm("lint", "--strict", str(CHART))
        self.assertEqual(linted.returncode, 0, linted.stdout + linted.stderr)

    def test_every_object_is_kubernetes_own(self):
        seen = set()
        for name, objects in renderings():
            oldest = OLDEST_WITH_SANDBOX if has_sandbox(objects) else OLDEST
            for one in objects:
                if one["kind"] in MODELS:
                    continue
                for version in (oldest, NEWEST):
                    text = json.dumps(one, sort_keys=True) + version
                    if text in seen:
                        continue
                    seen.add(text)
                    with self.subTest(rendering=name, kind=one["kind"], name=one["metadata"]["name"], kubernetes=version):
                        kubernetes_validate.validate(one, version, strict=True)
        self.assertGreater(len(seen), 100)

    def test_servers_for_kind_are_kubernetes_own(self):
        for one in yaml.safe_load_all((K8S / "examples/kind/servers.yaml").read_text()):
            kubernetes_validate.validate(one, NEWEST, strict=True)

    def test_a_field_that_there_is_not_is_refused(self):
        deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "x"}, "spec": {"replica": 1}}
        with self.assertRaises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(deployment, NEWEST, strict=True)

    def test_every_custom_object_is_its_operators(self):
        every = {json.dumps(one, sort_keys=True): one for _, objects in renderings() for one in objects if one["kind"] in MODELS}
        self.assertEqual({one["kind"] for one in every.values()}, set(MODELS))
        self.assertEqual(mistakes(every.values()), "")

    def test_mistakes_in_custom_objects_are_found(self):
        made = {"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "metadata": {"name": "x"},
                "spec": {"scaleTargetRef": {"name": "a"}, "triggers": [{"type": "nats-jetstream", "metadata": {"stream": "CALLS"}}]}}
        self.assertEqual(mistakes([made]), "")
        misspelt = json.loads(json.dumps(made))
        misspelt["spec"]["polingInterval"] = 5
        self.assertIn("polingInterval", mistakes([misspelt]))
        wrong = json.loads(json.dumps(made))
        wrong["spec"]["triggers"][0]["metadata"]["lagThreshold"] = 5
        self.assertIn("must be string", mistakes([wrong]))


if __name__ == "__main__":
    unittest.main()

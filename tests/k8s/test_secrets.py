"""Which files of secrets gateways and workers get."""
import unittest

from rendered import pods, render
from test_wiring import value_of


class Secrets(unittest.TestCase):
    def containers(self, *sets):
        return {name: (spec, spec["containers"][0]) for name, _, spec, _ in pods(render((), sets)) if "gateway" in name or "worker" in name}

    def check(self, pod, container, option, volume, secret):
        (mount,) = [one for one in container["volumeMounts"] if one["name"] == volume]
        self.assertEqual(value_of(container["args"], option).rpartition("/")[0], mount["mountPath"])
        self.assertTrue(mount["readOnly"])
        self.assertIn({"name": volume, "secret": {"secretName": secret, "defaultMode": 0o440}}, pod["volumes"])

    def test_without_secrets_no_process_is_told_of_any(self):
        for name, (_, container) in self.containers().items():
            self.assertNotIn("--webhook-secrets", container["args"], name)
            self.assertNotIn("--seal-keys", container["args"], name)

    def test_gateways_and_workers_know_the_services_that_they_may_ask(self):
        found = self.containers("webhookSecret=services")
        self.assertGreater(len(found), 1)
        for pod, container in found.values():
            self.check(pod, container, "--webhook-secrets", "webhooks", "services")

    def test_gateways_alone_seal_what_they_hand_out(self):
        for name, (pod, container) in self.containers("gateway.sealKeysSecret=tokens").items():
            if "gateway" in name:
                self.check(pod, container, "--seal-keys", "seal-keys", "tokens")
            else:
                self.assertNotIn("--seal-keys", container["args"], name)


if __name__ == "__main__":
    unittest.main()

"""What collectors are told to keep, and with what they seal it."""
import unittest

from rendered import pods, render
from test_wiring import value_of


class Collectors(unittest.TestCase):
    def test_collectors_keep_what_is_said(self):
        for sets, days in (((), "30"), (("collector.keepDays=0",), "0")):
            (collector,) = [spec for name, _, spec, _ in pods(render((), sets)) if name.endswith("collector")]
            self.assertEqual(value_of(collector["containers"][0]["args"], "--keep-days"), days)
            (gateway,) = [spec for name, _, spec, _ in pods(render((), sets)) if name.endswith("gateway")]
            self.assertEqual(value_of(gateway["containers"][0]["args"], "--keep-days"), days, "which tells clients")

    def test_collectors_seal_the_audit_with_the_keys_of_a_secret(self):
        def collector(*sets):
            (pod,) = [spec for name, _, spec, _ in pods(render((), sets)) if name.endswith("collector")]
            return pod, pod["containers"][0]["args"]
        _, arguments = collector()
        self.assertNotIn("--seal-keys", arguments)
        self.assertEqual(value_of(arguments, "--keep-audit-days"), "0", "the audit is kept unless an operator says otherwise")
        pod, arguments = collector("collector.sealKeysSecret=audit-keys", "collector.keepAuditDays=400")
        self.assertEqual(value_of(arguments, "--keep-audit-days"), "400")
        (mount,) = [one for one in pod["containers"][0]["volumeMounts"] if one["name"] == "seal-keys"]
        self.assertEqual(value_of(arguments, "--seal-keys"), f"{mount['mountPath']}/seal-keys")
        self.assertIn({"name": "seal-keys", "secret": {"secretName": "audit-keys", "defaultMode": 0o440}}, pod["volumes"])


if __name__ == "__main__":
    unittest.main()

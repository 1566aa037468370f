"""What refers to what: selectors, budgets, scaling, and who may talk to whom."""
import collections
import json
import re
import unittest

from rendered import EXAMPLES, K8S, of_kind, pods, render, renderings, selects

# What proto/subjects.cc call_durable() makes: <pool>-<lane>-<partition>.
DURABLE = re.compile(r"^(?P<pool>[A-Za-z0-9_-]+)-(normal|bulk)-\d+$")


def example(name: str):
    return render((K8S / "examples" / name,))


def chosen(objects, selector: dict) -> list:
    return [name for name, labels, _, _ in pods(objects) if selects(selector, labels)]


class Wiring(unittest.TestCase):
    def in_every(self, check):
        for name, objects in renderings():
            with self.subTest(rendering=name):
                check(objects)

    def test_names_are_unique(self):
        def check(objects):
            names = collections.Counter((one["kind"], one["metadata"]["name"]) for one in objects)
            self.assertEqual([name for name, count in names.items() if count > 1], [])
        self.in_every(check)

    def test_every_deployment_selects_its_own_pods_and_no_others(self):
        def check(objects):
            for one in of_kind(objects, "Deployment"):
                self.assertEqual(chosen(objects, one["spec"]["selector"]), [one["metadata"]["name"]])
                for spread in one["spec"]["template"]["spec"].get("topologySpreadConstraints", []):
                    self.assertEqual(chosen(objects, spread["labelSelector"]), [one["metadata"]["name"]])
        self.in_every(check)

    def test_every_deployment_has_a_budget(self):
        def check(objects):
            budgets = [chosen(objects, one["spec"]["selector"]) for one in of_kind(objects, "PodDisruptionBudget")]
            if not budgets:
                return
            self.assertEqual(sorted(budgets), sorted([one["metadata"]["name"]] for one in of_kind(objects, "Deployment")))
        self.in_every(check)

    def test_what_is_scaled_has_no_replicas_of_its_own(self):
        def check(objects):
            scaled = {one["spec"]["scaleTargetRef"]["name"] for one in objects
                      if one["kind"] in ("HorizontalPodAutoscaler", "ScaledObject")}
            deployments = {one["metadata"]["name"]: one["spec"] for one in of_kind(objects, "Deployment")}
            self.assertLessEqual(scaled, set(deployments))
            for name, spec in deployments.items():
                self.assertEqual("replicas" in spec, name not in scaled)
        self.in_every(check)

    def test_each_queue_of_a_pool_is_a_trigger(self):
        objects = render((), ("poolDefaults.scaling.enabled=true", "nats.monitoring.endpoint=nats:8222",
                              "pools.native.partitions=4", "pools.gpu.slots=2", "pools.gpu.pool=GPU_1"))
        asked = {one["metadata"]["name"]: [trigger["metadata"]["consumer"] for trigger in one["spec"]["triggers"]]
                 for one in of_kind(objects, "ScaledObject")}
        self.assertEqual(asked["prod-toolway-worker-native"],
                         [f"native-{lane}-{part}" for lane in ("normal", "bulk") for part in range(4)])
        self.assertEqual(asked["prod-toolway-worker-gpu"], ["GPU_1-normal-0", "GPU_1-bulk-0"])
        for one in of_kind(objects, "ScaledObject"):
            for trigger in one["spec"]["triggers"]:
                self.assertRegex(trigger["metadata"]["consumer"], DURABLE)
                self.assertEqual(trigger["metadata"]["stream"], "CALLS")

    def test_a_replica_is_asked_for_before_the_slots_are_full(self):
        for name in ("values-small.yaml", "values-large.yaml", "values-sandbox.yaml"):
            objects = example(name)
            slots = {}
            for pod, labels, spec, _ in pods(objects):
                arguments = spec["containers"][0]["args"]
                if arguments[0] == "worker":
                    slots[pod] = int(arguments[2].split("=")[1])
            for one in of_kind(objects, "ScaledObject"):
                for trigger in one["spec"]["triggers"]:
                    lag = int(trigger["metadata"]["lagThreshold"])
                    self.assertGreaterEqual(lag, 1)
                    self.assertLessEqual(lag, slots[one["metadata"]["name"]])

    def test_every_pool_is_made_by_the_migration(self):
        for name in ("values-small.yaml", "values-large.yaml", "values-kind.yaml"):
            objects = example(name)
            (job,) = of_kind(objects, "Job")
            arguments = job["spec"]["template"]["spec"]["containers"][0]["args"]
            made = arguments[arguments.index("--pool") + 1].split(",")
            served = [spec["containers"][0]["args"][2].split("=")[0] for _, labels, spec, _ in pods(objects)
                      if labels["app.kubernetes.io/component"] == "worker"]
            self.assertEqual(sorted(made), sorted(served))

    def test_the_migration_is_a_hook_or_a_job_of_its_revision(self):
        (hook,) = of_kind(render(), "Job")
        self.assertEqual(hook["metadata"]["annotations"]["helm.sh/hook"], "pre-install,pre-upgrade")
        self.assertEqual(hook["spec"]["template"]["spec"]["serviceAccountName"], "default")
        (job,) = of_kind(render((), ("migration.when=during",)), "Job")
        self.assertNotIn("annotations", job["metadata"])
        self.assertTrue(job["metadata"]["name"].endswith("-migrate-1"))
        self.assertEqual(job["spec"]["template"]["spec"]["serviceAccountName"], "prod-toolway")

    def test_services_and_ingresses_lead_somewhere(self):
        def check(objects):
            for one in of_kind(objects, "Service"):
                self.assertEqual(len(chosen(objects, {"matchLabels": one["spec"]["selector"]})), 1)
            services = {one["metadata"]["name"] for one in of_kind(objects, "Service")}
            for one in of_kind(objects, "Ingress"):
                for path in one["spec"]["rules"][0]["http"]["paths"]:
                    self.assertIn(path["backend"]["service"]["name"], services)
                    self.assertNotIn(path["path"], ("/", "/metrics"))
        self.in_every(check)

    def test_the_scraper_finds_a_port_of_every_pod(self):
        objects = render((), ("monitoring.podMonitor.enabled=true",))
        (monitor,) = of_kind(objects, "PodMonitor")
        ports = {one["port"] for one in monitor["spec"]["podMetricsEndpoints"]}
        found = chosen(objects, monitor["spec"]["selector"])
        for name, _, spec, made in pods(objects):
            self.assertIn(name, found)
            if made["kind"] == "Deployment":
                self.assertEqual(len(ports & {one["name"] for one in spec["containers"][0]["ports"]}), 1)

    def test_the_seccomp_profile_of_sandboxes_is_there(self):
        (worker,) = of_kind(example("values-sandbox.yaml"), "Deployment")
        named = worker["spec"]["template"]["spec"]["containers"][0]["securityContext"]["seccompProfile"]["localhostProfile"]
        profile = json.loads((K8S / "seccomp" / named).read_text())
        refused = {name for rule in profile["syscalls"] for name in rule["names"]}
        self.assertFalse(refused & {"unshare", "clone", "clone3", "mount", "umount2", "pivot_root"}, "what bubblewrap needs")
        self.assertLessEqual({"bpf", "keyctl", "kexec_load", "io_uring_setup", "ptrace"}, refused)

    def test_an_example_without_an_own_namespace_names_none(self):
        for file in EXAMPLES:
            for one in render((file,)):
                self.assertNotIn("namespace", one["metadata"])


class Network(unittest.TestCase):
    """Which ports a component may reach, and be reached on."""

    def rules(self, objects, component: str):
        policies = [one["spec"] for one in of_kind(objects, "NetworkPolicy")
                    if any(name.endswith(component) for name in chosen(objects, one["spec"]["podSelector"]))]
        self.assertIn(["Ingress", "Egress"], [one["policyTypes"] for one in policies if "ingress" not in one and "egress" not in one],
                      "denied by default")
        ingress = [rule for one in policies for rule in one.get("ingress", [])]
        egress = [rule for one in policies for rule in one.get("egress", [])]
        return ingress, egress

    def ports(self, rules) -> set:
        return {port["port"] for rule in rules for port in rule.get("ports", [{"port": "every"}])}

    def test_who_talks_to_whom(self):
        objects = render()
        for component, reached_on, reaches in (
                ("gateway", {"http"}, {53, 4222, 5432}), ("collector", {"metrics"}, {53, 4222, 5432}),
                ("worker-native", {"metrics"}, {53, 4222}), ("worker-http", {"metrics"}, {53, 4222, "every"}),
                ("migrate", set(), {53, 4222, 5432})):
            with self.subTest(component=component):
                ingress, egress = self.rules(objects, component)
                self.assertEqual(self.ports(ingress), reached_on)
                self.assertEqual(self.ports(egress), reaches)

    def test_the_internet_is_without_private_addresses(self):
        _, egress = self.rules(render(), "worker-http")
        (internet,) = [rule for rule in egress if "ports" not in rule]
        left_out = {address for to in internet["to"] for address in to["ipBlock"]["except"]}
        self.assertLessEqual({"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7"}, left_out)

    def test_no_worker_reaches_the_database(self):
        for name, objects in renderings():
            if not of_kind(objects, "NetworkPolicy"):
                continue
            for pod, labels, _, _ in pods(objects):
                if labels["app.kubernetes.io/component"] != "worker":
                    continue
                with self.subTest(rendering=name, pod=pod):
                    _, egress = self.rules(objects, pod)
                    self.assertNotIn(5432, self.ports(egress))

    def test_telemetry_opens_its_port(self):
        objects = render((), ("telemetry.otlp.endpoint=http://otel:4318",))
        for component in ("gateway", "collector", "worker-native"):
            self.assertIn(4318, self.ports(self.rules(objects, component)[1]))
        self.assertNotIn(4318, self.ports(self.rules(objects, "migrate")[1]))

    def test_named_callers_are_the_only_ones_beside_the_scraper(self):
        ingress, _ = self.rules(render((), ("networkPolicy.gateway.from[0].podSelector.matchLabels.app=agent",)), "gateway")
        self.assertEqual(ingress[0]["from"][0], {"podSelector": {"matchLabels": {"app": "agent"}}})
        self.assertEqual(len(ingress[0]["from"]), 2)


if __name__ == "__main__":
    unittest.main()

"""What refers to what: selectors, budgets, scaling, and who may talk to whom."""
import collections
import json
import os
import re
import subprocess
import unittest

import yaml

from rendered import CHART, EXAMPLES, K8S, SIDECAR, helm, of_kind, pods, render, renderings, selects

# What proto/subjects.cc call_durable() makes: <pool>-<lane>-<partition>.
DURABLE = re.compile(r"^(?P<pool>[A-Za-z0-9_-]+)-(normal|bulk)-\d+$")


def example(name: str):
    return render((K8S / "examples" / name,))


def value_of(arguments: list, option: str) -> str:
    return arguments[arguments.index(option) + 1]


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

    def test_the_queues_of_a_pool_are_scaled_by_their_sum(self):
        def check(objects):
            for one in of_kind(objects, "ScaledObject"):
                names = [trigger["name"] for trigger in one["spec"]["triggers"]]
                modifiers = one["spec"]["advanced"]["scalingModifiers"]
                self.assertEqual(sorted(modifiers["formula"].split(" + ")), sorted(names))
                self.assertEqual(len(set(names)), len(names))
                self.assertEqual(modifiers["metricType"], "AverageValue")
                for name, trigger in zip(names, one["spec"]["triggers"]):
                    self.assertRegex(name, "^[a-z]+_[0-9]+$", "KEDA reads it as a variable")
                    self.assertTrue(trigger["metadata"]["consumer"].endswith("-" + name.replace("_", "-")))
        self.in_every(check)

    def test_a_replica_is_asked_for_before_the_slots_are_full(self):
        for name in ("values-small.yaml", "values-large.yaml", "values-sandbox.yaml"):
            objects = example(name)
            slots = {}
            for pod, labels, spec, _ in pods(objects):
                arguments = spec["containers"][0]["args"]
                if arguments[0] == "worker":
                    slots[pod] = int(arguments[2].split("=")[1])
            for one in of_kind(objects, "ScaledObject"):
                target = int(one["spec"]["advanced"]["scalingModifiers"]["target"])
                self.assertGreaterEqual(target, 1)
                self.assertLess(target, max(slots[one["metadata"]["name"]], 3), "of one or two slots it may be all")

    def test_every_pool_is_made_by_the_migration(self):
        for name in ("values-small.yaml", "values-large.yaml", "values-kind.yaml"):
            objects = example(name)
            (job,) = of_kind(objects, "Job")
            arguments = job["spec"]["template"]["spec"]["containers"][0]["args"]
            made = value_of(arguments, "--pool").split(",")
            served = [spec["containers"][0]["args"][2].split("=")[0] for _, labels, spec, _ in pods(objects)
                      if labels["app.kubernetes.io/component"] == "worker"]
            self.assertEqual(sorted(made), sorted(served))

    def test_several_deployments_of_a_pool_share_its_queues(self):
        objects = render((), tuple(f"pools.gpu-{which}.{said}" for which in "ab" for said in ("slots=2", "pool=gpu", "partitions=4")))
        (job,) = of_kind(objects, "Job")
        arguments = job["spec"]["template"]["spec"]["containers"][0]["args"]
        self.assertEqual(value_of(arguments, "--pool"), "gpu,http,native,python")
        self.assertEqual(value_of(arguments, "--partitions"), "gpu=4")
        served = [name for name, _, spec, _ in pods(objects) if spec["containers"][0]["args"][2] == "gpu=2"]
        self.assertEqual(served, ["prod-toolway-worker-gpu-a", "prod-toolway-worker-gpu-b"])

    def test_a_gateway_believes_no_proxy_until_it_is_told(self):
        def arguments(*sets):
            (gateway,) = [spec["containers"][0]["args"] for kind, _, spec, _ in pods(render((), sets)) if spec["containers"][0]["args"][0] == "gateway"]
            return gateway
        self.assertNotIn("--trust-user-header", arguments())
        told = arguments("gateway.auth.methods=none", "gateway.trustUserHeader={10.0.0.0/8,loopback}", "gateway.allowOrigins={https://app.example}", "gateway.allowHosts={toolway.example}")
        options = [(told[i], told[i + 1]) for i in range(len(told)) if told[i] in ("--trust-user-header", "--allow-origin", "--allow-host")]
        self.assertEqual(options, [("--trust-user-header", "10.0.0.0/8"), ("--trust-user-header", "loopback"),
                                   ("--allow-origin", "https://app.example"), ("--allow-host", "toolway.example")])
        self.assertNotIn("--public-url", told)
        self.assertEqual(value_of(arguments("gateway.publicUrl=https://a.example"), "--public-url"), "https://a.example")

    def test_callers_of_a_gateway_are_asked_who_they_are(self):
        def gateway(*sets):
            (pod,) = [spec for name, _, spec, _ in pods(render((), sets)) if name.endswith("-gateway")]
            return pod
        arguments = gateway()["containers"][0]["args"]
        self.assertEqual(value_of(arguments, "--auth"), "keys", "unless an operator says otherwise")
        self.assertNotIn("--auth-config", arguments)
        self.assertEqual(value_of(arguments, "--metrics"), "0.0.0.0:9464", "a scraper has no key")
        pod = gateway("gateway.auth.methods=keys\\,jwt", "gateway.auth.configMap=issuers", "gateway.auth.file=mine.yaml")
        arguments = pod["containers"][0]["args"]
        self.assertEqual(value_of(arguments, "--auth"), "keys,jwt")
        (mount,) = [one for one in pod["containers"][0]["volumeMounts"] if one["name"] == "auth"]
        self.assertEqual(value_of(arguments, "--auth-config"), f"{mount['mountPath']}/mine.yaml")
        self.assertIn({"name": "auth", "configMap": {"name": "issuers"}}, pod["volumes"])

    def test_gateways_show_a_durability_only_when_they_are_told(self):
        def arguments(*sets):
            (gateway,) = [spec["containers"][0]["args"] for kind, _, spec, _ in pods(render((), sets)) if spec["containers"][0]["args"][0] == "gateway"]
            return gateway
        self.assertNotIn("--durability", arguments())
        self.assertEqual(value_of(arguments("nats.durability=power"), "--durability"), "power")

    def test_the_migration_is_told_the_durability(self):
        def arguments(*sets):
            (migration,) = [spec["containers"][0]["args"] for _, _, spec, _ in pods(render((), sets)) if spec["containers"][0]["args"][0] == "migrate"]
            return migration
        self.assertNotIn("--durability", arguments())
        self.assertEqual(value_of(arguments("nats.durability=power"), "--durability"), "power")

    def test_every_host_is_served_only_where_no_name_is_given(self):
        def served(*sets):
            (told,) = [spec["containers"][0]["args"] for name, _, spec, _ in pods(render((), sets)) if name.endswith("-gateway")]
            return [told[i + 1] for i in range(len(told)) if told[i] == "--allow-host"]
        self.assertEqual(served(), ["*"], "said on purpose, or every gateway would warn of it")
        self.assertEqual(served("gateway.allowHosts={toolway.example}"), ["toolway.example"])
        self.assertEqual(served("gateway.extraArgs={--allow-host,toolway.example}"), ["toolway.example"])
        self.assertEqual(served("gateway.extraArgs={--allow-host=toolway.example}"), [])

    def test_the_installer_is_told_that_every_host_is_served(self):
        def notes(*sets):
            done = helm("install", "prod", str(CHART), "--dry-run=client", *[part for one in sets for part in ("--set", one)])
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout.split("NOTES:")[1]
        self.assertIn("gateway.allowHosts", notes())
        self.assertNotIn("gateway.allowHosts", notes("gateway.allowHosts={toolway.example}"))

    def test_clients_reach_a_sidecar_and_not_the_gateway(self):
        objects = render((SIDECAR,))
        (pod,) = [spec for name, _, spec, _ in pods(objects) if name == "prod-toolway-gateway"]
        gateway, proxy = pod["containers"]
        self.assertEqual([gateway["name"], proxy["name"]], ["gateway", "proxy"])
        self.assertEqual(proxy["ports"], [{"name": "proxy", "containerPort": 8081}])
        self.assertEqual(value_of(gateway["args"], "--trust-user-header"), "loopback")
        (service,) = of_kind(objects, "Service")
        self.assertEqual([port["targetPort"] for port in service["spec"]["ports"]], ["proxy"])
        (policy,) = [one["spec"] for one in of_kind(objects, "NetworkPolicy") if one["metadata"]["name"] == "prod-toolway-gateway"]
        scraper = [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}]
        self.assertEqual(policy["ingress"], [{"ports": [{"port": "proxy", "protocol": "TCP"}]},
                                             {"ports": [{"port": "metrics", "protocol": "TCP"}], "from": scraper}])
        mounted = {mount["name"] for mount in proxy["volumeMounts"]}
        self.assertLessEqual(mounted, {volume["name"] for volume in pod["volumes"]})
        waits = int(proxy["lifecycle"]["preStop"]["exec"]["command"][1])
        self.assertGreaterEqual(waits, int(gateway["lifecycle"]["preStop"]["exec"]["command"][1]) + 10, "the gateway drains for 10 s")
        self.assertLess(waits, pod["terminationGracePeriodSeconds"])

    def test_callers_of_a_sidecar_are_those_of_the_policy(self):
        objects = render((SIDECAR,), ("networkPolicy.gateway.from[0].podSelector.matchLabels.app=agent",))
        (policy,) = [one["spec"] for one in of_kind(objects, "NetworkPolicy") if one["metadata"]["name"] == "prod-toolway-gateway"]
        self.assertEqual(policy["ingress"][0]["from"], [{"podSelector": {"matchLabels": {"app": "agent"}}}])

    def test_new_files_of_a_sidecar_replace_its_pods(self):
        def noted(*sets):
            (pod,) = [made["spec"]["template"]["metadata"] for name, _, _, made in pods(render((SIDECAR,), sets)) if name.endswith("-gateway")]
            return pod["annotations"]
        self.assertNotEqual(noted(), noted("gateway.extraFiles.other=x"))
        self.assertEqual(noted("podAnnotations.note=x")["note"], "x")

    def test_a_sidecar_may_have_a_security_context_of_its_own(self):
        own = render((), ("gateway.extraContainers[0].name=p", "gateway.extraContainers[0].image=x",
                          "gateway.extraContainers[0].securityContext.readOnlyRootFilesystem=false"))
        (pod,) = [spec for name, _, spec, _ in pods(own) if name.endswith("-gateway")]
        self.assertEqual(pod["containers"][1]["securityContext"], {"readOnlyRootFilesystem": False})

    def test_a_migration_that_failed_leaves_its_log(self):
        for sets in ((), ("migration.when=during",)):
            (job,) = of_kind(render((), sets), "Job")
            self.assertEqual(job["spec"]["template"]["spec"]["restartPolicy"], "Never")
            self.assertNotIn("hook-failed", job["metadata"].get("annotations", {}).get("helm.sh/hook-delete-policy", ""))
            # Pauses double from 10 s: the last try has begun before the deadline ends all.
            self.assertGreater(job["spec"]["activeDeadlineSeconds"], sum(10 * 2 ** n for n in range(job["spec"]["backoffLimit"])))

    def test_the_migration_after_a_restore_is_the_migration_with_another_user(self):
        # As docs/kubernetes.md has it.
        done = helm("template", "toolway", str(CHART), "--namespace", "toolway", "--values", str(K8S / "examples/values-large.yaml"),
                    "--show-only", "templates/migration.yaml", "--set", "fullnameOverride=toolway-restore,nats.keys.migrate=restore",
                    "--set", "migration.when=before,migration.extraArgs={--after-restore}")
        self.assertEqual(done.returncode, 0, done.stderr)
        (job,) = [one for one in yaml.safe_load_all(done.stdout) if one]
        (usual,) = of_kind(example("values-large.yaml"), "Job")
        self.assertEqual(job["metadata"]["name"], "toolway-restore-migrate")
        self.assertEqual(job["spec"]["template"]["spec"]["serviceAccountName"], "default", "there is no other of that name")
        selected = [one for one in of_kind(example("values-large.yaml"), "NetworkPolicy") if one["metadata"]["name"].endswith("-migrate")]
        labels = {**job["spec"]["template"]["metadata"]["labels"], "app.kubernetes.io/instance": "prod"}
        self.assertTrue(selects(selected[0]["spec"]["podSelector"], labels))
        inside, before = (one["spec"]["template"]["spec"]["containers"][0] for one in (job, usual))
        self.assertEqual(inside["args"], before["args"] + ["--after-restore"])
        (url,) = [one["valueFrom"]["secretKeyRef"] for one in inside["env"] if one["name"] == "TOOLWAY_NATS_URL"]
        self.assertEqual(url, {"name": "toolway-nats", "key": "restore"})

    def test_pools_with_machines_of_their_own_are_let_onto_them(self):
        for name, labels, spec, _ in pods(example("values-large.yaml")):
            if "workload" in spec.get("nodeSelector", {}):
                with self.subTest(pod=name):
                    self.assertIn({"key": "workload", "operator": "Equal", "value": "toolway", "effect": "NoSchedule"}, spec["tolerations"])

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


class NatsProbes(unittest.TestCase):
    """A nats-server whose streams hang says ok on every /healthz, and nothing on /jsz."""

    def test_liveness_asks_jetstream(self):
        servers = yaml.safe_load_all((K8S / "examples/kind/servers.yaml").read_text())
        (alone,) = [one for one in servers if one["kind"] == "StatefulSet" and one["metadata"]["name"] == "nats"]
        (container,) = alone["spec"]["template"]["spec"]["containers"]
        chart = yaml.safe_load((K8S / "examples/nats-values.yaml").read_text().replace("<< 2MB >>", "2MB"))
        for given in (container, chart["container"]["merge"]):
            self.assertEqual(given["livenessProbe"]["httpGet"], {"path": "/jsz", "port": "monitor"})
            self.assertGreaterEqual(given["livenessProbe"]["timeoutSeconds"] * given["livenessProbe"]["failureThreshold"], 15)


class NatsUsers(unittest.TestCase):
    """Who is in nats/authorization.conf is everywhere: nats-server does not start when one password is missing."""

    def setUp(self):
        rules = (K8S / "nats/authorization.conf").read_text()
        self.users = dict(re.findall(r"user: (\w+), password: \$(\w+)", rules))
        self.assertEqual(sorted(self.users.values()), sorted(re.findall(r"\$(TOOLWAY_\w+)", rules)))

    def test_the_servers_get_every_password(self):
        given = yaml.safe_load((K8S / "examples/nats-values.yaml").read_text())["container"]["env"]
        self.assertEqual({name: said["valueFrom"]["secretKeyRef"] for name, said in given.items()},
                         {variable: {"name": "toolway-nats-users", "key": user} for user, variable in self.users.items()})

    def test_the_server_takes_the_rules_with_all_passwords_and_not_without_one(self):
        def taken(variables):
            return subprocess.run(["nats-server", "-t", "-c", str(K8S / "nats/authorization.conf")], capture_output=True, text=True,
                                  check=False, env={"PATH": os.environ["PATH"], **dict.fromkeys(variables, "secret")})
        self.assertEqual(taken(self.users.values()).returncode, 0, taken(self.users.values()).stderr)
        for left_out in self.users.values():
            refused = taken(set(self.users.values()) - {left_out})
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn(left_out, refused.stderr)

    def test_the_docs_name_every_user(self):
        text = (K8S.parent / "docs/kubernetes.md").read_text()
        (passwords,) = re.findall(r"has a password for each of ([^.]*)\.", text)
        self.assertEqual(sorted(re.findall(r"`(\w+)`", passwords)), sorted(self.users))
        table = text.split("| user | may |")[1].split("\n\n")[0]
        self.assertEqual(sorted(re.findall(r"^\| `(\w+)`", table, re.M)), sorted(self.users))


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
                ("gateway", {"http", "metrics"}, {53, 4222, 5432}), ("collector", {"metrics"}, {53, 4222, 5432}),
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

    def test_named_callers_are_the_only_ones_besides_the_scraper(self):
        ingress, _ = self.rules(render((), ("networkPolicy.gateway.from[0].podSelector.matchLabels.app=agent",)), "gateway")
        self.assertEqual(ingress[0]["from"], [{"podSelector": {"matchLabels": {"app": "agent"}}}])
        self.assertEqual(self.ports(ingress[1:]), {"metrics"})


if __name__ == "__main__":
    unittest.main()

"""What every pod of every rendering has: restricted security, probes, time to drain, secrets by reference."""
import unittest

from rendered import PLAIN, of_kind, pods, render, renderings

SECRET_VARIABLES = {"TOOLWAY_POSTGRES_URL", "TOOLWAY_SPECS_TOKEN", "OTEL_EXPORTER_OTLP_HEADERS"}
# What a worker needs after --drain, and how long a gateway drains (cli/process/processes.cc).
WORKER_ENDS, GATEWAY_DRAINS = 15, 10
MAY_MOUNT = {"configMap", "emptyDir", "secret", "persistentVolumeClaim", "projected", "downwardAPI", "csi", "ephemeral"}


def beyond_restricted(pod: dict) -> set:
    """Which rules of the Pod Security level `restricted` a pod does not keep."""
    found = set()
    outer = pod.get("securityContext", {})
    if any(pod.get(key) for key in ("hostNetwork", "hostPID", "hostIPC")):
        found.add("host namespaces")
    for volume in pod.get("volumes", []):
        if not set(volume) - {"name"} <= MAY_MOUNT:
            found.add("volumes")
    for container in pod["containers"] + pod.get("initContainers", []):
        inner = container.get("securityContext", {})
        if inner.get("privileged") or inner.get("allowPrivilegeEscalation") is not False:
            found.add("privileges")
        if inner.get("capabilities") != {"drop": ["ALL"]}:
            found.add("capabilities")
        if not inner.get("runAsNonRoot", outer.get("runAsNonRoot")) or not inner.get("runAsUser", outer.get("runAsUser")):
            found.add("user")
        if inner.get("seccompProfile", outer.get("seccompProfile", {})).get("type") not in ("RuntimeDefault", "Localhost"):
            found.add("seccomp")
        if inner.get("procMount", "Default") != "Default":
            found.add("procMount")
        if inner.get("appArmorProfile", {}).get("type") == "Unconfined":
            found.add("AppArmor")
        if any("hostPort" in port for port in container.get("ports", [])):
            found.add("host ports")
    return found


class Pods(unittest.TestCase):
    def of_every_pod(self, check):
        for name, objects in renderings():
            for pod_name, labels, spec, made in pods(objects):
                with self.subTest(rendering=name, pod=pod_name):
                    check(labels, spec, made)

    def test_only_sandboxes_go_beyond_restricted(self):
        sandboxes = []
        def check(labels, spec, _made):
            if labels.get("toolway/pool") == "command":
                sandboxes.append(spec)
                self.assertLessEqual(beyond_restricted(spec), {"seccomp", "procMount", "AppArmor"})
                self.assertIs(spec["hostUsers"], False)
            else:
                self.assertEqual(beyond_restricted(spec), set())
                self.assertNotIn("hostUsers", spec)
        self.of_every_pod(check)
        self.assertGreater(len(sandboxes), 1)

    def test_nothing_is_written_but_to_volumes(self):
        def check(_labels, spec, _made):
            for container in spec["containers"]:
                self.assertIs(container["securityContext"]["readOnlyRootFilesystem"], True)
                self.assertIn("/tmp", [mount["mountPath"] for mount in container["volumeMounts"]])
            for volume in spec["volumes"]:
                if "emptyDir" in volume:
                    self.assertIn("sizeLimit", volume["emptyDir"])
        self.of_every_pod(check)

    def test_no_pod_has_a_token_or_the_namespaces_services(self):
        def check(_labels, spec, _made):
            self.assertIs(spec["automountServiceAccountToken"], False)
            self.assertIs(spec["enableServiceLinks"], False)
        self.of_every_pod(check)

    def test_secrets_are_references(self):
        def check(_labels, spec, _made):
            for variable in spec["containers"][0]["env"]:
                if variable["name"] in SECRET_VARIABLES:
                    self.assertIn("secretKeyRef", variable["valueFrom"])
                elif "value" in variable:
                    self.assertIn(variable["name"], PLAIN)
                    self.assertNotIn("@", variable["value"])
        self.of_every_pod(check)

    def test_each_role_reads_its_own_key(self):
        keys = {}
        def check(labels, spec, _made):
            for variable in spec["containers"][0]["env"]:
                if variable["name"] == "TOOLWAY_NATS_URL" and "valueFrom" in variable:
                    keys.setdefault(labels["app.kubernetes.io/component"], set()).add(variable["valueFrom"]["secretKeyRef"]["key"])
        self.of_every_pod(check)
        self.assertEqual(keys, {role: {role} for role in ("gateway", "worker", "collector", "migrate")})

    def test_only_workers_have_no_database(self):
        def check(labels, spec, _made):
            variables = {variable["name"] for variable in spec["containers"][0]["env"]}
            self.assertEqual("TOOLWAY_POSTGRES_URL" in variables, labels["app.kubernetes.io/component"] != "worker")
        self.of_every_pod(check)

    def test_probes_ask_the_port_that_serves_them(self):
        def check(labels, spec, made):
            container = spec["containers"][0]
            if made["kind"] == "Job":
                self.assertNotIn("livenessProbe", container)
                return
            port = "http" if labels["app.kubernetes.io/component"] == "gateway" else "metrics"
            self.assertIn(port, [one["name"] for one in container["ports"]])
            for probe, path in {"startupProbe": "/livez", "readinessProbe": "/readyz", "livenessProbe": "/livez"}.items():
                self.assertEqual(container[probe]["httpGet"], {"path": path, "port": port})
        self.of_every_pod(check)

    def test_there_is_time_to_drain(self):
        def check(labels, spec, made):
            component = labels["app.kubernetes.io/component"]
            if component == "worker":
                arguments = spec["containers"][0]["args"]
                drains = int(arguments[arguments.index("--drain") + 1])
                self.assertGreaterEqual(drains, 5)
                self.assertEqual(spec["terminationGracePeriodSeconds"], drains + WORKER_ENDS)
            if component == "gateway":
                waits = int(spec["containers"][0]["lifecycle"]["preStop"]["exec"]["command"][1])
                self.assertGreaterEqual(waits, 5)
                self.assertGreater(spec["terminationGracePeriodSeconds"], waits + GATEWAY_DRAINS)
            if made["kind"] == "Deployment":
                self.assertEqual(made["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"], 0)
        self.of_every_pod(check)

    def test_a_pool_with_long_calls_drains_longer(self):
        for grace, drains in ((20, "5"), (45, "30"), (615, "600")):
            (worker,) = [spec for name, _, spec, _ in pods(render((), (f"pools.native.terminationGracePeriodSeconds={grace}",)))
                         if name.endswith("worker-native")]
            arguments = worker["containers"][0]["args"]
            self.assertEqual(arguments[arguments.index("--drain") + 1], drains)

    def test_resources_are_asked_for(self):
        def check(_labels, spec, _made):
            resources = spec["containers"][0]["resources"]
            self.assertEqual(set(resources["requests"]), {"cpu", "memory"})
            self.assertIn("memory", resources["limits"])
        self.of_every_pod(check)

    def test_recommended_labels(self):
        for name, objects in renderings():
            for one in objects:
                with self.subTest(rendering=name, object=one["metadata"]["name"]):
                    labels = one["metadata"]["labels"]
                    for label in ("name", "instance", "version", "part-of", "managed-by"):
                        self.assertIn("app.kubernetes.io/" + label, labels)

    def test_an_image_by_digest(self):
        objects = render((), ("image.registry=registry.example.com/team/", "image.digest=sha256:" + "a" * 64))
        for one in of_kind(objects, "Deployment"):
            self.assertEqual(one["spec"]["template"]["spec"]["containers"][0]["image"],
                             "registry.example.com/team/toolway@sha256:" + "a" * 64)


if __name__ == "__main__":
    unittest.main()

"""Renders the chart with the real helm. TOOLWAY_K8S_TOOLS is where install_tools.sh has put it."""
import functools
import os
import pathlib
import subprocess

import yaml

TOOLS = pathlib.Path(os.environ["TOOLWAY_K8S_TOOLS"])
K8S = pathlib.Path(__file__).resolve().parents[2] / "k8s"
CHART = K8S / "chart" / "toolway"
SIDECAR = K8S.parent / "docs/operations/proxy/sidecar-values.yaml"
EXAMPLES = [SIDECAR, *sorted((K8S / "examples").glob("values-*.yaml"))]
PLAIN = {"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_RESOURCE_ATTRIBUTES", "OTEL_TRACES_SAMPLER_ARG", "TOOLWAY_NATS_URL"}

# Each is rendered alone, all are rendered together, and every example with all of them.
TOGGLES = {
    "scaling": ["poolDefaults.scaling.enabled=true", "nats.monitoring.endpoint=nats-headless.nats.svc:8222"],
    "partitions": ["poolDefaults.scaling.enabled=true", "nats.monitoring.endpoint=nats:8222", "pools.native.partitions=4"],
    "hpa": ["gateway.autoscaling.enabled=true"],
    "ingress": ["gateway.ingress.enabled=true", "gateway.ingress.host=toolway.example.com"],
    "specs": ["gateway.specs.configMaps={tools-a,tools-b}", "gateway.specs.urls={https://specs.example.com/all}",
              "gateway.specs.tokenSecret.name=specs-token", "gateway.specs.environment=staging"],
    "mcp servers": ["gateway.mcp.configMap=mcp-servers", "gateway.mcp.file=all.yaml"],
    "job": ["migration.when=during"],
    "open": ["networkPolicy.enabled=false"],
    "callers": ["networkPolicy.gateway.from[0].podSelector.matchLabels.app=agent"],
    "no budgets": ["podDisruptionBudget.enabled=false"],
    "account": ["serviceAccount.create=false", "serviceAccount.name=mine"],
    "plain nats": ["nats.existingSecret=", "nats.url=nats://nats:4222"],
    "telemetry": ["telemetry.otlp.endpoint=http://otel:4318", "telemetry.otlp.headersSecret.name=otlp"],
    "two of a pool": ["poolDefaults.scaling.enabled=true", "nats.monitoring.endpoint=nats:8222", "pools.gpu-a.slots=2", "pools.gpu-a.pool=gpu",
                      "pools.gpu-a.partitions=2", "pools.gpu-b.slots=4", "pools.gpu-b.pool=gpu", "pools.gpu-b.partitions=2"],
    "monitoring": ["monitoring.podMonitor.enabled=true", "monitoring.prometheusRule.enabled=true",
                   "monitoring.dashboards.enabled=true"],
    "digest": ["image.registry=registry.example.com:5000/team", "image.digest=sha256:" + "0" * 64],
    "sandbox": ["pools.command.slots=4", "pools.command.sandbox.enabled=true",
                "pools.command.sandbox.profiles.default=default"],
    "extras": ["commonLabels.team=agents", "podAnnotations.note=x", "imagePullSecrets[0].name=pull",
               "priorityClassName=high", "nodeSelector.disk=ssd", "pools.python.python.path={/opt/tools}",
               "pools.http.settings.http\\.allow_private=true", "pools.native.toolSecrets=tool-secrets"],
}


def helm(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([TOOLS / "helm", *arguments], capture_output=True, text=True, check=False)


def template(values: tuple = (), sets: tuple = ()) -> subprocess.CompletedProcess:
    """`helm template` of a release `prod` in namespace `agents`."""
    arguments = [argument for file in values for argument in ("--values", str(file))]
    arguments += [argument for one in sets for argument in ("--set", one)]
    return helm("template", "prod", str(CHART), "--namespace", "agents", *arguments)


@functools.lru_cache(maxsize=None)
def render(values: tuple = (), sets: tuple = ()) -> tuple:
    """The objects that a rendering makes. Raises with helm's words."""
    done = template(values, sets)
    if done.returncode != 0:
        raise AssertionError(f"helm template {values} {sets}: {done.stderr}")
    return tuple(one for one in yaml.safe_load_all(done.stdout) if one)


def renderings():
    """(name, objects) of every example and toggle."""
    every = tuple(one for sets in TOGGLES.values() for one in sets)
    yield "defaults", render()
    yield "all toggles", render((), every)
    for name, sets in TOGGLES.items():
        yield name, render((), tuple(sets))
    for example in EXAMPLES:
        yield example.name, render((example,))


def of_kind(objects, kind: str) -> list:
    return [one for one in objects if one["kind"] == kind]


def pods(objects):
    """(name, labels, pod spec, the object) of what makes pods."""
    for one in objects:
        if one["kind"] in ("Deployment", "StatefulSet", "Job"):
            pod = one["spec"]["template"]
            yield one["metadata"]["name"], pod["metadata"]["labels"], pod["spec"], one


def selects(selector: dict, labels: dict) -> bool:
    return all(labels.get(key) == value for key, value in selector.get("matchLabels", {}).items())

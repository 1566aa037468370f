"""Validates objects of KEDA and the Prometheus operator, of which Kubernetes itself has no schemas."""
import json
import pathlib
import subprocess
import tempfile

from rendered import TOOLS

MODELS = {"ScaledObject": "@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject",
          "PodMonitor": "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor",
          "PrometheusRule": "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule"}

VALIDATE = """
for (const one of objects) {
  try { new models[one.kind](one).validate(); }
  catch (mistake) { console.log(one.kind, one.metadata.name, mistake.message); process.exitCode = 1; }
}
"""


def run(*command) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def mistakes(objects) -> str:
    """What is wrong, in words: the schemas' word for values, and TypeScript's for fields that there are not."""
    objects = list(objects)
    with tempfile.TemporaryDirectory(dir=TOOLS / "schemas") as directory:
        here = pathlib.Path(directory)
        imports = "".join(f'import {{ {kind} }} from "{path}";\n' for kind, path in MODELS.items())
        (here / "valid.mjs").write_text(f"{imports}const models = {{ {', '.join(MODELS)} }};\n"
                                        f"const objects = {json.dumps(objects)};\n{VALIDATE}")
        types = "".join(f'import type {{ I{kind} }} from "{path}";\n' for kind, path in MODELS.items())
        (here / "typed.ts").write_text(types + "".join(
            f"const object{n}: I{one['kind']} = {json.dumps(one)};\n" for n, one in enumerate(objects)))
        return run("node", here / "valid.mjs") + run(
            TOOLS / "schemas/node_modules/.bin/tsc", "--noEmit", "--skipLibCheck", "--strict", "--module", "nodenext",
            "--target", "es2022", here / "typed.ts")

"""nginx in the gateway's pod, with the configuration that the chart makes of docs/operations/proxy/sidecar-values.yaml."""

import pathlib
import sys
import unittest

from behind_a_proxy import BehindAProxy, CONFIGURATIONS, NginxProxy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "k8s"))
from rendered import of_kind, pods, render  # noqa: E402

NGINX = sys.argv.pop(1)
PROGRAM = sys.argv.pop(1)
OBJECTS = render((CONFIGURATIONS / "sidecar-values.yaml",))


def containers():
    """Of the gateway's pod, by name, and its volumes by name."""
    (pod,) = [spec for name, _, spec, _ in pods(OBJECTS) if name == "prod-toolway-gateway"]
    return {one["name"]: one for one in pod["containers"]}, {one["name"]: one for one in pod["volumes"]}


class Sidecar(NginxProxy):
    """The file and the command of the container `proxy`; only ports and directories are others."""

    def text(self):
        of, volumes = containers()
        (mount,) = [one for one in of["proxy"]["volumeMounts"] if one["mountPath"] == "/etc/toolway/proxy"]
        named = volumes[mount["name"]]["configMap"]["name"]
        (files,) = [one["data"] for one in of_kind(OBJECTS, "ConfigMap") if one["metadata"]["name"] == named]
        return files[self.configuration]

    def places(self):
        of, _ = containers()
        (port,) = of["proxy"]["ports"]
        (http,) = [one for one in of["gateway"]["ports"] if one["name"] == "http"]
        return [(f"127.0.0.1:{http['containerPort']};", f"{self.gateway};"),
                (f"listen {port['containerPort']};", f"listen 127.0.0.1:{self.port};"),
                ("/etc/toolway/users/users", f"{self.directory}/users"),
                *[(f"/tmp/{name};", f"{self.directory}/{name};") for name in ("nginx.pid", "body", "proxy", "fastcgi", "uwsgi", "scgi")]]

    def command(self):
        self.write_users()
        command = containers()[0]["proxy"]["command"]
        assert command[:3] == ["nginx", "-c", "/etc/toolway/proxy/nginx.conf"], command
        return [NGINX, "-p", self.directory, "-c", self.directory / self.configuration, *command[3:]]


class BehindASidecar(BehindAProxy, unittest.TestCase):
    proxy_type = Sidecar
    program = PROGRAM


if __name__ == "__main__":
    unittest.main(verbosity=2)

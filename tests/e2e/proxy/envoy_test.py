"""The gateway behind Envoy, with the configuration of docs/operations/proxy/envoy.yaml."""

import base64
import hashlib
import subprocess
import sys
import unittest

from behind_a_proxy import BehindAProxy, Proxy

ENVOY = sys.argv.pop(1)
PROGRAM = sys.argv.pop(1)


def hashed(user, password):
    return f"{user}:{{SHA}}{base64.b64encode(hashlib.sha1(password.encode()).digest()).decode()}\n"


class Envoy(Proxy):
    configuration = "envoy.yaml"
    careless = [("skip_xff_append: true", "skip_xff_append: false"), ("[x-forwarded-for, forwarded", "[forwarded")]
    tls = True

    def places(self):
        host, port = self.gateway.rsplit(":", 1)
        return [("address: 127.0.0.1, port_value: 8080", f"address: {host}, port_value: {port}"),
                ("address: 0.0.0.0, port_value: 443", f"address: 127.0.0.1, port_value: {self.port}"),
                ("/etc/envoy/tls.crt", f"{self.directory}/tls.crt"), ("/etc/envoy/tls.key", f"{self.directory}/tls.key"),
                ("/etc/envoy/toolway-users", f"{self.directory}/users")]

    def command(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=toolway.example",
                        "-keyout", self.directory / "tls.key", "-out", self.directory / "tls.crt"], check=True, capture_output=True)
        (self.directory / "users").write_text(hashed("ann", "a") + hashed("bob", "b"))
        return [ENVOY, "-c", self.directory / self.configuration, "--disable-hot-restart", "--concurrency", "1", "--log-level", "warning"]


class BehindEnvoy(BehindAProxy, unittest.TestCase):
    proxy_type = Envoy
    program = PROGRAM
    unknown_host = 404  # Envoy itself knows no such host


if __name__ == "__main__":
    unittest.main(verbosity=2)

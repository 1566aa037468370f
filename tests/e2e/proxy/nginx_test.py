"""The gateway behind nginx, with the configuration of docs/operations/proxy/nginx.conf."""

import base64
import http.client
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[1] / "telemetry"))
from dev_stack import Dev  # noqa: E402

NGINX = sys.argv.pop(1)
PROGRAM = sys.argv.pop(1)
CONFIG = HERE.parents[3] / "docs/operations/proxy/nginx.conf"

MAIN = """daemon off;
{user}
pid {directory}/nginx.pid;
error_log {directory}/error.log;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    include {directory}/toolway.conf;
}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Nginx:
    """nginx with the documented configuration, in front of one gateway; `changes` are made to it before."""

    def __init__(self, gateway, changes=()):
        self.port = free_port()
        self.home = tempfile.TemporaryDirectory(prefix="toolway-nginx-")
        directory = self.home.name
        os.chmod(directory, 0o755)
        text = CONFIG.read_text()
        for old, new in [("127.0.0.1:8080;", f"{gateway};"), ("listen 80;", f"listen 127.0.0.1:{self.port};"),
                         ("/etc/nginx/toolway-users", f"{directory}/users"), *changes]:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        user = "user root;" if os.geteuid() == 0 else ""
        pathlib.Path(directory, "toolway.conf").write_text(text)
        pathlib.Path(directory, "main.conf").write_text(MAIN.format(directory=directory, user=user))
        pathlib.Path(directory, "users").write_text("ann:{PLAIN}a\nbob:{PLAIN}b\n")
        self.log = open(pathlib.Path(directory, "output.log"), "w+")
        self.process = subprocess.Popen([NGINX, "-p", directory, "-c", f"{directory}/main.conf", "-e", f"{directory}/error.log"],
                                        stdout=self.log, stderr=subprocess.STDOUT)

    def __enter__(self):
        deadline = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    self.log.seek(0)
                    raise RuntimeError("nginx did not start:\n" + self.log.read()) from None
                time.sleep(0.02)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)
        self.log.close()
        self.home.cleanup()

    def connect(self, timeout=30):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    @staticmethod
    def headers(user, more=()):
        login = {} if user is None else {"Authorization": "Basic " + base64.b64encode(f"{user}:{user[0]}".encode()).decode()}
        return {"Host": "toolway.example", "Content-Type": "application/json", **login, **dict(more)}

    def ask(self, method, path, body=None, user="ann", headers=()):
        """(status, answer)"""
        connection = self.connect()
        connection.request(method, path, None if body is None else json.dumps(body), self.headers(user, headers))
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        try:
            return answer.status, json.loads(text)
        except ValueError:
            return answer.status, text.decode()


class BehindNginx(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dev = Dev(PROGRAM, "--allow-host", "toolway.example").__enter__()
        cls.gateway = re.sub("^http://", "", cls.dev.ready["http"])
        cls.nginx = Nginx(cls.gateway).__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.nginx.__exit__()
        cls.dev.__exit__()

    def open(self, session, **more):
        status, answer = self.nginx.ask("POST", "/v1/sessions", {"session_id": session, "namespaces": ["time"]}, **more)
        self.assertEqual(status, 201, answer)

    def test_the_user_is_who_logged_in(self):
        self.open("mine", headers={"X-Toolway-User": "bob"})
        self.assertEqual(self.nginx.ask("GET", "/v1/sessions/mine")[0], 200)
        self.assertEqual(self.nginx.ask("GET", "/v1/sessions/mine", user="bob")[0], 404)
        self.assertEqual(self.nginx.ask("GET", "/v1/sessions/mine", user="bob", headers={"X-Toolway-User": "ann"})[0], 404)
        self.assertEqual(self.nginx.ask("GET", "/v1/sessions/mine", user=None)[0], 401)

    def test_what_the_client_says_of_proxies_does_not_pass(self):
        for name in ("X-Forwarded-For", "Forwarded"):
            self.assertEqual(self.nginx.ask("GET", "/v1/workers", headers={name: "for=192.0.2.1"})[0], 200, name)

    def test_a_call_is_waited_for(self):
        self.open("waits")
        status, call = self.nginx.ask("POST", "/v1/sessions/waits/calls", {"tool": "get_current_time"}, headers={"Prefer": "wait=20"})
        self.assertEqual((status, call.get("outcome")), (200, "succeeded"), call)

    def test_events_come_at_once(self):
        self.open("followed")
        connection = self.nginx.connect()
        connection.request("GET", "/v1/sessions/followed/events", headers=self.nginx.headers("ann"))
        stream = connection.getresponse()
        self.assertEqual(stream.status, 200)
        status, call = self.nginx.ask("POST", "/v1/sessions/followed/calls", {"tool": "get_current_time"})
        self.assertEqual(status, 202, call)
        began = time.monotonic()
        seen = b""
        while b"event: completed" not in seen:
            line = stream.readline()
            self.assertTrue(line, "the stream ended")
            seen += line
        self.assertIn(call["call_id"].encode(), seen + stream.readline())
        self.assertLess(time.monotonic() - began, 10, "a comment comes every 15 s: nginx held events back until then")
        connection.close()

    def test_only_the_api_is_offered(self):
        for path in ("/metrics", "/livez", "/readyz", "/"):
            self.assertEqual(self.nginx.ask("GET", path)[0], 404, path)
        self.assertEqual(self.nginx.ask("GET", "/openapi.yaml")[0], 200)

    def test_a_page_of_the_same_origin_may_call_and_no_other(self):
        self.assertEqual(self.nginx.ask("GET", "/v1/workers", headers={"Origin": "https://toolway.example"})[0], 200)
        self.assertEqual(self.nginx.ask("GET", "/v1/workers", headers={"Origin": "https://evil.example"})[0], 403)
        self.assertEqual(self.nginx.ask("GET", "/v1/workers", headers={"Host": "toolway.example.evil"})[0], 421)

    def test_a_proxy_that_says_for_whom_it_asks_is_not_believed(self):
        change = ('X-Forwarded-For ""', "X-Forwarded-For $proxy_add_x_forwarded_for")
        with Nginx(self.gateway, [change]) as careless:
            status, answer = careless.ask("GET", "/v1/workers")
        self.assertEqual(status, 400)
        self.assertIn("--trust-user-header", answer["detail"])


if __name__ == "__main__":
    unittest.main(verbosity=2)

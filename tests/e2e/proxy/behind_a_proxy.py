"""What must hold for a gateway behind any proxy that is configured as docs/operations/behind-a-proxy.md says."""

import base64
import http.client
import json
import os
import pathlib
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[1] / "telemetry"))
from dev_stack import Dev  # noqa: E402

CONFIGURATIONS = HERE.parents[3] / "docs/operations/proxy"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Proxy:
    """A proxy with the documented configuration, in front of one gateway; `changes` are made to it before."""

    configuration = ""  # the name of the file
    careless = ()       # changes with which it says for whom it asks
    tls = False

    def __init__(self, gateway, changes=()):
        self.gateway = gateway
        self.port = free_port()
        self.home = tempfile.TemporaryDirectory(prefix="toolway-proxy-")
        self.directory = pathlib.Path(self.home.name)
        os.chmod(self.directory, 0o755)
        text = self.text()
        for old, new in [*self.places(), *changes]:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        (self.directory / self.configuration).write_text(text)
        self.log = open(self.directory / "output.log", "w+")
        self.process = subprocess.Popen(self.command(), stdout=self.log, stderr=subprocess.STDOUT)

    def text(self):
        """The configuration as it is documented."""
        return (CONFIGURATIONS / self.configuration).read_text()

    def places(self):
        """What of the file is different here: ports, files."""
        raise NotImplementedError

    def command(self):
        """Writes what else the proxy needs."""
        raise NotImplementedError

    def __enter__(self):
        deadline = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    self.log.seek(0)
                    raise RuntimeError("the proxy did not start:\n" + self.log.read()) from None
                time.sleep(0.02)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)
        self.log.close()
        self.home.cleanup()

    def connect(self, timeout=30):
        if not self.tls:
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout, context=context)

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


class NginxProxy(Proxy):
    """nginx, whose users are in a file."""

    configuration = "nginx.conf"
    careless = [('X-Forwarded-For ""', "X-Forwarded-For $proxy_add_x_forwarded_for")]

    def write_users(self):
        (self.directory / "users").write_text("ann:{PLAIN}a\nbob:{PLAIN}b\n")


class BehindAProxy:
    """Mixed into a TestCase, which says which proxy."""

    proxy_type = Proxy
    program = ""
    unknown_host = 421

    @classmethod
    def setUpClass(cls):
        cls.dev = Dev(cls.program, "--allow-host", "toolway.example").__enter__()
        cls.gateway = re.sub("^http://", "", cls.dev.ready["http"])
        cls.proxy = cls.proxy_type(cls.gateway).__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.proxy.__exit__()
        cls.dev.__exit__()

    def open(self, session, **more):
        status, answer = self.proxy.ask("POST", "/v1/sessions", {"session_id": session, "namespaces": ["time"]}, **more)
        self.assertEqual(status, 201, answer)

    def test_the_user_is_who_logged_in(self):
        self.open("mine", headers={"X-Toolway-User": "bob"})
        self.assertEqual(self.proxy.ask("GET", "/v1/sessions/mine")[0], 200)
        self.assertEqual(self.proxy.ask("GET", "/v1/sessions/mine", user="bob")[0], 404)
        self.assertEqual(self.proxy.ask("GET", "/v1/sessions/mine", user="bob", headers={"X-Toolway-User": "ann"})[0], 404)
        self.assertEqual(self.proxy.ask("GET", "/v1/sessions/mine", user=None)[0], 401)

    def test_what_the_client_says_of_proxies_does_not_pass(self):
        for name in ("X-Forwarded-For", "Forwarded"):
            self.assertEqual(self.proxy.ask("GET", "/v1/workers", headers={name: "for=192.0.2.1"})[0], 200, name)

    def test_a_call_is_waited_for(self):
        self.open("waits")
        status, call = self.proxy.ask("POST", "/v1/sessions/waits/calls", {"tool": "get_current_time"}, headers={"Prefer": "wait=20"})
        self.assertEqual((status, call.get("outcome")), (200, "succeeded"), call)

    def test_events_come_at_once(self):
        self.open("followed")
        connection = self.proxy.connect()
        connection.request("GET", "/v1/sessions/followed/events", headers=self.proxy.headers("ann"))
        stream = connection.getresponse()
        self.assertEqual(stream.status, 200)
        status, call = self.proxy.ask("POST", "/v1/sessions/followed/calls", {"tool": "get_current_time"})
        self.assertEqual(status, 202, call)
        began = time.monotonic()
        seen = b""
        while b"event: completed" not in seen:
            line = stream.readline()
            self.assertTrue(line, "the stream ended")
            seen += line
        self.assertIn(call["call_id"].encode(), seen + stream.readline())
        self.assertLess(time.monotonic() - began, 10, "a comment comes every 15 s: the proxy held events back until then")
        connection.close()

    def test_only_the_api_is_offered(self):
        for path in ("/metrics", "/livez", "/readyz", "/"):
            self.assertEqual(self.proxy.ask("GET", path)[0], 404, path)
        self.assertEqual(self.proxy.ask("GET", "/openapi.yaml")[0], 200)
        # With --auth none it has nothing to say, but in a problem of its own.
        status, problem = self.proxy.ask("GET", "/.well-known/oauth-protected-resource/mcp")
        self.assertEqual((status, problem["code"]), (404, "not_found"))
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        self.assertEqual(self.proxy.ask("POST", "/mcp", ping)[0], 400, "it has no session")

    def test_a_page_of_the_same_origin_may_call_and_no_other(self):
        self.assertEqual(self.proxy.ask("GET", "/v1/workers", headers={"Origin": "https://toolway.example"})[0], 200)
        self.assertEqual(self.proxy.ask("GET", "/v1/workers", headers={"Origin": "https://evil.example"})[0], 403)
        self.assertEqual(self.proxy.ask("GET", "/v1/workers", headers={"Host": "toolway.example.evil"})[0], self.unknown_host)

    def test_a_proxy_that_says_for_whom_it_asks_is_not_believed(self):
        with self.proxy_type(self.gateway, self.proxy_type.careless) as careless:
            status, answer = careless.ask("GET", "/v1/workers")
        self.assertEqual(status, 400, answer)
        self.assertIn("--trust-user-header", answer["detail"])

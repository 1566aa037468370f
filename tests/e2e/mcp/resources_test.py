"""Resources that change: files that specs name, and the results of calls, told to clients of both eras. Over a `toolway dev` with the tools of
the conformance pack, and a directory of specs that the tests edit."""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import mcp_clients
from mcp_clients import EVERYTHING, Handshake, ask, messages, open_modern, restart, said, wait_for

PROGRAM = sys.argv.pop(1)
TOOLS = pathlib.Path(__file__).resolve().parent / "tools"
UPDATED = "notifications/resources/updated"
RESOURCES = "notifications/resources/list_changed"
PROMPTS = "notifications/prompts/list_changed"
SUBSCRIPTION = {"io.modelcontextprotocol/subscriptionId": "sub"}
# What a client is promised; a test's own machine may be busy, so a stream is read for longer, and the time is compared.
WITHIN = 2.0
OFFERS = """prompts:
  - {name: hello, messages: [{role: user, content: {type: text, text: "%(prompt)s"}}]}
resources:
  - {uri: "file:///style.md", name: style, file: texts/style.md}
  - {uri: "file:///logo", name: logo, file: texts/logo.png}
  - {uri: "docs://plain", name: plain, title: "%(title)s", text: "%(plain)s"}
  - {uri_template: "docs://{topic}/page", name: page, text: "%(page)s {{topic}}"}
  - {uri: "docs://secret", namespace: %(secret_namespace)s, name: secret, text: "%(secret)s"}
"""
ORIGINAL = {"prompt": "Hello", "title": "", "plain": "one", "page": "About", "secret_namespace": "secrets", "secret": "s1"}
PNG = bytes(range(256))


def setUpModule():
    global specs, dev
    specs = pathlib.Path(tempfile.mkdtemp())
    unittest.addModuleCleanup(shutil.rmtree, specs)
    (specs / "texts").mkdir()
    restore()
    dev = mcp_clients.start(PROGRAM, "--specs", TOOLS, "--python-path", TOOLS, "--specs", specs)


def put(name, content):
    """As careful writers do."""
    temporary = specs / (name + ".new")
    temporary.write_bytes(content if isinstance(content, bytes) else content.encode())
    temporary.rename(specs / name)


def offer(**changes):
    put("offers.yaml", OFFERS % {**ORIGINAL, **changes})


def restore():
    put("texts/style.md", "Two spaces.\n")
    put("texts/logo.png", PNG)
    offer()


def log():
    return "".join(path.read_text(errors="replace") for path in pathlib.Path(dev.directory.name).rglob("*.log"))


class Listening:
    """Notes what a stream says, and when."""

    def __init__(self, answer):
        assert answer.status == 200, answer.read()
        self.answer, self.seen = answer, []
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        try:
            for message in messages(self.answer):
                self.seen.append((time.monotonic(), message))
        except (OSError, ValueError, AttributeError):
            pass

    def told(self, method, uri=None):
        return [when for when, message in self.seen if message.get("method") == method and (uri is None or message["params"].get("uri") == uri)]

    def take(self, method, uri=None, since=0.0):
        """When it was told, after `since`."""
        return wait_for(lambda: [when for when in self.told(method, uri) if when > since], 10)[0]


class Older:
    """A client of 2025-11-25, with its stream."""

    def __init__(self, user="ann", lists=True, uris=()):
        self.client = Handshake(EVERYTHING, user=user)
        self("tools/list")
        self.stream = Listening(self.client.get())
        for uri in uris:
            answer = self("resources/subscribe", {"uri": uri})
            assert answer == {}, answer
        self.meta = None

    def __call__(self, method, params=None):
        return said(self.client.open(method, params or {}))

    def refusal(self, uri):
        return self("resources/subscribe", {"uri": uri})


class Newer:
    """A client of 2026-07-28, with its subscription."""

    def __init__(self, user="ann", uris=()):
        self.user = user
        self("tools/list")
        wanted = {"promptsListChanged": True, "resourcesListChanged": True, "resourceSubscriptions": list(uris)}
        self.stream = Listening(self.listen(wanted))
        acknowledged = wait_for(lambda: self.stream.seen)[0][1]
        assert acknowledged["params"] == {"_meta": SUBSCRIPTION, "notifications": wanted}, acknowledged
        self.meta = SUBSCRIPTION

    def listen(self, wanted):
        return open_modern("subscriptions/listen", {"notifications": wanted}, EVERYTHING, id="sub", user=self.user)

    def __call__(self, method, params=None):
        named = {"Mcp-Name": (params or {}).get("uri") or (params or {}).get("name")}
        named = {name: value for name, value in named.items() if value}
        return said(open_modern(method, params or {}, EVERYTHING, user=self.user, **named))

    def refusal(self, uri):
        return said(self.listen({"resourceSubscriptions": [uri]}))


def content(client, uri):
    return client("resources/read", {"uri": uri})["contents"][0]


class Followed(unittest.TestCase):
    def setUp(self):
        self.addCleanup(self.settle)

    def settle(self):
        restore()
        client = Older()
        texts = [("docs://plain", "one"), ("docs://secret", "s1"), ("docs://a/page", "About a"), ("file:///style.md", "Two spaces.\n")]
        wait_for(lambda: all(client("resources/read", {"uri": uri}).get("contents", [{}])[0].get("text") == text for uri, text in texts))

    def in_time(self, when, began):
        self.assertLess(when - began, WITHIN)

    def test_a_named_file_is_read_and_its_change_is_told(self):
        uri = "file:///style.md"
        clients = [Older(uris=[uri]), Newer(uris=[uri])]
        for client in clients:
            self.assertEqual(content(client, uri), {"uri": uri, "mimeType": "text/markdown", "text": "Two spaces.\n"})
            logo = content(client, "file:///logo")
            self.assertEqual((logo["mimeType"], base64.b64decode(logo["blob"])), ("image/png", PNG))
        began = time.monotonic()
        put("texts/style.md", "Tabs.\n")
        for client in clients:
            self.in_time(client.stream.take(UPDATED, uri), began)
            self.assertEqual(content(client, uri)["text"], "Tabs.\n")
            message = next(message for _, message in client.stream.seen if message.get("method") == UPDATED)
            self.assertEqual(message["params"].get("_meta"), client.meta)
        time.sleep(2.5)
        for client in clients:
            self.assertEqual(len(client.stream.told(UPDATED)), 1, "once, and of nothing else")
            self.assertEqual(client.stream.told(RESOURCES), [])

    def test_lists_and_templates(self):
        clients = [Older(uris=["docs://a/page", "docs://plain"]), Newer(uris=["docs://a/page", "docs://plain"])]
        began = time.monotonic()
        offer(prompt="Hi", title="Titled", page="On")
        for client in clients:
            for method in (PROMPTS, RESOURCES):
                self.in_time(client.stream.take(method), began)
            self.in_time(client.stream.take(UPDATED, "docs://a/page"), began)
            self.assertEqual(content(client, "docs://a/page")["text"], "On a")
            self.assertEqual(client("prompts/get", {"name": "hello"})["messages"][0]["content"]["text"], "Hi")
            self.assertEqual(client.stream.told(UPDATED, "docs://plain"), [], "its title is the list's")

    def test_a_broken_edit_keeps_the_last_good_offers(self):
        clients = [Older(uris=["docs://plain"]), Newer(uris=["docs://plain"])]
        put("offers.yaml", "resources:\n  - {uri: 'docs://plain', name: plain, text: two}\n  - {uri: 'docs://x', name: x, file: ../outside}\n")
        wait_for(lambda: f"{specs}/offers.yaml:3: `file` \"../outside\" leads out of the directory of the spec file" in log(), 10)
        time.sleep(1.5)
        for client in clients:
            self.assertEqual(content(client, "docs://plain")["text"], "one")
            self.assertEqual([message for _, message in client.stream.seen if message.get("method") in (UPDATED, RESOURCES, PROMPTS)], [])
        (specs / "texts/style.md").unlink()
        offer(plain="three")
        wait_for(lambda: "`file` \"texts/style.md\" cannot be read" in log(), 10)
        self.assertEqual(content(clients[0], "docs://plain")["text"], "one")
        put("texts/style.md", "Back.\n")
        for client in clients:
            client.stream.take(UPDATED, "docs://plain")
            self.assertEqual((content(client, "docs://plain")["text"], content(client, "file:///style.md")["text"]), ("three", "Back.\n"))

    def test_one_that_is_removed_is_told_and_unknown(self):
        clients = [Older(uris=["docs://plain"]), Newer(uris=["docs://plain"])]
        put("offers.yaml", (OFFERS % ORIGINAL).replace("docs://plain", "docs://other"))
        for client in clients:
            client.stream.take(UPDATED, "docs://plain")
            client.stream.take(RESOURCES)
            refused = client("resources/read", {"uri": "docs://plain"})
            self.assertEqual((refused["code"], refused["message"]), (-32602, "there is no such resource"))
        self.assertEqual(clients[0]("resources/unsubscribe", {"uri": "docs://plain"}), {}, "of one that has gone, too")

    def test_unsubscribing_stops_it(self):
        client = Older(uris=["docs://plain", "file:///style.md"])
        self.assertEqual(client("resources/unsubscribe", {"uri": "docs://plain"}), {})
        offer(plain="two")
        put("texts/style.md", "Changed.\n")
        client.stream.take(UPDATED, "file:///style.md")
        wait_for(lambda: content(client, "docs://plain")["text"] == "two")
        time.sleep(2)
        self.assertEqual(client.stream.told(UPDATED, "docs://plain"), [])

    def test_another_namespaces_resources_are_never_told(self):
        ask("/v1/sessions", {"session_id": "narrow", "namespaces": ["default"]}, status=201)
        headers = {}
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        with mcp_clients.open_request("/mcp/narrow", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}) as answer:
            headers = {"MCP-Session-Id": answer.headers["MCP-Session-Id"]}

        def narrow(method, params):
            return said(mcp_clients.open_request("/mcp/narrow", {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, **headers))

        stream = Listening(mcp_clients.open_request("/mcp/narrow", None, "GET", Accept="text/event-stream", **headers))
        self.assertEqual(narrow("resources/subscribe", {"uri": "docs://plain"}), {})
        for uri in ("docs://secret", "docs://made-up"):
            refused = [narrow(method, {"uri": uri}) for method in ("resources/subscribe", "resources/read")]
            self.assertEqual([(one["code"], one["message"]) for one in refused], 2 * [(-32602, "there is no such resource")])
        wide = Older(uris=["docs://secret"])
        offer(secret="s2", secret_namespace="secrets")
        wide.stream.take(UPDATED, "docs://secret")
        offer(secret="s2", secret_namespace="elsewhere")
        wide.stream.take(RESOURCES)
        time.sleep(2)
        self.assertEqual(stream.seen, [])

    def test_what_changed_while_no_stream_was_there(self):
        client = Older(uris=["docs://plain"])
        client.stream.answer.close()
        restart("gateway")
        offer(plain="two")
        wait_for(lambda: content(client, "docs://plain")["text"] == "two")
        Listening(client.client.get()).take(UPDATED, "docs://plain")


class Results(unittest.TestCase):
    def running(self, seconds, user="ann"):
        call = ask("/v1/sessions/mcp/calls", {"tool": "default.silent", "arguments": {"seconds": seconds}}, status=202, user=user, **{"Prefer": "wait=0"})
        return f"toolway://calls/{call['call_id']}/result"

    def test_a_result_is_told_once_when_it_is_there(self):
        Older()
        uri = self.running(4)
        clients = [Older(uris=[uri]), Newer(uris=[uri])]
        time.sleep(1.5)
        for client in clients:
            self.assertEqual(client.stream.told(UPDATED), [])
            self.assertIn("no result yet", client("resources/read", {"uri": uri})["message"])
        ended = wait_for(lambda: ask(f"/v1/calls/{uri.split('/')[3]}").get("outcome") == "succeeded" and time.monotonic())
        for client in clients:
            self.assertLess(client.stream.take(UPDATED, uri) - ended, WITHIN)
            self.assertEqual(json.loads(content(client, uri)["text"]), "Done.")
        time.sleep(2.5)
        for client in clients:
            self.assertEqual(len(client.stream.told(UPDATED)), 1)

    def test_only_ones_own_and_only_those_that_there_are(self):
        Older(), Older("bea")
        uri = self.running(3, "bea")
        bent = uri[:-8] + ("1" if uri[-8] == "0" else "0") + uri[-7:]
        clients = [Older(), Newer()]
        for client in clients:
            for other in (uri, bent):
                refused = [client.refusal(other), client("resources/read", {"uri": other})]
                self.assertEqual([(one["code"], one["message"]) for one in refused], 2 * [(-32602, "there is no such resource")])
        theirs = Older("bea", uris=[uri])
        theirs.stream.take(UPDATED, uri)
        for client in clients:
            self.assertEqual(client.stream.told(UPDATED), [])

    def test_one_that_will_never_be(self):
        for client in (Older(), Newer()):
            failed = client("tools/call", {"name": "test_error_handling", "arguments": {}})
            uri = f"toolway://calls/{failed['_meta']['toolway/call_id']}/result"
            self.assertEqual(client.refusal(uri), client("resources/read", {"uri": uri}))
            there = client("tools/call", {"name": "greet", "arguments": {"name": "x"}})
            uri = f"toolway://calls/{there['_meta']['toolway/call_id']}/result"
            (Older if client.meta is None else Newer)(uris=[uri])


class Bounds(unittest.TestCase):
    def test_how_many_and_how_long(self):
        client = Older()
        uris = [f"docs://{i}/page" for i in range(101)]
        for uri in uris[:100]:
            self.assertEqual(client("resources/subscribe", {"uri": uri}), {})
        self.assertIn("100 resources at most", client("resources/subscribe", {"uri": uris[100]})["message"])
        self.assertEqual(client("resources/subscribe", {"uri": uris[0]}), {}, "one that it has")
        self.assertEqual(client("resources/unsubscribe", {"uri": uris[0]}), {})
        self.assertEqual(client("resources/subscribe", {"uri": uris[100]}), {})
        long = [f"docs://{i}{1900 * 'x'}/page" for i in range(3)]
        client, newer = Older(uris=long[:2]), Newer(uris=long[:2])
        self.assertIn("4096 bytes together", client("resources/subscribe", {"uri": long[2]})["message"])
        self.assertIn("4096 bytes together", said(newer.listen({"resourceSubscriptions": long}))["message"])
        self.assertIn("100 resources at most", said(newer.listen({"resourceSubscriptions": uris}))["message"])
        self.assertIn("2048 bytes", client("resources/subscribe", {"uri": f"docs://{2048 * 'x'}/page"})["message"])
        self.assertEqual(said(newer.listen({"resourceSubscriptions": [5]}))["code"], -32602)

    def test_a_large_file_is_read_whole(self):
        put("texts/style.md", 4_000_000 * "y")
        client = Older()
        wait_for(lambda: len(content(client, "file:///style.md")["text"]) == 4_000_000)
        restore()


class Checked(unittest.TestCase):
    def test_specs_check_says_what_is_wrong_with_a_file(self):
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory) / "specs"
            (root / "folder").mkdir(parents=True)
            (root / "escape").symlink_to("/etc/passwd")
            os.mkfifo(root / "fifo")
            (root / "huge").write_bytes(bytes(4 * 1024 * 1024 + 1))
            cases = {"../../etc/passwd": "leads out of the directory of the spec file", "escape": "leads out of the directory of the spec file",
                     "/etc/passwd": "must be a path relative to the spec file", "fifo": "it is not a regular file", "folder": "it is not a regular file",
                     "huge": "has more than 4 MiB", "none": "cannot be read: No such file"}
            text = "resources:\n" + "".join(f"  - {{uri: 'x://{i}', name: x, file: {name}}}\n" for i, name in enumerate(cases))
            (root / "bad.yaml").write_text(text)
            checked = subprocess.run([PROGRAM, "specs", "check", root / "bad.yaml"], capture_output=True, text=True, timeout=30)
            self.assertNotEqual(checked.returncode, 0)
            for line, (name, wrong) in enumerate(cases.items(), 2):
                said = [one for one in (checked.stdout + checked.stderr).splitlines() if f"bad.yaml:{line}: `file` \"{name}\"" in one]
                self.assertEqual(len(said), 1, (name, checked.stdout, checked.stderr))
                self.assertIn(wrong, said[0])


if __name__ == "__main__":
    unittest.main()

"""Which sessions of Toolway an MCP client gets: its own, and those that there are. Over a `toolway dev`."""

import json
import os
import subprocess
import sys
import unittest

import mcp_clients
from mcp_clients import ask

PROGRAM = sys.argv.pop(1)
BEGINS = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
META = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}


def setUpModule():
    mcp_clients.start(PROGRAM)


def say(path, method, params, **headers):
    """The status, the message, and the id of the client's session."""
    with mcp_clients.open_request(path, {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}, **headers) as answer:
        return answer.status, json.loads(answer.read()), answer.headers["MCP-Session-Id"]


def modern(path, method):
    return say(path, method, META, **{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method})


class Sessions(unittest.TestCase):
    def unknown(self, said, name):
        status, message, session = said
        self.assertEqual((status, message["id"], session), (404, 7, None))
        self.assertEqual((message["error"]["code"], message["error"]["data"]), (-32600, {"code": "unknown_session"}))
        self.assertIn(f'you have no session "{name}": open it with `toolway session open {name} -n NAMESPACE`', message["error"]["message"])

    def test_a_mistyped_name_opens_nothing(self):
        self.unknown(say("/mcp/mistyped", "initialize", BEGINS), "mistyped")
        for method in ("server/discover", "tools/list"):
            self.unknown(modern("/mcp/mistyped", method), "mistyped")
        ask("/v1/sessions/mistyped", status=404)

    def test_a_deleted_one_does_not_come_back(self):
        ask("/v1/sessions", {"session_id": "narrow", "namespaces": ["time"]}, 201)
        status, _, session = say("/mcp/narrow", "initialize", BEGINS)
        self.assertEqual(status, 200)
        live = {"MCP-Session-Id": session}
        self.assertEqual([tool["name"] for tool in say("/mcp/narrow", "tools/list", {}, **live)[1]["result"]["tools"]], ["time__get_current_time"])
        with mcp_clients.open_request("/v1/sessions/narrow", None, "DELETE") as answer:
            self.assertEqual(answer.status // 100, 2)
        self.unknown(say("/mcp/narrow", "tools/list", {}, **live), "narrow")
        self.unknown(say("/mcp/narrow", "initialize", BEGINS), "narrow")
        self.unknown(modern("/mcp/narrow", "tools/list"), "narrow")
        ask("/v1/sessions/narrow", status=404)

    def test_ones_own_is_opened_at_first_use(self):
        self.assertEqual(modern("/mcp", "tools/list")[0], 200)
        self.assertEqual(ask("/v1/sessions/mcp")["namespaces"], ["*"])

    def test_a_client_of_the_bridge_is_told_what_to_do(self):
        request = {"jsonrpc": "2.0", "id": 7, "method": "initialize", "params": BEGINS}
        done = subprocess.run([PROGRAM, "mcp", "serve", "--url", mcp_clients.dev.ready["http"], "--session", "mistyped"], text=True,
                              input=json.dumps(request) + "\n", capture_output=True, timeout=30, env={**os.environ, "TOOLWAY_USER": "ann"})
        error = json.loads(done.stdout)["error"]
        self.assertIn("`toolway session open mistyped -n NAMESPACE`", error["message"])


if __name__ == "__main__":
    unittest.main()

"""The results of calls as resources, in both eras. Over a `toolway dev` with the tools of the conformance pack."""

import json
import pathlib
import sys
import unittest

import mcp_clients
from mcp_clients import EVERYTHING, Handshake, ask, open_modern, said, wait_for

PROGRAM = sys.argv.pop(1)
TOOLS = pathlib.Path(__file__).resolve().parent / "tools"


def setUpModule():
    mcp_clients.start(PROGRAM, "--specs", TOOLS, "--python-path", TOOLS)


class Older:
    def __init__(self, user="ann"):
        self.client = Handshake(EVERYTHING, user=user)

    def __call__(self, method, params=None):
        return said(self.client.open(method, params or {}))


class Newer:
    def __init__(self, user="ann"):
        self.user = user

    def __call__(self, method, params=None):
        named = {"Mcp-Name": params["uri"]} if params and "uri" in params else {}
        return said(open_modern(method, params or {}, EVERYTHING, user=self.user, **named))


def uri_of(result):
    return f"toolway://calls/{result['_meta']['toolway/call_id']}/result"


def another(uri):
    """The address of a call that does not exist: one digit differs."""
    call = uri.split("/")[3]
    return uri.replace(call, call[:-1] + ("1" if call[-1] == "0" else "0"))


class Results(unittest.TestCase):
    def test_a_result_is_listed_and_read_in_both_eras(self):
        for client in (Older(), Newer()):
            uri = uri_of(client("tools/call", {"name": "greet", "arguments": {"name": "x"}}))
            listed = wait_for(lambda: next((one for one in client("resources/list")["resources"] if one["uri"] == uri), None))
            self.assertEqual((listed["title"], listed["mimeType"]), ("Result of default.greet", "application/json"))
            read = client("resources/read", {"uri": uri})
            content = read["contents"][0]
            self.assertEqual((content["uri"], content["mimeType"], len(content["text"])), (uri, "application/json", listed["size"]))
            self.assertEqual(json.loads(content["text"]), json.loads(json.dumps(ask(f"/v1/calls/{uri.split('/')[3]}")["result"])))
            self.assertIn("static-text", [one["name"] for one in client("resources/list")["resources"]], "what files offer is on the first page")
            templates = client("resources/templates/list")["resourceTemplates"]
            self.assertIn("toolway://calls/{call_id}/result", [one["uriTemplate"] for one in templates])
            completion = {"ref": {"type": "ref/resource", "uri": "toolway://calls/{call_id}/result"}, "argument": {"name": "call_id", "value": "0"}}
            self.assertEqual(client("completion/complete", completion)["completion"]["values"], [])
        self.assertEqual(Older()("resources/subscribe", {"uri": uri}), {})

    def test_a_large_one_is_a_preview_and_a_link_to_the_whole(self):
        for client in (Older(), Newer()):
            result = client("tools/call", {"name": "large", "arguments": {"bytes": 1_000_000}})
            link = result["content"][-1]
            self.assertEqual((link["type"], link["uri"], link["size"]), ("resource_link", uri_of(result), 1_000_002))
            self.assertLess(len(json.dumps(result)), 100_000)
            self.assertIn(link["uri"], result["content"][-2]["text"])
            self.assertEqual(client("resources/read", {"uri": link["uri"]})["contents"][0]["text"], '"' + 1_000_000 * "x" + '"')

    def test_a_large_one_that_clients_check_is_whole_or_an_error(self):
        """The SDKs refuse a result without structuredContent of a tool with an output schema, unless it is an error."""
        for client in (Older(), Newer()):
            for progress in ({}, {"_meta": {"progressToken": "t"}} if isinstance(client, Older) else {}):
                result = client("tools/call", {"name": "record", "arguments": {"bytes": 1_000_000}, **progress})
                self.assertEqual((result["isError"], result["structuredContent"]), (False, {"text": 1_000_000 * "x"}))
                self.assertEqual(result["content"][-1]["type"], "resource_link")
            result = client("tools/call", {"name": "record", "arguments": {"bytes": 5_000_000}})
            self.assertTrue(result["isError"])
            self.assertNotIn("structuredContent", result)
            self.assertIn("The call succeeded: do not call it again.", result["content"][-2]["text"])
            self.assertIn(f"GET /v1/calls/{result['_meta']['toolway/call_id']}/result", result["content"][-2]["text"])
        client = Handshake(EVERYTHING)
        result = said(client.open("tools/call", {"name": "record", "arguments": {"bytes": 1_000_000}}, Accept="application/json"))
        self.assertEqual(result["structuredContent"], {"text": 1_000_000 * "x"})

    def test_a_large_one_of_a_task_is_whole_in_both_eras(self):
        client = Handshake(EVERYTHING)
        task = said(client.open("tools/call", {"name": "record", "arguments": {"bytes": 1_000_000}, "task": {}}))["task"]["taskId"]
        self.assertEqual(said(client.open("tasks/result", {"taskId": task}))["structuredContent"], {"text": 1_000_000 * "x"})
        tasks = {**EVERYTHING, "extensions": {"io.modelcontextprotocol/tasks": {}}}
        got = said(open_modern("tasks/get", {"taskId": task}, tasks, **{"Mcp-Name": task}))
        self.assertEqual((got["status"], got["result"]["structuredContent"]), ("completed", {"text": 1_000_000 * "x"}))

    def test_what_waits_for_approval_is_an_error_where_clients_check(self):
        for client in (Older(), Newer()):
            for tool, is_error in (("guarded", False), ("guarded_record", True)):
                result = client("tools/call", {"name": tool, "arguments": {"seconds": 0} if tool == "guarded" else {"bytes": 1}})
                self.assertEqual((result["isError"], result["_meta"]["toolway/status"]), (is_error, "awaiting_approval"))
                told = json.loads(result["content"][0]["text"])
                self.assertEqual(told["message"], "Waiting for a person's approval. Do not call it again; check it with tasks__check_task_status, "
                                                  f"call_id {told['call_id']}.")
        ask("/v1/sessions", {"session_id": "narrow", "namespaces": ["default"]}, 201)
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "guarded", "arguments": {"seconds": 0}, "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                                                                      "io.modelcontextprotocol/clientCapabilities": {}}}}
        result = said(mcp_clients.open_request("/mcp/narrow", body, **{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call",
                                                                       "Mcp-Name": "guarded"}))
        self.assertIn(f"its result is the resource {uri_of(result)}.", result["content"][0]["text"])

    def test_what_is_not_there_is_refused(self):
        for client in (Older(), Newer()):
            result = client("tools/call", {"name": "large", "arguments": {"bytes": 5_000_000}})
            refused = client("resources/read", {"uri": uri_of(result)})
            self.assertEqual(refused["code"], -32602)
            self.assertIn("5000002 bytes", refused["message"])
            failed = client("tools/call", {"name": "test_error_handling", "arguments": {}})
            self.assertIn("has no result", client("resources/read", {"uri": uri_of(failed)})["message"])
            ok = uri_of(client("tools/call", {"name": "greet", "arguments": {"name": "x"}}))
            for other, uri in ((type(client)("bea"), ok), (client, another(ok)), (client, "toolway://calls/x/result")):
                refused = other("resources/read", {"uri": uri})
                self.assertEqual((refused["code"], refused["message"]), (-32602, "there is no such resource"), uri)
            self.assertEqual(client("resources/list", {"cursor": "x"})["code"], -32602)

    def test_older_ones_are_on_further_pages(self):
        client = Older("erin")
        uris = {uri_of(client("tools/call", {"name": "greet", "arguments": {"name": "x"}})) for _ in range(105)}
        wait_for(lambda: ask("/v1/calls?state=completed&limit=1", user="erin")["calls"])
        seen, cursor = [], None
        while True:
            page = client("resources/list", {"cursor": cursor} if cursor else {})
            seen += [one["uri"] for one in page["resources"] if one["uri"].startswith("toolway:")]
            cursor = page.get("nextCursor")
            if not cursor:
                break
        self.assertEqual((len(seen), set(seen)), (105, uris))


if __name__ == "__main__":
    unittest.main()

"""Operations that come from the Model Context Protocol, asked as the others are."""

import json
import time
import urllib.request


class FromMcp:
    """A part of the class that asks for every operation."""

    def answer_a_question(self):
        """A tool that asks, and is answered."""
        self.ask("openSession", "/v1/sessions", {"session_id": "asks", "namespaces": ["default"]}, 201)
        call = self.ask("callTool", "/v1/sessions/asks/calls", {"tool": "confirm_delete", "arguments": {"filename": "a.txt"}}, 202)["call_id"]
        answer = {"answers": {"confirm": {"action": "accept", "content": {"confirm": True}}}}
        deadline = time.monotonic() + 30
        while not any(event["type"] == "input_requested" for event in self.ask("listCallEvents", f"/v1/calls/{call}/events")["events"]):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
        self.ask("answerCall", f"/v1/calls/{call}/input", {"answers": {}}, 422)
        self.ask("answerCall", f"/v1/calls/{call}/input", {"answers": {"confirm": {"action": "accept", "content": {}}}}, 422)
        self.ask("answerCall", f"/v1/calls/{call}/input", {"answers": {"other": {"action": "cancel"}}}, 409)
        self.assertEqual(self.ask("answerCall", f"/v1/calls/{call}/input", answer), {"call_id": call, "waiting": []})
        self.follow(f"/v1/calls/{call}/events?after=0", ["started", "input_requested", "input_provided", "completed"])
        self.ask("answerCall", f"/v1/calls/{call}/input", answer, 409)

    def mcp_session(self, path, params):
        request = urllib.request.Request(self.dev.ready["http"] + path, json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).encode(),
                                         {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "X-Toolway-User": "ann"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.headers["MCP-Session-Id"]

    def speak_mcp(self):
        """One message of each kind, in both eras."""
        begin = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
        self.ask("postMcp", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": begin})
        self.ask("postMcp", "/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, 202)
        self.ask("postMcp", "/mcp", {"id": 1}, 400)
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
        listing = {"jsonrpc": "2.0", "id": "a", "method": "tools/list", "params": {"_meta": meta}}
        self.ask("postMcpOfSession", "/mcp/talk", listing, mcp_protocol_version="2026-07-28", mcp_method="tools/list")
        self.ask("postMcpOfSession", "/mcp/talk", listing, 400, mcp_protocol_version="2026-07-28", mcp_method="ping")
        for of, path in (("", "/mcp"), ("OfSession", "/mcp/talk")):
            self.ask(f"getMcp{of}", path, status=406)
            self.ask(f"getMcp{of}", path, status=400, accept="text/event-stream")
            self.ask(f"getMcp{of}", path, status=405, mcp_protocol_version="2026-07-28")
            session = self.mcp_session(path, begin)
            self.ask(f"getMcp{of}", path, status=400, accept="text/event-stream", mcp_session_id=session, last_event_id="x")
            self.ask(f"endMcp{of}", path, status=204, mcp_session_id=session)
            self.ask(f"endMcp{of}", path, status=404, mcp_session_id=session)
        # A gateway with --auth none has nothing to say of credentials.
        for resource, path in (("", ""), ("Mcp", "/mcp"), ("McpSession", "/mcp/talk")):
            self.ask(f"get{resource}ResourceMetadata", "/.well-known/oauth-protected-resource" + path, status=404)

"""What openapi_test.py asks of /mcp, and of what MCP clients read first."""

BEGIN = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


def speak_mcp(ask):
    """One message of each kind, in both eras. `ask`: of the test."""
    ask("postMcp", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": BEGIN})
    ask("postMcp", "/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, 202)
    ask("postMcp", "/mcp", {"id": 1}, 400)
    listing = {"jsonrpc": "2.0", "id": "a", "method": "tools/list", "params": {"_meta": META}}
    ask("postMcpOfSession", "/mcp/talk", listing, mcp_protocol_version="2026-07-28", mcp_method="tools/list")
    ask("postMcpOfSession", "/mcp/talk", listing, 400, mcp_protocol_version="2026-07-28", mcp_method="ping")
    # A gateway with --auth none has nothing to say of credentials.
    for resource, path in (("", ""), ("Mcp", "/mcp"), ("McpSession", "/mcp/talk")):
        ask(f"get{resource}ResourceMetadata", "/.well-known/oauth-protected-resource" + path, status=404)

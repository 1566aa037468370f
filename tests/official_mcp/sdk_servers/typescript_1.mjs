// A server with the official TypeScript SDK 1.x: MODULES `stdio`, or MODULES `http` FILE, where its port goes.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { renameSync, writeFileSync } from "node:fs";

const [modules, how, portFile] = process.argv.slice(2);
const require = createRequire(modules + "/");
const { McpServer } = require("@modelcontextprotocol/sdk/server/mcp.js");
const { StdioServerTransport } = require("@modelcontextprotocol/sdk/server/stdio.js");
const { StreamableHTTPServerTransport } = require("@modelcontextprotocol/sdk/server/streamableHttp.js");
const { z } = require("zod");

function makeServer() {
  const server = new McpServer({ name: "typescript", version: "1" });
  server.registerTool("add", { description: "Adds two numbers.", inputSchema: { a: z.number(), b: z.number() } },
    async ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }));
  server.registerTool("refuse", { description: "Fails, for that reason.", inputSchema: { reason: z.string() } },
    async ({ reason }) => { throw new Error(reason); });
  return server;
}

if (how === "stdio") {
  await makeServer().connect(new StdioServerTransport());
} else {
  const sessions = new Map();
  const listener = createServer(async (request, response) => {
    let transport = sessions.get(request.headers["mcp-session-id"]);
    if (!transport) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID, onsessioninitialized: (id) => sessions.set(id, transport),
      });
      await makeServer().connect(transport);
    }
    await transport.handleRequest(request, response);
  }).listen(0, "127.0.0.1", () => {
    writeFileSync(portFile + ".part", String(listener.address().port));
    renameSync(portFile + ".part", portFile);
  });
}

// A server with the official TypeScript SDK 2.x: MODULES `stdio`, or MODULES `http` FILE, where its port goes.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { renameSync, writeFileSync } from "node:fs";

const [modules, how, portFile] = process.argv.slice(2);
const require = createRequire(modules + "/");
const { McpServer, createMcpHandler } = require("@modelcontextprotocol/server");
const { serveStdio } = require("@modelcontextprotocol/server/stdio");
const { toNodeHandler } = require("@modelcontextprotocol/node");
const { z } = require("zod");

function makeServer() {
  const server = new McpServer({ name: "typescript", version: "2" });
  server.registerTool("add", { description: "Adds two numbers.", inputSchema: z.object({ a: z.number(), b: z.number() }) },
    async ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }));
  server.registerTool("refuse", { description: "Fails, for that reason.", inputSchema: z.object({ reason: z.string() }) },
    async ({ reason }) => { throw new Error(reason); });
  return server;
}

if (how === "stdio") {
  serveStdio(makeServer);
} else {
  const listener = createServer(toNodeHandler(createMcpHandler(makeServer))).listen(0, "127.0.0.1", () => {
    writeFileSync(portFile + ".part", String(listener.address().port));
    renameSync(portFile + ".part", portFile);
  });
}

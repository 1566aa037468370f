import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createTaskSessionFromClient, resultFromTaskOutcome, toolDeclarationFromMcpTool } from "@modelcontextprotocol/ext-tasks/client";
import { pause, revision, run, schemasOf, slow, textOf, url } from "./cells.mjs";

const modern = revision === "2026-07-28";
const clientInfo = { name: "clients", version: "1" };
const clientCapabilities = { elicitation: { form: {} } };
const asked = [];
const client = new Client(clientInfo, { capabilities: clientCapabilities, versionNegotiation: { mode: modern ? { pin: revision } : "legacy" } });
client.setRequestHandler("elicitation/create", (request) => {
  asked.push(request.params.message);
  return { action: "accept", content: { confirm: true } };
});
const transport = new StreamableHTTPClientTransport(new URL(url));
await client.connect(transport);

// In 2026-07-28 the package for tasks wants a way past the SDK's own decoding: over the same transport, by ids of its own.
function rawDispatch() {
  const waiting = new Map();
  const receive = transport.onmessage;
  transport.onmessage = (message, extra) => {
    const answer = waiting.get(message.id);
    if (!answer) return receive(message, extra);
    waiting.delete(message.id);
    answer("error" in message ? { kind: "error", error: message.error } : { kind: "result", result: message.result });
  };
  let last = 0;
  return (request, { signal } = {}) => new Promise((resolve, reject) => {
    const id = "raw-" + ++last;
    waiting.set(id, resolve);
    transport.send({ jsonrpc: "2.0", id, ...request }, { requestSignal: signal }).catch(reject);
  });
}

async function tasks() {
  const { tools } = await client.listTools();
  const declarations = new Map(tools.map((tool) => [tool.name, toolDeclarationFromMcpTool(tool)]));
  return createTaskSessionFromClient(client, {
    endpointId: "toolway",
    tools: { currentTool: (name) => declarations.get(name) },
    ...(modern ? { rawDispatch: rawDispatch(), v2RequestFraming: { protocolVersion: revision, clientInfo, clientCapabilities } } : {}),
  });
}

async function begin(session, seconds) {
  const execution = await session.callTool("slow_compute", { seconds }, { task: { preference: modern ? "allow" : "require" } });
  if (execution.kind !== "task") throw new Error("no task but an execution of kind " + execution.kind);
  return execution;
}

await run({
  list: async () => ({ tools: schemasOf((await client.listTools()).tools) }),
  call: async () => ({ text: textOf(await client.callTool({ name: "greet", arguments: { name: "Ann" } })) }),
  async progress() {
    const progress = [];
    const result = await client.callTool(slow(1), { onprogress: (said) => progress.push(said.progress) });
    return { progress, text: textOf(result) };
  },
  async question() {
    const result = await client.callTool({ name: "confirm_delete", arguments: { filename: "a.txt" } });
    return { asked, text: textOf(result) };
  },
  async task() {
    const execution = await begin(await tasks(), 2);
    const statuses = [];
    const { outcome } = await execution.settle({ onEvent: (event) => event.type === "task" && statuses.push(event.task.status) });
    return { task: execution.handle.taskId, statuses, text: textOf(resultFromTaskOutcome(outcome)) };
  },
  async begin(seconds) {
    const execution = await begin(await tasks(), Number(seconds));
    await execution.detach();
    return { task: execution.handle.taskId };
  },
  async finish(...ids) {
    const session = await tasks();
    const texts = {};
    for (const id of ids) texts[id] = textOf(resultFromTaskOutcome(await session.task(id).result()));
    return { texts };
  },
  async cancel() {
    const cancelling = new AbortController();
    const call = client.callTool(slow(20), { signal: cancelling.signal }).catch(() => "given up");
    await pause({});
    cancelling.abort();
    await pause({ call: await call });
    return {};
  },
  async cancel_task() {
    const execution = await begin(await tasks(), 20);
    await pause({});
    await execution.cancel();
    await pause({ status: "cancelled" });
    return {};
  },
});

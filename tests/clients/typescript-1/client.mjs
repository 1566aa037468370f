import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { pause, run, schemasOf, slow, textOf, url } from "./cells.mjs";

const asked = [];
const client = new Client({ name: "clients", version: "1" }, { capabilities: { elicitation: {} } });
client.setRequestHandler(ElicitRequestSchema, (request) => {
  asked.push(request.params.message);
  return { action: "accept", content: { confirm: true } };
});

await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const tasks = client.experimental.tasks;

async function begin(seconds) {
  for await (const message of tasks.callToolStream(slow(seconds), CallToolResultSchema, { task: { ttl: 60000 } })) {
    if (message.type === "taskCreated") return message.task.taskId;
    throw new Error("no task but " + JSON.stringify(message));
  }
}

await run({
  list: async () => ({ tools: schemasOf((await client.listTools()).tools) }),
  call: async () => ({ text: textOf(await client.callTool({ name: "greet", arguments: { name: "Ann" } })) }),
  async progress() {
    const progress = [];
    const result = await client.callTool(slow(1), undefined, { onprogress: (said) => progress.push(said.progress) });
    return { progress, text: textOf(result) };
  },
  async question() {
    const result = await client.callTool({ name: "confirm_delete", arguments: { filename: "a.txt" } });
    return { asked, text: textOf(result) };
  },
  async task() {
    const seen = { statuses: [] };
    for await (const message of tasks.callToolStream(slow(2), CallToolResultSchema, { task: { ttl: 60000 } })) {
      if (message.type === "taskCreated") seen.task = message.task.taskId;
      if (message.type === "taskStatus") seen.statuses.push(message.task.status);
      if (message.type === "result") seen.text = textOf(message.result);
      if (message.type === "error") throw message.error;
    }
    return seen;
  },
  begin: async (seconds) => ({ task: await begin(Number(seconds)) }),
  async finish(...ids) {
    const texts = {};
    for (const id of ids) texts[id] = textOf(await tasks.getTaskResult(id, CallToolResultSchema));
    return { texts };
  },
  async cancel() {
    const cancelling = new AbortController();
    const call = client.callTool(slow(20), undefined, { signal: cancelling.signal }).catch(() => "given up");
    await pause({});
    cancelling.abort();
    await pause({ call: await call });
    return {};
  },
  async cancel_task() {
    const task = await begin(20);
    await pause({});
    await pause({ status: (await tasks.cancelTask(task)).status });
    return {};
  },
});

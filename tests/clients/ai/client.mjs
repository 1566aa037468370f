import { createMCPClient, ElicitationRequestSchema } from "@ai-sdk/mcp";
import { generateText, isStepCount } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { pause, revision, run, url } from "./cells.mjs";

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const client = await createMCPClient({
  transport: { type: "http", url },
  capabilities: { elicitation: {} },
  protocolVersionDiscovery: revision === "2026-07-28",
});
const asked = [];
client.onElicitationRequest(ElicitationRequestSchema, (request) => {
  asked.push(request.params.message);
  return { action: "accept", content: { confirm: true } };
});

// What the model was offered, and the text that it got from the tool it called.
async function agent(toolName, input, abortSignal) {
  const turns = [];
  const model = new MockLanguageModelV4({
    doGenerate: async (options) => {
      turns.push(options);
      return turns.length === 1
        ? { content: [{ type: "tool-call", toolCallId: "1", toolName, input: JSON.stringify(input) }], finishReason: { unified: "tool-calls" }, usage, warnings: [] }
        : { content: [{ type: "text", text: "Done." }], finishReason: { unified: "stop" }, usage, warnings: [] };
    },
  });
  const { text } = await generateText({ model, tools: await client.tools(), prompt: "Do it.", stopWhen: isStepCount(3), abortSignal });
  if (text !== "Done.") throw new Error("the model's turns were not played: " + text);
  const [result] = turns[1].prompt.at(-1).content;
  return { offered: turns[0].tools, text: result.output.value[0].text };
}

await run({
  async list() {
    const { offered } = await agent("greet", { name: "Ann" });
    return { tools: Object.fromEntries(offered.map((tool) => [tool.name, tool.inputSchema])) };
  },
  call: async () => ({ text: (await agent("greet", { name: "Ann" })).text }),
  question: async () => ({ text: (await agent("confirm_delete", { filename: "a.txt" })).text, asked }),
  async cancel() {
    const cancelling = new AbortController();
    const call = agent("slow_compute", { seconds: 20 }, cancelling.signal).catch(() => "given up");
    await pause({});
    cancelling.abort();
    await pause({ call: await call });
    return {};
  },
});

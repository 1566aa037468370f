// SDKs of models and of agents: each asks a face of Toolway, or runs a loop of its own with a session's tools. Lines of input and output are
// those of ../models-python/client.py.
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";

const [sdk, api, toolwayUrl] = process.argv.slice(2);
const formats = { chat: "openai", responses: "openai-responses", messages: "anthropic" };
const inlineMs = 300;
const maxTokens = 1024;
const onFace = ["face", "stream", "own_tools"];
const apiKey = (api === "messages" ? process.env.ANTHROPIC_API_KEY : process.env.OPENAI_API_KEY) || "none";
const ownSchema = { type: "object", properties: {}, additionalProperties: false };

// A session of Toolway with the namespace of the test.
class Session {
  constructor(id, format) {
    this.id = id;
    this.format = format;
    this.path = `${toolwayUrl}/v1/sessions/${encodeURIComponent(id)}`;
  }
  async ask(url, body, key) {
    const more = key ? { "Idempotency-Key": key } : {};
    const answer = await fetch(url, body && { method: "POST", headers: { "Content-Type": "application/json", ...more }, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }
  async tools() {
    await this.ask(`${toolwayUrl}/v1/sessions`, { session_id: this.id, namespaces: ["shop"] });
    return (await this.ask(`${this.path}/tools?format=${this.format}`)).tools;
  }
  async run(message, key) {
    return (await this.ask(`${this.path}/tool_calls?format=${this.format}&inline_ms=${inlineMs}`, message, key)).messages;
  }
  // For SDKs that have a loop themselves and run their tools one by one: the text of a call's result.
  async runOne(name, args) {
    const call = { id: randomUUID(), type: "function", function: { name, arguments: args } };
    const [result] = await this.run({ role: "assistant", content: null, tool_calls: [call] }, call.id);
    return result.content;
  }
}

// SDKs that only speak with a model. `ask` gives what goes into the history, the body for tool_calls if there are calls, and the text.
async function openAi({ base, headers }) {
  const { default: OpenAI } = await import("openai");
  return new OpenAI({ baseURL: base + "/v1", apiKey, defaultHeaders: headers, maxRetries: 0 });
}

const models = {
  async chat(job) {
    const [client, { model }] = [await openAi(job), job];
    return {
      ownTools: [{ type: "function", function: { name: "own", parameters: ownSchema } }],
      async ask(messages, tools) {
        const { message } = (await client.chat.completions.create({ model, messages, ...(tools.length ? { tools } : {}) })).choices[0];
        return [[message], message.tool_calls?.length ? message : null, message.content];
      },
      stream: (messages) => client.chat.completions.stream({ model, messages }).finalContent(),
    };
  },
  async responses(job) {
    const [client, { model }] = [await openAi(job), job];
    return {
      ownTools: [{ type: "function", name: "own", parameters: ownSchema, strict: false }],
      async ask(input, tools) {
        const reply = await client.responses.create({ model, input, tools, store: false, include: ["reasoning.encrypted_content"] });
        const calls = reply.output.some((item) => item.type === "function_call");
        return [reply.output, calls ? reply.output : null, reply.output_text];
      },
      stream: async (input) => (await client.responses.stream({ model, input, store: false }).finalResponse()).output_text,
    };
  },
  async messages({ base, headers, model }) {
    const { default: Anthropic } = await import("@anthropic-ai/sdk");
    const client = new Anthropic({ baseURL: base, apiKey, defaultHeaders: headers, maxRetries: 0 });
    return {
      ownTools: [{ name: "own", input_schema: ownSchema }],
      async ask(messages, tools) {
        const reply = await client.messages.create({ model, max_tokens: maxTokens, messages, tools });
        const message = { role: "assistant", content: reply.content };
        const text = reply.content.map((block) => (block.type === "text" ? block.text : "")).join("");
        return [[message], reply.stop_reason === "tool_use" ? message : null, text];
      },
      stream: (messages) => client.messages.stream({ model, max_tokens: maxTokens, messages }).finalText(),
    };
  },
};

// The loop around them is this one.
async function plain(job) {
  const { ask, stream, ownTools } = await models[api](job);
  const asked = [{ role: "user", content: job.prompt }];
  return {
    face: async () => (await ask(asked, []))[2],
    stream: () => stream(asked),
    own_tools: async () => (await ask(asked, ownTools))[2],
    async loop() {
      const session = new Session(job.session, formats[api]);
      const [history, tools] = [[...asked], await session.tools()];
      for (;;) {
        const [said, calls, text] = await ask(history, tools);
        history.push(...said);
        if (!calls) return text;
        history.push(...(await session.run(calls, `${job.session}-${history.length}`)));
      }
    },
  };
}

// The AI SDK.
async function ai({ base, headers, model, prompt, session: id }) {
  const { generateText, isStepCount, jsonSchema, streamText, tool } = await import("ai");
  const provider = api === "messages"
    ? (await import("@ai-sdk/anthropic")).createAnthropic({ baseURL: base + "/v1", apiKey, headers })
    : (await import("@ai-sdk/openai")).createOpenAI({ baseURL: base + "/v1", apiKey, headers });
  const of = api === "messages" ? provider(model) : provider[api](model);
  const options = { model: of, prompt, maxRetries: 0, ...(api === "responses" ? { providerOptions: { openai: { store: false } } } : {}) };
  const made = (description, schema, execute) => tool({ description, inputSchema: jsonSchema(schema), execute });
  return {
    face: async () => (await generateText(options)).text,
    stream: () => streamText(options).text,
    own_tools: async () => (await generateText({ ...options, tools: { own: made("Of the client.", ownSchema) } })).text,
    async loop() {
      const session = new Session(id, "openai");
      const tools = Object.fromEntries((await session.tools()).map(({ function: { name, description, parameters } }) =>
        [name, made(description, parameters, (input) => session.runOne(name, JSON.stringify(input)))]));
      return (await generateText({ ...options, tools, stopWhen: isStepCount(5) })).text;
    },
  };
}

// @openai/agents.
async function agents(job) {
  const sdkOfAgents = await import("@openai/agents");
  const { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, run, setTracingDisabled, tool } = sdkOfAgents;
  setTracingDisabled(true);
  const of = new (api === "chat" ? OpenAIChatCompletionsModel : OpenAIResponsesModel)(await openAi(job), job.model);
  const agent = (tools = []) => new Agent({ name: "client", model: of, tools });
  const made = (name, description, parameters, execute) => tool({ name, description, parameters, strict: false, execute });
  return {
    face: async () => (await run(agent(), job.prompt)).finalOutput,
    async stream() {
      const result = await run(agent(), job.prompt, { stream: true });
      let text = "";
      for await (const part of result.toTextStream()) text += part;
      return text;
    },
    own_tools: async () => (await run(agent([made("own", "Of the client.", ownSchema, () => "")]), job.prompt)).finalOutput,
    async loop() {
      const session = new Session(job.session, "openai");
      const tools = (await session.tools()).map(({ function: { name, description, parameters } }) =>
        made(name, description, parameters, (input) => session.runOne(name, typeof input === "string" ? input : JSON.stringify(input))));
      return (await run(agent(tools), job.prompt)).finalOutput;
    },
  };
}

const client = sdk === "@openai/agents" ? agents : sdk.startsWith("@ai-sdk/") ? ai : plain;

async function done(job) {
  const headers = onFace.includes(job.cell) ? { "X-Toolway-Session": job.session } : {};
  try {
    const made = await client({ ...job, headers });
    return { text: await (onFace.includes(job.cell) ? made[job.cell]() : made.loop()) };
  } catch (error) {
    return { error: String(error), status: error.status ?? error.statusCode };
  }
}

for await (const line of createInterface({ input: process.stdin })) console.log(JSON.stringify(await done(JSON.parse(line))));
process.exit(0);

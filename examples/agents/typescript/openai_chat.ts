// An agent on OpenAI's Chat Completions, or any server that speaks them (OPENAI_BASE_URL), with Toolway's tools.
import { parseArgs } from "node:util";

import OpenAI from "openai";

import { Conversation, converse, type Model } from "./agent_loop.js";
import { Session } from "./toolway_session.js";

type Message = OpenAI.ChatCompletionMessageParam;
type Tool = OpenAI.ChatCompletionTool;

const USAGE = `usage: node openai_chat.js MESSAGE [--session NAME] [--namespace NAMESPACE]… [--conversation FILE] [--model NAME]
                            [--inline-ms MS] [--url URL]`;

function modelNamed(name: string): Model<Tool, Message> {
  const client = new OpenAI(); // OPENAI_API_KEY, OPENAI_BASE_URL
  return async (messages, tools) => {
    const reply = await client.chat.completions.create({ model: name, messages, ...(tools.length > 0 ? { tools } : {}) });
    const said = reply.choices[0]?.message;
    if (!said) throw new Error("the model said nothing");
    const { content, tool_calls } = said;
    return { message: { role: "assistant", content, ...(tool_calls ? { tool_calls } : {}) }, text: content };
  };
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      session: { type: "string", default: "agent" },
      namespace: { type: "string", multiple: true, default: ["default"] },
      conversation: { type: "string" },
      model: { type: "string", default: process.env["MODEL"] ?? "gpt-5-mini" },
      "inline-ms": { type: "string" },
      url: { type: "string", default: process.env["TOOLWAY_URL"] ?? "http://127.0.0.1:8080" },
    },
  });
  const [message] = positionals;
  if (message === undefined) throw new Error(USAGE);
  const session = await Session.open<Tool, Message>(values.url, values.session, values.namespace, "openai", process.env["TOOLWAY_USER"]);
  const inlineMs = values["inline-ms"] === undefined ? undefined : Number(values["inline-ms"]);
  const conversation = new Conversation<Message>(values.conversation);
  console.log(await converse(modelNamed(values.model), session, conversation, { role: "user", content: message }, inlineMs));
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

// How many tokens the body of a request has, by the rules that vendors have published, with their tokenizers. What they have
// not published is counted high rather than low: ids, schemas as JSON, signatures.
import {createRequire} from 'node:module';
import {resolve} from 'node:path';

// OpenAI, "How to count tokens with tiktoken" (cookbook): 3 for each message, the values of its members, and 3 for the reply.
const PER_MESSAGE = 3;
const PER_REPLY = 3;
// The same, "for tool calls", of gpt-4o.
const PER_TOOL = 7;
const PER_PROPERTIES = 3;
const PER_PROPERTY = 3;
const ENUM = -3;
const PER_ENUM = 3;
const AFTER_TOOLS = 12;
// Anthropic, "Tool use", the table of system prompts: `auto` and `none`; `any` and `tool` have fewer.
const ANTHROPIC_TOOLS = 346;

// What counts the tokens of a text, by vocabulary; `forget` before another conversation.
export function open_counters(modules) {
  const require = createRequire(`${resolve(modules)}/`);
  const {Tiktoken} = require('tiktoken/lite');
  const make = ranks => {
    const tokenizer = new Tiktoken(ranks.bpe_ranks, ranks.special_tokens, ranks.pat_str);
    // The requests of a conversation have the same texts again and again.
    const known = new Map();
    return {
      forget: () => known.clear(),
      text: text => {
        let count = known.get(text);
        if (count === undefined) known.set(text, (count = tokenizer.encode(text, [], []).length));
        return count;
      },
    };
  };
  const claude = make(require('@anthropic-ai/tokenizer/claude.json'));
  return {
    o200k: make(require('tiktoken/encoders/o200k_base.json')),
    cl100k: make(require('tiktoken/encoders/cl100k_base.json')),
    // As @anthropic-ai/tokenizer does.
    claude: {forget: claude.forget, text: text => claude.text(text.normalize('NFKC'))},
  };
}

// The texts in any value; what says of which type something is, is part of what is written around it.
function values(value, text) {
  if (typeof value === 'string') return text(value);
  if (typeof value === 'number' || typeof value === 'boolean') return 1;
  if (value === null) return 0;
  let sum = 0;
  for (const [name, member] of Object.entries(value)) if (name !== 'type' && name !== 'cache_control') sum += values(member, text);
  return sum;
}

function chat_message(message, text) {
  const {tool_calls: calls = [], ...rest} = message;
  return calls.reduce((sum, call) => sum + PER_MESSAGE + values(call, text), PER_MESSAGE + values(rest, text));
}

// A function of Chat Completions, as the cookbook counts it; it knows no schema within a schema, which is counted as JSON.
function cookbook_tool({name, description, parameters}, text) {
  let sum = PER_TOOL + text(`${name}:${description.replace(/\.$/, '')}`);
  const properties = Object.entries(parameters.properties);
  if (properties.length > 0) sum += PER_PROPERTIES;
  for (const [key, property] of properties) {
    const {type, enum: allowed = [], description: says = '', ...nested} = property;
    sum += PER_PROPERTY + text(`${key}:${type}:${says.replace(/\.$/, '')}`);
    if (allowed.length > 0) sum += ENUM + allowed.reduce((tokens, value) => tokens + PER_ENUM + text(value), 0);
    if (Object.keys(nested).length > 0) sum += text(JSON.stringify(nested));
  }
  return sum;
}

function openai_tools(tools, text, as_json) {
  if (tools.length === 0) return 0;
  const count = tool => (as_json ? text(JSON.stringify(tool)) : cookbook_tool(tool.function ?? tool, text));
  return tools.reduce((sum, tool) => sum + count(tool), AFTER_TOOLS);
}

function block(one, text) {
  // Of a call, the arguments are an object here.
  if (one.type === 'tool_use') return PER_MESSAGE + text(one.id) + text(one.name) + text(JSON.stringify(one.input));
  return PER_MESSAGE + values(one, text);
}

function anthropic_body(body, text) {
  let sum = PER_REPLY + values(body.system ?? '', text);
  for (const {role, content} of body.messages) {
    sum += PER_MESSAGE + text(role);
    sum += typeof content === 'string' ? text(content) : content.reduce((tokens, one) => tokens + block(one, text), 0);
  }
  for (const tool of body.tools ?? []) sum += text(JSON.stringify(tool));
  return sum + (body.tools?.length > 0 ? ANTHROPIC_TOOLS : 0);
}

// `as_json`: tools are counted as JSON, as servers do that put them into a prompt so.
export function count_body(api, body, text, as_json) {
  if (api === '/v1/messages') return anthropic_body(body, text);
  const messages = body.messages ?? body.input;
  return messages.reduce((sum, message) => sum + chat_message(message, text), PER_REPLY) + openai_tools(body.tools ?? [], text, as_json);
}

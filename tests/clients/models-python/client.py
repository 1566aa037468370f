"""SDKs of models and of agents: each asks a face of Toolway, or runs a loop of its own with a session's tools.

A line of the input says what to do: `cell`, `base` (of the model's API), `session`, `model` and `prompt`. A line of the output says how the
model ended, in `text`, or the `error`, with `status` where it is one of HTTP.
"""

import json
import os
import sys
import traceback
import uuid

import toolway_session

SDK, API, TOOLWAY_URL = sys.argv[1:]
FORMATS = {"chat": "openai", "responses": "openai-responses", "messages": "anthropic"}
INLINE_MS = 300
MAX_TOKENS = 1024
ON_FACE = ("face", "stream", "own_tools")
KEY = os.environ.get("ANTHROPIC_API_KEY" if API == "messages" else "OPENAI_API_KEY") or "none"
OWN_TOOL = {"type": "object", "properties": {}, "additionalProperties": False}


def to_json(parts):
    return [part.model_dump(exclude_none=True) for part in parts]


class Job:
    """What a line asks for."""

    def __init__(self, cell, base, session, model, prompt):
        self.cell, self.base, self.session, self.model, self.prompt = cell, base, session, model, prompt
        headers = {"X-Toolway-Session": session} if cell in ON_FACE else {}
        self.options = {"api_key": KEY, "default_headers": headers, "max_retries": 0}

    def tools(self, format):
        return toolway_session.Session(TOOLWAY_URL, self.session, ["shop"], format)


class OpenAiChat:
    def __init__(self, job):
        import openai
        self.name, self.client = job.model, openai.OpenAI(base_url=job.base + "/v1", **job.options)
        self.omit = openai.omit

    def ask(self, messages, tools):
        """What the model says: what goes into the history, the body for tool_calls if it has calls, and its text."""
        message = self.client.chat.completions.create(model=self.name, messages=messages, tools=tools or self.omit).choices[0].message
        sent = message.model_dump(exclude_none=True)
        return [sent], sent if message.tool_calls else None, message.content

    def stream(self, messages):
        with self.client.chat.completions.stream(model=self.name, messages=messages) as stream:
            return stream.get_final_completion().choices[0].message.content

    own_tools = [{"type": "function", "function": {"name": "own", "parameters": OWN_TOOL}}]


class OpenAiResponses(OpenAiChat):
    own_tools = [{"type": "function", "name": "own", "parameters": OWN_TOOL, "strict": False}]

    def ask(self, messages, tools):
        reply = self.client.responses.create(model=self.name, input=messages, tools=tools, store=False, include=["reasoning.encrypted_content"])
        items = to_json(reply.output)
        return items, items if any(item["type"] == "function_call" for item in items) else None, reply.output_text

    def stream(self, messages):
        with self.client.responses.stream(model=self.name, input=messages, store=False) as stream:
            return stream.get_final_response().output_text


class AnthropicMessages:
    own_tools = [{"name": "own", "input_schema": OWN_TOOL}]

    def __init__(self, job):
        import anthropic
        self.name, self.client = job.model, anthropic.Anthropic(base_url=job.base, **job.options)

    def ask(self, messages, tools):
        reply = self.client.messages.create(model=self.name, max_tokens=MAX_TOKENS, messages=messages, tools=tools)
        message = {"role": "assistant", "content": to_json(reply.content)}
        return [message], message if reply.stop_reason == "tool_use" else None, "".join(block.text for block in reply.content if block.type == "text")

    def stream(self, messages):
        with self.client.messages.stream(model=self.name, max_tokens=MAX_TOKENS, messages=messages) as stream:
            return stream.get_final_text()


class Sdk:
    """An SDK that only speaks with a model: the loop is this one."""

    def __init__(self, job):
        self.job = job
        self.model = {"chat": OpenAiChat, "responses": OpenAiResponses, "messages": AnthropicMessages}[API](job)
        self.prompt = [{"role": "user", "content": job.prompt}]

    def face(self):
        return self.model.ask(self.prompt, [])[2]

    def stream(self):
        return self.model.stream(self.prompt)

    def own_tools(self):
        return self.model.ask(self.prompt, self.model.own_tools)[2]

    def loop(self):
        session = self.job.tools(FORMATS[API])
        messages, tools = self.prompt, session.tools()
        while True:
            said, calls, text = self.model.ask(messages, tools)
            messages = messages + said
            if calls is None:
                return text
            results, _ = session.run(calls, f"{self.job.session}-{len(messages)}", INLINE_MS)
            messages = messages + results


def run_one(session, name, arguments):
    """For SDKs that have a loop themselves and run their tools one by one: the text of a call's result."""
    call = {"id": uuid.uuid4().hex, "type": "function", "function": {"name": name, "arguments": arguments}}
    results, _ = session.run({"role": "assistant", "content": None, "tool_calls": [call]}, call["id"], INLINE_MS)
    return results[0]["content"]


class AgentsSdk:
    """openai-agents."""

    def __init__(self, job):
        import agents
        import openai
        agents.set_tracing_disabled(True)
        self.agents, self.job = agents, job
        model = agents.OpenAIChatCompletionsModel if API == "chat" else agents.OpenAIResponsesModel
        self.model = model(job.model, openai.AsyncOpenAI(base_url=job.base + "/v1", **job.options))

    def agent(self, tools=()):
        return self.agents.Agent(name="client", model=self.model, tools=list(tools))

    def run(self, *tools):
        return self.agents.Runner.run_sync(self.agent(tools), self.job.prompt).final_output

    def face(self):
        return self.run()

    def stream(self):
        import asyncio

        async def run():
            result = self.agents.Runner.run_streamed(self.agent(), self.job.prompt)
            return "".join([event.data.delta async for event in result.stream_events()
                            if event.type == "raw_response_event" and event.data.type == "response.output_text.delta"])
        return asyncio.run(run())

    def tool(self, name, description, schema, run):
        async def invoke(context, arguments):
            return run(name, arguments)
        return self.agents.FunctionTool(name=name, description=description, params_json_schema=schema, on_invoke_tool=invoke, strict_json_schema=False)

    def own_tools(self):
        return self.run(self.tool("own", "Of the client.", OWN_TOOL, None))

    def loop(self):
        session = self.job.tools("openai")
        return self.run(*(self.tool(tool["function"]["name"], tool["function"]["description"], tool["function"]["parameters"],
                                    lambda *call: run_one(session, *call)) for tool in session.tools()))


class LangGraph:
    """An agent of langgraph with langchain-openai."""

    def __init__(self, job):
        import langchain_openai
        self.job = job
        self.model = langchain_openai.ChatOpenAI(model=job.model, base_url=job.base + "/v1", use_responses_api=API == "responses",
                                                 **({"store": False} if API == "responses" else {}), **job.options)

    def ask(self, model):
        return model.invoke(self.job.prompt).text

    def face(self):
        return self.ask(self.model)

    def stream(self):
        return "".join(chunk.text for chunk in self.model.stream(self.job.prompt))

    def own_tools(self):
        return self.ask(self.model.bind_tools([{"name": "own", "description": "Of the client.", "parameters": OWN_TOOL}]))

    @staticmethod
    def tool(session, name, description, schema):
        from langchain_core.tools import StructuredTool

        def call(**arguments):
            return run_one(session, name, json.dumps(arguments))
        return StructuredTool(name=name, description=description, args_schema=schema, func=call)

    def loop(self):
        from langgraph.prebuilt import create_react_agent
        session = self.job.tools("openai")
        tools = [self.tool(session, tool["function"]["name"], tool["function"]["description"], tool["function"]["parameters"])
                 for tool in session.tools()]
        return create_react_agent(self.model, tools).invoke({"messages": [("user", self.job.prompt)]})["messages"][-1].text


CLIENTS = {"openai-agents": AgentsSdk, "langchain-openai": LangGraph}


def done(job):
    """The answer to a line."""
    try:
        client = CLIENTS.get(SDK, Sdk)(job)
        return {"text": getattr(client, job.cell)() if job.cell in ON_FACE else client.loop()}
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return {"error": f"{type(error).__name__}: {error} ({where.filename}:{where.lineno})", "status": getattr(error, "status_code", None)}


for line in sys.stdin:
    print(json.dumps(done(Job(**json.loads(line)))), flush=True)

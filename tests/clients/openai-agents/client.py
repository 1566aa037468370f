"""An agent of OpenAI's SDK with the tools of an MCP server. Its model is a script behind Chat Completions over HTTP."""

import asyncio

from agents import Agent, OpenAIChatCompletionsModel, RunContextWrapper, Runner, set_tracing_disabled
from agents.mcp import MCPServerStreamableHttp
from cells import GREET, URL, give_up, run, slow
from openai import AsyncOpenAI
from scripted_model import ScriptedModel

set_tracing_disabled(True)


class Cells:
    def __init__(self):
        self.done = []

    async def on_message(self, message):
        if getattr(message, "method", "") == "notifications/progress":
            self.done.append(message.params.progress)

    def server(self):
        return MCPServerStreamableHttp({"url": URL}, client_session_timeout_seconds=30, message_handler=self.on_message,
                                       tool_meta_resolver=lambda context: {"progressToken": "agent"})

    async def agent(self, tool, arguments):
        """The text that the model got from a tool, as the agent's answer."""
        script = [{"calls": [{"name": tool, "arguments": arguments}]}, {"text": "Done."}]
        with ScriptedModel(script) as model:
            async with self.server() as server, AsyncOpenAI(base_url=model.url + "/v1", api_key="none") as openai:
                agent = Agent(name="clients", mcp_servers=[server], model=OpenAIChatCompletionsModel("scripted", openai))
                result = await Runner.run(agent, "Do it.")
            assert (result.final_output, model.refused) == ("Done.", []), (result.final_output, model.refused)
        outputs = [item.output for item in result.new_items if item.type == "tool_call_output_item"]
        return outputs[0]["text"] if isinstance(outputs[0], dict) else outputs[0]

    async def list(self):
        async with self.server() as server:
            tools = await Agent(name="clients", mcp_servers=[server]).get_mcp_tools(RunContextWrapper(None))
        return {"tools": {tool.name: tool.params_json_schema for tool in tools}}

    async def call(self):
        return {"text": await self.agent(*GREET)}

    async def progress(self):
        return {"progress": self.done, "text": await self.agent(*slow(1))}

    async def cancel(self):
        return await give_up(self.agent(*slow(20)))


asyncio.run(run(Cells()))

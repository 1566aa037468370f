"""LangGraph's agent with the tools of an MCP server. A script plays its model."""

import asyncio
import warnings

from cells import DELETE, GREET, URL, run, slow
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_mcp_adapters.callbacks import Callbacks
from langchain_mcp_adapters.client import MultiServerMCPClient
from langgraph.prebuilt import create_react_agent
from mcp.types import ElicitResult


class Script(FakeMessagesListChatModel):
    """Calls a tool, and then ends. `offered` has the tools as a model gets them."""

    offered: list = []

    def bind_tools(self, tools, **_):
        self.offered.extend(convert_to_openai_tool(tool)["function"] for tool in tools)
        return self


class Cells:
    def __init__(self):
        self.asked, self.done = [], []
        callbacks = Callbacks(on_progress=self.on_progress, on_elicitation=self.on_elicitation)
        self.client = MultiServerMCPClient({"toolway": {"transport": "streamable_http", "url": URL}}, callbacks=callbacks)

    async def on_progress(self, progress, total, message, context):
        self.done.append(progress)

    async def on_elicitation(self, mcp_context, params, context):
        self.asked.append(params.message)
        return ElicitResult(action="accept", content={"confirm": True})

    async def agent(self, tool, arguments):
        """What the agent's model was offered, and the text that it got from the tool."""
        model = Script(responses=[AIMessage(content="", tool_calls=[{"name": tool, "args": arguments, "id": "1"}]), AIMessage(content="Done.")])
        tools = await self.client.get_tools()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a new name for it, in another package
            agent = create_react_agent(model, tools)
        said = (await agent.ainvoke({"messages": [("user", "Do it.")]}))["messages"]
        assert (said[-2].type, said[-1].content) == ("tool", "Done."), said
        return model.offered, said[-2].content[0]["text"]

    async def list(self):
        offered, _ = await self.agent(*GREET)
        return {"tools": {tool["name"]: tool["parameters"] for tool in offered}}

    async def call(self):
        return {"text": (await self.agent(*GREET))[1]}

    async def progress(self):
        _, text = await self.agent(*slow(1))
        return {"progress": self.done, "text": text}

    async def question(self):
        _, text = await self.agent(*DELETE)
        return {"asked": self.asked, "text": text}


asyncio.run(run(Cells()))

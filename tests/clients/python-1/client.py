"""The official Python SDK 1.x."""

import asyncio

from cells import CELL, DELETE, GREET, URL, pause, run, slow, text_of
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, ElicitResult


class Cells:
    def __init__(self, session, asked):
        self.session, self.asked = session, asked
        self.tasks = session.experimental

    async def list(self):
        return {"tools": {tool.name: tool.inputSchema for tool in (await self.session.list_tools()).tools}}

    async def call(self):
        return {"text": text_of(await self.session.call_tool(*GREET))}

    async def progress(self):
        progress = []

        async def seen(done, total, message):
            progress.append(done)
        result = await self.session.call_tool(*slow(1), progress_callback=seen)
        return {"progress": progress, "text": text_of(result)}

    async def question(self):
        result = await self.session.call_tool(*DELETE)
        return {"asked": self.asked, "text": text_of(result)}

    async def task(self):
        task = (await self.tasks.call_tool_as_task(*slow(2))).task
        statuses = [task.status] + [polled.status async for polled in self.tasks.poll_task(task.taskId)]
        return {"task": task.taskId, "statuses": statuses, "text": text_of(await self.tasks.get_task_result(task.taskId, CallToolResult))}

    async def begin(self, seconds):
        return {"task": (await self.tasks.call_tool_as_task(*slow(float(seconds)))).task.taskId}

    async def finish(self, *ids):
        return {"texts": {id: text_of(await self.tasks.get_task_result(id, CallToolResult)) for id in ids}}

    async def cancel_task(self):
        task = (await self.tasks.call_tool_as_task(*slow(20))).task
        await pause({})
        await pause({"status": (await self.tasks.cancel_task(task.taskId)).status})
        return {}


async def main():
    asked = []

    async def answer(context, params):
        asked.append(params.message)
        return ElicitResult(action="accept", content={"confirm": True})
    async with streamable_http_client(URL) as (read, write, *_), ClientSession(read, write, elicitation_callback=answer) as session:
        await session.initialize()
        await run(Cells(session, asked))


asyncio.run(main())

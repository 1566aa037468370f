"""The official Python SDK 2.x. Tasks are an extension, which its user writes."""

import asyncio
from typing import Any, Literal

import mcp_types as types
from cells import CELL, DELETE, GREET, REVISION, URL, give_up, pause, run, slow, text_of
from mcp import Client
from mcp.client.extension import ClientExtension, ResultClaim


class TaskParams(types.RequestParams):
    task_id: str


class GetTask(types.Request[TaskParams, Literal["tasks/get"]]):
    method: Literal["tasks/get"] = "tasks/get"
    params: TaskParams
    name_param = "taskId"


class CancelTask(types.Request[TaskParams, Literal["tasks/cancel"]]):
    method: Literal["tasks/cancel"] = "tasks/cancel"
    params: TaskParams
    name_param = "taskId"


class NewTask(types.Result):
    result_type: Literal["task"]
    task_id: str
    status: str


class DetailedTask(types.Result):
    task_id: str
    status: str
    poll_interval_ms: int | None = None
    result: dict[str, Any] | None = None


class Tasks(ClientExtension):
    """Polls each task of a call to its end."""

    identifier = "io.modelcontextprotocol/tasks"

    def __init__(self):
        self.task, self.statuses = None, []

    def claims(self):
        return [ResultClaim(result_type="task", model=NewTask, resolve=self.settle)]

    async def settle(self, created, context):
        self.task = created.task_id
        return await self.result(context.session, created.task_id)

    async def result(self, session, task):
        while True:
            polled = await session.send_request(GetTask(params=TaskParams(task_id=task)), DetailedTask)
            self.statuses.append(polled.status)
            if polled.status == "completed":
                return types.CallToolResult.model_validate(polled.result)
            assert polled.status == "working", polled
            await asyncio.sleep(polled.poll_interval_ms / 1000)


class Cells:
    def __init__(self, client, asked, extension):
        self.client, self.asked, self.extension = client, asked, extension
        self.session = client.session

    async def list(self):
        return {"tools": {tool.name: tool.input_schema for tool in (await self.client.list_tools()).tools}}

    async def call(self):
        return {"text": text_of(await self.client.call_tool(*GREET))}

    async def progress(self):
        progress = []

        async def seen(done, total, message):
            progress.append(done)
        result = await self.client.call_tool(*slow(1), progress_callback=seen)
        return {"progress": progress, "text": text_of(result)}

    async def question(self):
        result = await self.client.call_tool(*DELETE)
        return {"asked": self.asked, "text": text_of(result)}

    async def new(self, seconds):
        return (await self.session.call_tool(*slow(seconds), allow_claimed=True)).task_id

    async def task(self):
        result = await self.client.call_tool(*slow(2))
        return {"task": self.extension.task, "statuses": self.extension.statuses, "text": text_of(result)}

    async def begin(self, seconds):
        return {"task": await self.new(float(seconds))}

    async def finish(self, *ids):
        return {"texts": {id: text_of(await self.extension.result(self.session, id)) for id in ids}}

    async def cancel(self):
        return await give_up(self.client.call_tool(*slow(20)))

    async def cancel_task(self):
        task = await self.new(20)
        await pause({})
        await self.session.send_request(CancelTask(params=TaskParams(task_id=task)), types.Result)
        await pause({"status": "cancelled"})
        return {}


async def main():
    asked, extension = [], Tasks()

    async def answer(context, params):
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"confirm": True})
    mode = REVISION if REVISION == "2026-07-28" else "legacy"
    # With it, a tool of several steps becomes a task.
    extensions = [extension] if CELL in ("task", "begin", "finish", "cancel_task") else []
    async with Client(URL, elicitation_callback=answer, mode=mode, extensions=extensions) as client:
        await run(Cells(client, asked, extension))


asyncio.run(main())

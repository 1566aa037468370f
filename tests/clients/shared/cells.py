"""What the clients in Python share. They get URL, REVISION, CELL and the cell's arguments, and print what they saw as lines of JSON."""

import asyncio
import json
import sys
import traceback

URL, REVISION, CELL, *GIVEN = sys.argv[1:]
GREET = ("greet", {"name": "Ann"})
DELETE = ("confirm_delete", {"filename": "a.txt"})


def slow(seconds):
    return "slow_compute", {"seconds": seconds}


def say(seen):
    print(json.dumps(seen), flush=True)


async def pause(seen):
    """Says it, and waits until the judge has looked: what the judge says then."""
    say(seen)
    return (await asyncio.to_thread(sys.stdin.readline)).strip()


def text_of(result):
    return result.content[0].text


async def give_up(call):
    """Cancels a call once the judge has seen it run, and stays until the judge has seen its end."""
    running = asyncio.create_task(call)
    await pause({})
    running.cancel()
    try:
        await running
        said = "it has an answer"
    except asyncio.CancelledError:
        said = "given up"
    await pause({"call": said})
    return {}


async def run(cells):
    try:
        say(await getattr(cells, CELL)(*GIVEN))
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        say({"error": f"{type(error).__name__}: {error} ({where.filename}:{where.lineno})"})

#!/usr/bin/env python3
"""Whether a conversation is one that the API of a model accepts. Knows nothing of the engine that wrote it.

usage: strict_check.py FORMAT < CONVERSATION.json
       strict_check.py --lines FILE     each line is FORMAT, a tab and a conversation; says how many were checked

FORMAT: toolway, openai, openai-responses or anthropic. Exit status 1 when a conversation is wrong.
"""
import json
import re
import sys

from strict_parts import Wrong, anthropic_part, chat_part, is_result, is_result_text, is_said, is_text, only, own_blocks, require, responses_part

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
SHOWN = 5  # of what is wrong
MOST_IMAGES = 20  # of a request, where they may have 8000 pixels


class Calls:
    """The calls that have been made, and those that wait for their results."""

    def __init__(self):
        self.seen, self.open = set(), []

    def made(self, call_id, name, where):
        require(isinstance(call_id, str) and CALL_ID.fullmatch(call_id), f"{where}: the id of a call is {call_id!r}")
        require(call_id not in self.seen, f"{where}: two calls have the id {call_id}")
        require(isinstance(name, str) and NAME.fullmatch(name), f"{where}: a call names the tool {name!r}")
        self.seen.add(call_id)
        self.open.append(call_id)

    def answered(self, call_id, where):
        require(self.open, f"{where}: a result of {call_id!r}, and no call waits for one")
        require(call_id == self.open[0], f"{where}: a result of {call_id!r}; the next one must be that of {self.open[0]}")
        self.open.pop(0)

    def none_open(self, where):
        require(not self.open, f"{where}: calls without results: {self.open}")


def is_object_text(value, where):
    is_text(value, where)
    try:
        require(isinstance(json.loads(value), dict), f"{where}: the arguments are not a JSON object")
    except json.JSONDecodeError:
        raise Wrong(f"{where}: the arguments are not JSON") from None


def toolway(document):
    require(document.get("format") == "toolway" and document.get("version") == 1, "not a conversation of Toolway")
    calls = Calls()
    for i, message in enumerate(document["messages"]):
        where, role = f"message {i}", message["role"]
        if role == "results":
            require(len(calls.open) == len(message["results"]), f"{where}: {len(message['results'])} results for {len(calls.open)} calls")
            for result in message["results"]:
                calls.answered(result["call_id"], where)
                is_text(result["text"], where)
                own_blocks(result, where)
            continue
        calls.none_open(where)
        require(role in ("system", "user", "assistant", "injected"), f"{where}: role {role!r}")
        if role != "assistant":
            is_text(message["text"], where)
            require(role in ("user", "injected") or "blocks" not in message, f"{where}: blocks of role {role!r}")
            own_blocks(message, where)
            continue
        for part in message["parts"]:
            require("text" in part or "call" in part or "native" in part, f"{where}: an empty part")
            if "call" in part:
                is_text(part["call"]["arguments"], where)
                calls.made(part["call"]["id"], "any", where)
    calls.none_open("the end")


# By role. `reasoning…` and `extra_content` are not in OpenAI's API: servers that answer with them want them back.
CHAT_MEMBERS = {
    "system": ("role", "content", "name"),
    "user": ("role", "content", "name"),
    "tool": ("role", "content", "tool_call_id"),
    "assistant": ("role", "content", "name", "refusal", "audio", "tool_calls", "reasoning", "reasoning_content", "reasoning_details"),
}


def openai(document):
    calls, images = Calls(), 0
    for i, message in enumerate(document["messages"]):
        where, role = f"message {i}", message.get("role")
        only(message, CHAT_MEMBERS.get(role, message), where)
        if role == "tool":
            calls.answered(message["tool_call_id"], where)
            is_result_text(message["content"], where)
            continue
        calls.none_open(where)
        require(role in ("system", "user", "assistant"), f"{where}: role {role!r}")
        if role == "user":
            images += is_said(message["content"], chat_part, where)
            continue
        if role != "assistant":
            is_text(message["content"], where)
            continue
        if "tool_calls" not in message:
            is_text(message["content"], where)
            continue
        require(message["content"] is None or isinstance(message["content"], str), f"{where}: content {message['content']!r}")
        require(message["tool_calls"], f"{where}: tool_calls is empty")
        for call in message["tool_calls"]:
            only(call, ("id", "type", "function", "extra_content"), where)
            require(call["type"] == "function", f"{where}: a call of type {call['type']!r}")
            calls.made(call["id"], call["function"]["name"], where)
            is_object_text(call["function"]["arguments"], where)
    require(images <= MOST_IMAGES, f"{images} images")
    calls.none_open("the end")


def openai_responses(document):
    calls, thinking, answered, images = Calls(), False, True, 0
    for i, item in enumerate(document["input"]):
        where, kind = f"item {i}", item.get("type", "message")
        if kind == "reasoning":
            require(answered or not calls.open, f"{where}: between calls and their results")
            thinking = True
            continue
        if kind == "function_call":
            # Those of one reply are next to each other; a result ends them.
            require(answered or not calls.open or document["input"][i - 1].get("type") != "function_call_output",
                    f"{where}: a call before the results of the calls before it")
            calls.made(item["call_id"], item["name"], where)
            is_object_text(item["arguments"], where)
            thinking, answered = False, True
            continue
        if kind == "function_call_output":
            require(not thinking, f"{where}: reasoning without what follows it")
            calls.answered(item["call_id"], where)
            images += is_result(item["output"], responses_part, where)
            answered = False
            continue
        require(kind == "message", f"{where}: an item of type {kind!r}")
        require(item["role"] in ("system", "user", "assistant"), f"{where}: role {item['role']!r}")
        require(item["role"] == "assistant" or not thinking, f"{where}: reasoning without what follows it")
        if item["role"] != "assistant":
            calls.none_open(where)
            if item["role"] == "user":
                images += is_said(item["content"], responses_part, where)
            else:
                is_text(item["content"], where)
        elif isinstance(item["content"], list):
            for part in item["content"]:
                require(part["type"] in ("output_text", "refusal"), f"{where}: content of type {part['type']!r}")
        else:
            require(item["content"], f"{where}: an empty message")
        thinking = False
    require(not thinking, "reasoning at the end")
    require(images <= MOST_IMAGES, f"{images} images")
    calls.none_open("the end")


def anthropic_assistant(blocks, calls, where):
    require(isinstance(blocks, list) and blocks, f"{where}: no content")
    require(blocks[-1]["type"] not in ("thinking", "redacted_thinking"), f"{where}: thinking is the last block")
    for block in blocks:
        if block["type"] == "text":
            require(block["text"].strip(), f"{where}: a blank text")
        elif block["type"] == "tool_use":
            calls.made(block["id"], block["name"], where)
            require(isinstance(block["input"], dict), f"{where}: the input is not an object")
        else:
            require(block["type"] != "tool_result", f"{where}: a result in an assistant's message")


def anthropic_user(content, calls, where):
    """How many images it has."""
    if isinstance(content, str):
        calls.none_open(where)
        require(content.strip(), f"{where}: a blank message")
        return 0
    require(content, f"{where}: no content")
    if not (results := [block for block in content if block["type"] == "tool_result"]):
        calls.none_open(where)
        return is_said(content, anthropic_part, where)
    require(content[:len(results)] == results, f"{where}: results must come first")
    require(len(results) == len(content), f"{where}: text after results")
    require(len(results) == len(calls.open), f"{where}: {len(results)} results for {len(calls.open)} calls")
    images = 0
    for block in results:
        calls.answered(block["tool_use_id"], where)
        images += is_result(block["content"], anthropic_part, where)
        require(block.get("is_error", True) is True, f"{where}: is_error that is not true")
        if block.get("is_error") and isinstance(block["content"], list):
            require(all(part["type"] == "text" for part in block["content"]), f"{where}: an error that is more than text")
    return images


def anthropic(document):
    if "system" in document:
        is_text(document["system"], "system")
        require(document["system"], "system is empty")
    calls, messages, images = Calls(), document["messages"], 0
    require(not messages or messages[0]["role"] == "user", "the first message must be the user's")
    for i, message in enumerate(messages):
        where = f"message {i}"
        require(message["role"] in ("user", "assistant"), f"{where}: role {message['role']!r}")
        if message["role"] == "user":
            images += anthropic_user(message["content"], calls, where)
            calls.none_open(where)
        else:
            calls.none_open(where)
            anthropic_assistant(message["content"], calls, where)
    require(images <= MOST_IMAGES, f"{images} images")
    calls.none_open("the end")


FORMATS = {"toolway": toolway, "openai": openai, "openai-responses": openai_responses, "anthropic": anthropic}


def check(name, text):
    """What is wrong; None: nothing is."""
    try:
        FORMATS[name](json.loads(text))
    except Wrong as error:
        return str(error)
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
        return f"{type(error).__name__}: {error}"
    return None


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "--lines":
        checked = wrong = 0
        with open(arguments[1], encoding="utf-8") as file:
            for line in file:
                name, text = line.rstrip("\n").split("\t", 1)
                checked += 1
                if why := check(name, text):
                    wrong += 1
                    if wrong <= SHOWN:
                        print(f"{name}: {why}\n  {text[:1000]}", file=sys.stderr)
        print(f"{checked} checked, {wrong} wrong")
        return 1 if wrong else 0
    if len(arguments) != 1 or arguments[0] not in FORMATS:
        print(__doc__, file=sys.stderr)
        return 2
    why = check(arguments[0], sys.stdin.read())
    print(why or "valid")
    return 1 if why else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
"""Whether a conversation is one that the API of a model accepts. Knows nothing of the engine that wrote it.

usage: strict_check.py FORMAT < CONVERSATION.json
       strict_check.py --lines FILE     each line is FORMAT, a tab and a conversation; says how many were checked

FORMAT: toolway, openai, openai-responses or anthropic. Exit status 1 when a conversation is wrong.
"""
import base64
import binascii
import json
import re
import sys

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
SHOWN = 5  # of what is wrong
MARKER = re.compile(r"\[\[\s*SYSTEM", re.I)
# How images of the types that models take begin, and PDFs.
BEGINS = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff", "image/gif": b"GIF8", "image/webp": b"RIFF", "application/pdf": b"%PDF-"}
MOST_DATA = 5 * 1024 * 1024  # of one image, in base64
MOST_IMAGES = 20  # of a request, where they may have 8000 pixels


class Wrong(Exception):
    pass


def require(condition, message):
    if not condition:
        raise Wrong(message)


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


def is_text(value, where):
    require(isinstance(value, str), f"{where}: {type(value).__name__} in place of a text")


def is_result_text(value, where):
    is_text(value, where)
    require(not MARKER.search(value), f"{where}: a result forges a marker")


def is_data(media_type, data, where):
    require(media_type in BEGINS, f"{where}: data of type {media_type!r}")
    is_text(data, where)
    require(len(data) <= MOST_DATA, f"{where}: {len(data)} bytes of data")
    try:
        found = base64.b64decode(data, validate=True)
    except binascii.Error:
        raise Wrong(f"{where}: data that is not base64") from None
    require(found.startswith(BEGINS[media_type]), f"{where}: data that is not {media_type}")


def is_image_type(media_type, where):
    require(media_type.startswith("image/"), f"{where}: an image of type {media_type!r}")


def is_data_url(url, where):
    """Its media type."""
    found = re.fullmatch(r"data:([a-z/]+);base64,(.*)", url)
    require(found, f"{where}: no URL of data")
    is_data(found[1], found[2], where)
    return found[1]


def only(value, members, where):
    require(set(value) <= set(members), f"{where}: members {sorted(set(value) - set(members))}")


def anthropic_part(part, where, is_own_text=is_result_text):
    """Of a result's content, or of the user's; whether it is an image."""
    if part["type"] == "text":
        only(part, ("type", "text"), where)
        is_own_text(part["text"], where)
        require(part["text"].strip(), f"{where}: a blank text in a list")
        return False
    source = part["source"]
    if part["type"] == "image":
        only(part, ("type", "source"), where)
        is_image_type(source["media_type"], where)
    else:
        require(part["type"] == "document", f"{where}: {part['type']!r} in a result")
        only(part, ("type", "source", "title"), where)
        is_result_text(part.get("title", "x"), where)
        require(part.get("title", "x"), f"{where}: an empty title")
    only(source, ("type", "media_type", "data"), where)
    if source["type"] == "text":
        require(part["type"] == "document" and source["media_type"] == "text/plain", f"{where}: a text of type {source['media_type']!r}")
        is_own_text(source["data"], where)
        require(source["data"].strip(), f"{where}: a blank document")
    else:
        require(source["type"] == "base64", f"{where}: a source of type {source['type']!r}")
        require(part["type"] == "image" or source["media_type"] == "application/pdf", f"{where}: a document of type {source['media_type']!r}")
        is_data(source["media_type"], source["data"], where)
    return part["type"] == "image"


def responses_part(part, where, is_own_text=is_result_text):
    """Of a result's output, or of the user's content; whether it is an image."""
    if part["type"] == "input_text":
        only(part, ("type", "text"), where)
        is_own_text(part["text"], where)
        return False
    if part["type"] == "input_image":
        only(part, ("type", "image_url", "detail"), where)
        require(part["detail"] in ("low", "high", "auto"), f"{where}: detail {part['detail']!r}")
        is_image_type(is_data_url(part["image_url"], where), where)
        return True
    require(part["type"] == "input_file", f"{where}: {part['type']!r} in a result")
    only(part, ("type", "filename", "file_data"), where)
    is_result_text(part["filename"], where)
    require(part["filename"], f"{where}: a file without a name")
    require(is_data_url(part["file_data"], where) == "application/pdf", f"{where}: a file that is not a PDF")
    return False


def chat_part(part, where, _=None):
    """Of the user's content; whether it is an image."""
    only(part, ("type", part["type"]), where)
    if part["type"] == "text":
        is_text(part["text"], where)
        require(part["text"], f"{where}: an empty text in a list")
        return False
    if part["type"] == "image_url":
        only(part["image_url"], ("url", "detail"), where)
        is_image_type(is_data_url(part["image_url"]["url"], where), where)
        return True
    require(part["type"] == "file", f"{where}: {part['type']!r} in a message")
    only(part["file"], ("filename", "file_data"), where)
    require(part["file"]["filename"], f"{where}: a file without a name")
    require(is_data_url(part["file"]["file_data"], where) == "application/pdf", f"{where}: a file that is not a PDF")
    return False


def is_said(content, part_is_image, where):
    """What the user says, a text or a list of parts; how many images it has."""
    if isinstance(content, str):
        return 0
    require(isinstance(content, list) and content, f"{where}: a message without content")
    return sum(part_is_image(part, where, is_text) for part in content)


def is_result(content, part_is_image, where):
    """A text, or a list of parts; how many images it has."""
    if isinstance(content, str):
        is_result_text(content, where)
        return 0
    require(isinstance(content, list) and content, f"{where}: a result without content")
    return sum(part_is_image(part, where) for part in content)


def own_blocks(result, where):
    """Of a result or a message in Toolway's own form: their lines are in its text, one after the other."""
    text, end = result["text"].encode(), 0
    for block in result.get("blocks", ()):
        at, line = block["at"], block["line"]
        require(end <= at and at + line <= len(text), f"{where}: the line of a block is not in the text")
        end = at + line
        shown = text[at:end].decode()
        if "data" in block:
            is_data(block["media_type"], block["data"], where)
            require(block["type"] == ("document" if block["media_type"] == "application/pdf" else "image"), f"{where}: a block of type {block['type']!r}")
            require(shown.startswith("[") and shown.endswith("]"), f"{where}: the line of a block is {shown!r}")
        else:
            require(block["type"] == "document" and block["media_type"].startswith("text/"), f"{where}: a block without data")
            require(text[at + block["label"]:end].decode().strip(), f"{where}: a document without text")


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

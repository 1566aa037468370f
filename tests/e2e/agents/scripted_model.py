"""A model that plays a script, as Chat Completions, Responses and Messages, and refuses conversations that the real APIs refuse.

A script is a list of turns: {"calls": [{"name", "arguments"}]} or {"text": …}, each with "expect", a list of regular expressions that the
last message or result before it must match, if it has any. Which turn is next follows from the conversation alone, so a loop that was
killed continues the script.
"""

import http.server
import json
import re
import threading


class Invalid(Exception):
    """What the API would answer with 400."""


def require(condition, message):
    if not condition:
        raise Invalid(message)


def call_id(turn, number):
    return f"call_{turn}_{number}"


class Chat:
    path = "/v1/chat/completions"

    @staticmethod
    def read(request):
        """The number of turns so far, and the texts since the last one."""
        wanted, turns, texts = [], 0, []
        for message in request["messages"]:
            if message["role"] == "tool":
                require(message["tool_call_id"] in wanted, f"no call awaits {message['tool_call_id']}")
                wanted.remove(message["tool_call_id"])
                texts.append(text_of(message))
                continue
            require(not wanted, f"calls without a result: {wanted}")
            texts.append(message.get("content") or "")
            if message["role"] == "assistant":
                wanted = [call["id"] for call in message.get("tool_calls", [])]
                turns, texts = turns + 1, []
        require(not wanted, f"calls without a result: {wanted}")
        return turns, texts

    @staticmethod
    def say(turn, script):
        message = {"role": "assistant", "content": script.get("text"), "refusal": None}
        if "calls" in script:
            message["tool_calls"] = [{"id": call_id(turn, i), "type": "function",
                                      "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])}}
                                     for i, call in enumerate(script["calls"])]
        return {"id": f"chatcmpl-{turn}", "object": "chat.completion", "created": 1, "model": "scripted",
                "choices": [{"index": 0, "message": message, "logprobs": None,
                             "finish_reason": "tool_calls" if "calls" in script else "stop"}],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}


class Responses:
    path = "/v1/responses"

    @staticmethod
    def read(request):
        calls, results, turns, texts = [], [], 0, []
        for item in request["input"]:
            kind = item.get("type", "message")
            if kind == "function_call_output":
                require(item["call_id"] in calls, f"no call awaits {item['call_id']}")
                require(item["call_id"] not in results, f"{item['call_id']} has two results")
                results.append(item["call_id"])
                texts.append(item["output"])
            elif kind == "function_call" or item.get("role") == "assistant":
                turn = int(item["id"].split("_")[1])
                if turn == turns:
                    require(set(calls) == set(results), "calls without a result")
                    turns, texts = turns + 1, []
                if kind == "function_call":
                    calls.append(item["call_id"])
            else:
                texts.append(item["content"])
        require(set(calls) == set(results), "calls without a result")
        return turns, texts

    @staticmethod
    def say(turn, script):
        if "calls" in script:
            output = [{"type": "function_call", "id": f"fc_{turn}_{i}", "call_id": call_id(turn, i), "name": call["name"],
                       "arguments": json.dumps(call["arguments"]), "status": "completed"} for i, call in enumerate(script["calls"])]
        else:
            output = [{"type": "message", "id": f"msg_{turn}", "role": "assistant", "status": "completed",
                       "content": [{"type": "output_text", "text": script["text"], "annotations": []}]}]
        return {"id": f"resp_{turn}", "object": "response", "created_at": 1, "model": "scripted", "status": "completed", "output": output,
                "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}


def text_of(block):
    """Of a text, or of a result whose content is a text or texts."""
    content = block.get("text", block.get("content"))
    return content if isinstance(content, str) else "\n".join(part["text"] for part in content)


class Messages:
    path = "/v1/messages"

    @staticmethod
    def read(request):
        require(request["messages"][0]["role"] == "user", "the first message must be the user's")
        merged = []  # consecutive messages of one side are one, as the API has it
        for message in request["messages"]:
            content = message["content"]
            blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
            if merged and merged[-1][0] == message["role"]:
                merged[-1][1].extend(blocks)
            else:
                merged.append((message["role"], list(blocks)))
        wanted, turns, texts = [], 0, []
        for role, blocks in merged:
            results = [block for block in blocks if block["type"] == "tool_result"]
            require(blocks[:len(results)] == results, "results must come before text")
            require([block["tool_use_id"] for block in results] == wanted, f"calls {wanted} need exactly these results")
            wanted = [block["id"] for block in blocks if block["type"] == "tool_use"]
            if role == "assistant":
                turns, texts = turns + 1, []
            else:
                texts += [text_of(block) for block in blocks]
        require(merged[-1][0] == "user", "the last message must be the user's")
        return turns, texts

    @staticmethod
    def say(turn, script):
        blocks = [{"type": "tool_use", "id": call_id(turn, i), "name": call["name"], "input": call["arguments"]}
                  for i, call in enumerate(script.get("calls", []))] or [{"type": "text", "text": script["text"]}]
        return {"id": f"msg_{turn}", "type": "message", "role": "assistant", "model": "scripted", "content": blocks,
                "stop_reason": "tool_use" if "calls" in script else "end_turn", "stop_sequence": None,
                "usage": {"input_tokens": 1, "output_tokens": 1}}


def names_of_tools(request):
    """Of those that the model was offered; Chat Completions has each in `function`."""
    return {tool.get("function", tool)["name"] for tool in request.get("tools", [])}


APIS = {api.path: api for api in (Chat, Responses, Messages)}


def answer(api, request, script):
    """The next turn of the script. Raises Invalid."""
    turns, texts = api.read(request)
    require(turns < len(script), "the script has ended")
    turn = script[turns]
    said = "\n".join(texts)
    for pattern in turn.get("expect", []):
        require(re.search(pattern, said), f"turn {turns} expects {pattern!r}, and reads: {said}")
    offered = names_of_tools(request)
    for call in turn.get("calls", []):
        require(call["name"] in offered, f"{call['name']} was not offered: {sorted(offered)}")
    return api.say(turns, turn)


class ScriptedModel:
    """Serves the script until the block ends. `asked` counts requests; `refused` has what was refused."""

    def __init__(self, script):
        self.asked, self.refused = 0, []
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                model.asked += 1
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                try:
                    status, body = 200, answer(APIS[self.path], request, script)
                except Invalid as error:
                    model.refused.append(str(error))
                    status, body = 400, {"type": "error", "error": {"type": "invalid_request_error", "message": str(error)}}
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

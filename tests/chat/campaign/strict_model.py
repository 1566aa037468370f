"""A model behind the three APIs that is as strict as they are, and as unreliable. What it answers follows from the conversation alone: a user's
message names, as JSON after `plan:`, the calls of each round."""

import http.server
import json
import pathlib
import random
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import strict_check  # noqa: E402

APIS = {"/chat/completions": "openai", "/responses": "openai-responses", "/messages": "anthropic"}
FAULTS = ("500", "429", "529", "400", "html", "empty", "cut", "silent", "half arguments", "length", "strange ids", "no such tool")


def texts_of(content):
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or [])


def state_of(name, document):
    """The last plan of the user, and how many results came since."""
    plan, results = None, 0
    for item in document["input" if name == "openai-responses" else "messages"]:
        blocks = item.get("content") if isinstance(item.get("content"), list) else []
        found = sum(block.get("type") == "tool_result" for block in blocks)
        if item.get("type") == "function_call_output" or item.get("role") == "tool":
            found = 1
        results += found
        if item.get("role") != "user" or found:
            continue
        text = texts_of(item["content"])
        if text.startswith("plan:"):
            plan, results = json.loads(text[5:].split("\n")[0]), 0
    return plan, results


def next_calls(plan, results):
    """The calls of the round that comes next; none: the model replies."""
    for round_ in plan["rounds"] if plan else []:
        if results <= 0:
            return round_
        results -= len(round_)
    return []


def reply(name, text, calls, cut):
    usage = {"prompt_tokens": 9, "completion_tokens": 9, "input_tokens": 9, "output_tokens": 9}
    if name == "openai":
        message = {"role": "assistant", "content": text or None}
        if calls:
            message["tool_calls"] = [{"id": i, "type": "function", "function": {"name": tool, "arguments": given}} for i, tool, given in calls]
        reason = "length" if cut else "tool_calls" if calls else "stop"
        return {"id": "c", "object": "chat.completion", "model": "m", "created": 1, "usage": usage,
                "choices": [{"index": 0, "message": message, "finish_reason": reason}]}
    if name == "openai-responses":
        output = [{"type": "function_call", "id": "fc", "call_id": i, "name": tool, "arguments": given} for i, tool, given in calls]
        if text:
            output.insert(0, {"type": "message", "id": "m", "role": "assistant", "status": "completed",
                              "content": [{"type": "output_text", "text": text, "annotations": []}]})
        return {"id": "r", "object": "response", "model": "m", "status": "incomplete" if cut else "completed", "output": output, "usage": usage,
                "incomplete_details": {"reason": "max_output_tokens"} if cut else None}
    content = [{"type": "text", "text": text}] if text else []
    for i, tool, given in calls:
        try:
            content.append({"type": "tool_use", "id": i, "name": tool, "input": json.loads(given)})
        except json.JSONDecodeError:
            content.append({"type": "tool_use", "id": i, "name": tool, "input": {}})
    reason = "max_tokens" if cut else "tool_use" if calls else "end_turn"
    return {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": content, "stop_reason": reason, "usage": usage}


class StrictModel:
    def __init__(self, seed, fault_share):
        self.random, self.fault_share = random.Random(seed), fault_share
        self.lock = threading.Lock()
        self.asked = 0
        self.faults = dict.fromkeys(FAULTS, 0)
        self.wrong = []  # what an API would have answered 400 to
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                try:
                    model.answer(self, body)
                except OSError:
                    self.close_connection = True

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, request, client_address):
                pass  # its client was killed

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def choose_fault(self):
        with self.lock:
            self.asked += 1
            if self.random.random() >= self.fault_share:
                return None
            fault = self.random.choice(FAULTS)
            self.faults[fault] += 1
            return fault

    def answer(self, handler, body):
        name = next(api for path, api in APIS.items() if handler.path.endswith(path))
        document = json.loads(body)
        if why := strict_check.check(name, body.decode()):
            with self.lock:
                self.wrong.append(f"{name}: {why}: {body.decode()[:2000]}")
            return send(handler, 400, {"error": {"type": "invalid_request_error", "message": why}})
        plan, results = state_of(name, document)
        calls = next_calls(plan, results)
        fault = self.choose_fault()
        if fault in ("500", "429", "529", "400"):
            return send(handler, int(fault), {"error": {"type": "fault", "message": "a fault"}}, {"retry-after-ms": "20"})
        if fault == "html":
            return send_bytes(handler, 200, b"<html>sign in</html>", "text/html")
        if fault == "empty":
            return send_bytes(handler, 200, b"", "application/json")
        if fault in ("cut", "silent"):
            return cut(handler, name, 0 if fault == "cut" else 0.5)
        made = []
        for number, call in enumerate(calls):
            call_id = f"call_{plan['id']}_{results}_{number}"
            if fault == "strange ids":
                call_id = ("", "same", "not an id!")[number % 3]
            given = json.dumps(call["arguments"])
            made.append((call_id, "no_such_tool" if fault == "no such tool" else call["tool"], given[:9] if fault == "half arguments" else given))
        text = "" if made else "Done with " + (plan["id"] if plan else "nothing")
        return send(handler, 200, reply(name, text, made, fault == "length"))


def send_bytes(handler, status, body, kind, headers=None):
    handler.send_response(status)
    for key, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
        handler.send_header(key, value)
    handler.end_headers()
    handler.wfile.write(body)


def send(handler, status, body, headers=None):
    send_bytes(handler, status, json.dumps(body).encode(), "application/json", headers)


def cut(handler, name, wait):
    """A stream that ends in the middle, after some text."""
    first = {"openai": {"choices": [{"index": 0, "delta": {"role": "assistant", "content": "Half a "}, "finish_reason": None}]},
             "openai-responses": {"type": "response.output_text.delta", "item_id": "m", "output_index": 0, "content_index": 0, "delta": "Half a "},
             "anthropic": {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": [], "usage": {}}}}[name]
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.send_header("Connection", "close")
    handler.end_headers()
    handler.wfile.write(f"data: {json.dumps(first)}\n\n".encode())
    handler.wfile.flush()
    time.sleep(wait)
    handler.close_connection = True

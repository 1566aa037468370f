#!/usr/bin/env python3
"""An MCP server for tests: speaks any revision over stdio or streamable HTTP, well and badly.

What it does wrong is asked for by its command line (how it starts) and by the tools that are
called (everything else). What it sees goes to --record FILE, one JSON object a line.
"""
import argparse
import base64
import json
import os
import sys
import threading
import time

from scripted_nonsense import nonsense, text
from scripted_questions import Asked, confirms, withdraws

META = "io.modelcontextprotocol/"


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--revision", default="2025-11-25")
    parser.add_argument("--http", help="serve HTTP; the port goes to this file")
    parser.add_argument("--start", default="well", help="well, hang, exit, noise, silent-probe, dies-on-probe, slow, or late: starts once two requests wait")
    parser.add_argument("--record", help="file for what it sees")
    parser.add_argument("--tools", type=int, default=0, help="number of further tools")
    parser.add_argument("--page", type=int, default=50, help="tools on a page")
    parser.add_argument("--bad-tools", action="store_true", help="also list what cannot be offered")
    parser.add_argument("--no-sessions", action="store_true", help="HTTP: give no session ids")
    return parser.parse_args()


OPTIONS = options()
MODERN = OPTIONS.revision >= "2026-07-28"


class Record:
    def __init__(self, path):
        self.lock = threading.Lock()
        self.file = open(path, "a", buffering=1) if path else None

    def __call__(self, **what):
        if self.file:
            with self.lock:
                self.file.write(json.dumps(what) + "\n")


record = Record(OPTIONS.record)
ASKED = Asked()
DECLARED = {}  # in the last handshake


def tool(name, properties=None, **more):
    schema = {"type": "object", "properties": properties or {}}
    return {"name": name, "description": f"Does {name}.", "inputSchema": schema, **more}


NUMBER = {"type": "number"}
TEXT = {"type": "string"}
SUM_SCHEMA = {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}


class Tools:
    """The list, which may change."""

    def __init__(self):
        self.extra = [f"extra_{i:04}" for i in range(OPTIONS.tools)]
        self.listeners = []
        self.lock = threading.Lock()

    def all(self):
        listed = [
            tool("echo", {"text": TEXT}, title="Echo"), tool("add", {"a": NUMBER, "b": NUMBER}, outputSchema=SUM_SCHEMA),
            tool("wrong_sum", outputSchema=SUM_SCHEMA), tool("picture", {"bytes": NUMBER}), tool("blocks"),
            tool("big_text", {"bytes": NUMBER}), tool("fails", {"text": TEXT}), tool("refuses"),
            tool("steps", {"count": NUMBER}), tool("flood", {"count": NUMBER}), tool("waits"), tool("dies"), tool("pid"),
            tool("nonsense", {"kind": TEXT}), tool("change", {"names": {"type": "array", "items": TEXT}}),
            tool("confirms", {"message": TEXT, "times": NUMBER, "at_once": NUMBER, "method": TEXT}), tool("withdraws"), tool("declared"),
            tool("asks"), tool("again", {"times": NUMBER}), tool("environment"), tool("slowly", {"ms": NUMBER}),
            tool("mirrored", {"region": {"type": "string", "x-mcp-header": "Region"}}), tool("forget_sessions"),
            tool("breaks_off"), tool("with.dots and spaces"),
            tool("reads", annotations={"readOnlyHint": True}), tool("destroys", annotations={"destructiveHint": True}),
            {"name": "old_draft", "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
             "definitions": {"n": {"type": "integer"}}, "properties": {"n": {"$ref": "#/definitions/n"}}}},
        ]
        if OPTIONS.bad_tools:
            listed += [
                {"name": "no_schema"}, 17, {"inputSchema": {"type": "object"}}, tool("x" * 200),
                {"name": "bad_schema", "inputSchema": {"type": "object", "properties": {"a": {"type": "no such type"}}}},
                {"name": "not_an_object", "inputSchema": {"type": "string"}}, tool("echo"),
                tool("huge", {"a": {"type": "string", "description": "x" * 600_000}}),
                tool("task_only", execution={"taskSupport": "required"}),
                {"name": "mirrors_badly", "inputSchema": {"type": "object", "properties": {"a": {"type": "number", "x-mcp-header": "A"}}}},
            ]
        with self.lock:
            return listed + [tool(name) for name in self.extra]

    def change(self, names):
        with self.lock:
            self.extra = list(names)
            listeners = list(self.listeners)
        for tell in listeners:
            tell()


TOOLS = Tools()


class Refused(Exception):
    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.error = {"code": code, "message": message, **({"data": data} if data is not None else {})}


class Call:
    """One request in progress; `send` says something on its channel."""

    def __init__(self, channel, message):
        self.channel = channel
        self.id = message["id"]
        self.params = message.get("params") or {}
        self.meta = self.params.get("_meta") or {}
        self.cancelled = threading.Event()

    def send(self, message):
        self.channel.send({"jsonrpc": "2.0", **message})

    def progress(self, done, total=None, message=None):
        params = {"progressToken": self.meta.get("progressToken"), "progress": done}
        if total is not None:
            params["total"] = total
        if message is not None:
            params["message"] = message
        self.send({"method": "notifications/progress", "params": params})


PIXEL = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


def run(call):
    name = call.params.get("name")
    arguments = call.params.get("arguments") or {}
    record(event="call", name=name, arguments=arguments, id=call.id, meta=call.meta)
    if name == "echo":
        return text(arguments.get("text", ""))
    if name == "add":
        total = int(arguments["a"] + arguments["b"])
        return {**text(str(total)), "structuredContent": {"sum": total}}
    if name == "wrong_sum":
        return {**text("?"), "structuredContent": {"sum": "many"}}
    if name == "picture":
        data = PIXEL + b"\0" * int(arguments.get("bytes", 0))
        return {"content": [{"type": "text", "text": "a picture"},
                            {"type": "image", "data": base64.b64encode(data).decode(), "mimeType": "image/png"}]}
    if name == "blocks":
        return {"content": [{"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
                            {"type": "resource_link", "uri": "file:///a", "name": "a"},
                            {"type": "resource", "resource": {"uri": "file:///b", "text": "inside", "mimeType": "text/plain"}}]}
    if name == "big_text":
        return text("x" * int(arguments["bytes"]))
    if name == "fails":
        return {**text(arguments.get("text", "it did not work")), "isError": True}
    if name == "refuses":
        raise Refused(-32602, "these arguments are wrong", {"field": "x"})
    if name == "steps":
        for i in range(int(arguments["count"])):
            call.progress(i + 1, arguments["count"], f"step {i + 1}")
            time.sleep(0.05)
        return text("done")
    if name == "flood":
        for i in range(int(arguments["count"])):
            call.progress(i + 1)
        call.progress(1)  # goes back, which it must not
        return text("done")
    if name == "waits":
        if call.cancelled.wait(60):
            record(event="cancelled", id=call.id)
            return None
        return text("it was not cancelled")
    if name == "slowly":
        time.sleep(arguments["ms"] / 1000)
        return text("slowly")
    if name == "dies":
        os._exit(3)
    if name == "pid":
        return text(str(os.getpid()))
    if name == "nonsense":
        return nonsense(call, arguments["kind"], TOOLS)
    if name == "change":
        TOOLS.change(arguments["names"])
        return text("changed")
    if name == "asks":
        if MODERN:
            return {"resultType": "input_required", "inputRequests": {"k": {"method": "elicitation/create", "params": {}}}}
        answer = call.channel.ask("sampling/createMessage", {"messages": [], "maxTokens": 1})
        return {**text(f"the client said {answer.get('error', {}).get('code')}"), "isError": True}
    if name == "confirms":
        return confirms(call, arguments, MODERN, record)
    if name == "withdraws":
        return withdraws(call)
    if name == "declared":
        return {**text(""), "structuredContent": call.meta[META + "clientCapabilities"] if MODERN else DECLARED}
    if name == "again":
        times = int(call.params.get("requestState", "0"))
        if times < arguments["times"]:
            return {"resultType": "input_required", "requestState": str(times + 1)}
        return text(f"asked again {times} times")
    if name == "environment":
        return {**text(""), "structuredContent": dict(os.environ)}
    if name in ("mirrored", "with.dots and spaces", "reads", "destroys", "old_draft") or name in TOOLS.extra:
        return text(f"{name} ran")
    if name == "forget_sessions":
        call.channel.forget_sessions()
        return text("forgotten")
    if name == "breaks_off":
        return call.channel.break_off(call, text("after the break"))
    raise Refused(-32602, f"Unknown tool: {name}")


def list_page(params):
    begin = int(params.get("cursor") or 0)
    listed = TOOLS.all()
    page = {"tools": listed[begin:begin + OPTIONS.page]}
    if begin + OPTIONS.page < len(listed):
        page["nextCursor"] = str(begin + OPTIONS.page)
    if MODERN:
        page |= {"ttlMs": 1000, "cacheScope": "public"}
    return page


def answer(call, method):
    """The result of a request; None: there is none, or it was sent already."""
    if MODERN:
        version = call.meta.get(META + "protocolVersion")
        if version is None or META + "clientCapabilities" not in call.meta:
            raise Refused(-32602, "the request has no _meta of this revision")
        if version != OPTIONS.revision:
            raise Refused(-32022, "Unsupported protocol version", {"supported": [OPTIONS.revision], "requested": version})
        if method == "server/discover":
            return {"supportedVersions": [OPTIONS.revision], "capabilities": {"tools": {"listChanged": True}},
                    "_meta": {META + "serverInfo": {"name": "scripted", "version": "1"}}, "ttlMs": 0, "cacheScope": "public"}
    elif method == "initialize":
        DECLARED.clear()
        DECLARED.update(call.params["capabilities"])
        return {"protocolVersion": OPTIONS.revision, "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "scripted", "version": "1"}}
    elif method == "ping":
        return {}
    if method == "tools/list":
        record(event="list", cursor=call.params.get("cursor"))
        return list_page(call.params)
    if method == "tools/call":
        return run(call)
    raise Refused(-32601, f"Method not found: {method}")


def respond(call, method):
    try:
        result = answer(call, method)
    except Refused as refused:
        call.send({"id": call.id, "error": refused.error})
        return
    if result is not None and not call.cancelled.is_set():
        if MODERN:
            result = {"resultType": "complete", **result}
        call.send({"id": call.id, "result": result})


class Stdio:
    def __init__(self):
        self.lock = threading.Lock()
        self.calls = {}
        self.subscription = None
        self.reads = threading.Event()
        self.reads.set()
        TOOLS.listeners.append(self.tools_changed)

    def send_bytes(self, data):
        with self.lock:
            sys.stdout.buffer.write(data + b"\n")
            sys.stdout.buffer.flush()

    def send_raw(self, line):
        self.send_bytes(line.encode())

    def send(self, message):
        self.send_raw(json.dumps(message))

    def send_long(self, request, size):
        with self.lock:
            out = sys.stdout.buffer
            out.write(b'{"jsonrpc":"2.0","id":' + str(request).encode() + b',"result":{"content":[{"type":"text","text":"')
            for _ in range(size // 65536):
                out.write(b"x" * 65536)
            out.write(b'"}]}}\n')
            out.flush()

    def tools_changed(self):
        message = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
        if MODERN:
            if self.subscription is None:
                return
            message["params"] = {"_meta": {META + "subscriptionId": self.subscription}}
        self.send(message)

    def ask(self, method, params):
        return ASKED.answer(self.ask_only(method, params))

    def ask_only(self, method, params):
        id = ASKED.begin()
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        return id

    def forget_sessions(self):
        pass

    def stop_reading(self):
        self.reads.clear()

    def break_off(self, call, result):
        return result

    def answer_late(self):
        """As the Python SDK 2 does when both wait as it starts: the first decides what the connection speaks."""
        discover, initialize = (json.loads(sys.stdin.buffer.readline()) for _ in range(2))
        assert [discover["method"], initialize["method"]] == ["server/discover", "initialize"]
        record(event="refused_initialize")
        call = self.calls[discover["id"]] = Call(self, discover)
        respond(call, discover["method"])
        self.send({"jsonrpc": "2.0", "id": initialize["id"],
                   "error": {"code": -32022, "message": f"connection is serving the {OPTIONS.revision} protocol"}})

    def serve(self):
        if OPTIONS.start == "late":
            self.answer_late()
        for line in sys.stdin.buffer:
            self.reads.wait()
            message = json.loads(line)
            method = message.get("method")
            if method is None:
                ASKED.answered(message)
            elif "id" not in message:
                record(event="notified", method=method, params=message.get("params"))
                if method == "notifications/cancelled":
                    call = self.calls.get(message["params"]["requestId"])
                    if call:
                        call.cancelled.set()
            elif method == "server/discover" and OPTIONS.start == "dies-on-probe":
                os._exit(1)
            elif method == "server/discover" and OPTIONS.start == "silent-probe":
                pass
            elif method == "subscriptions/listen" and MODERN:
                self.subscription = message["id"]
                self.send({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
                           "params": {"_meta": {META + "subscriptionId": message["id"]}, "notifications": {"toolsListChanged": True}}})
            else:
                call = self.calls[message["id"]] = Call(self, message)
                threading.Thread(target=respond, args=(call, method), daemon=True).start()
        record(event="end of input")
        os._exit(0)


if __name__ == "__main__":
    if OPTIONS.start == "hang":
        print("loading the model", file=sys.stderr, flush=True)
        time.sleep(600)
    if OPTIONS.start == "slow":
        time.sleep(1.3)
    if OPTIONS.start == "exit":
        print("cannot find my configuration", file=sys.stderr, flush=True)
        sys.exit(7)
    if OPTIONS.start == "noise":
        print("Welcome to the scripted server!", flush=True)
        print("something for the log", file=sys.stderr, flush=True)
    record(event="started", pid=os.getpid())
    if OPTIONS.http:
        sys.dont_write_bytecode = True
        sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
        import scripted_http
        scripted_http.serve(sys.modules["__main__"])
    else:
        Stdio().serve()

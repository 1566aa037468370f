"""The HTTP side of scripted_server.py: streamable HTTP of every revision, on a port of the kernel's."""
import json
import os
import queue
import secrets
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

STATE = threading.Lock()
SESSIONS = set()
LISTENERS = []  # queues of open streams
KEPT = {}  # event id -> answer that was not sent
CALLS = {}  # (session, id) -> call


class Exchange:
    """One POST: an event stream as soon as something is said before the answer, else one JSON object."""

    def __init__(self, handler):
        self.handler = handler
        self.lock = threading.Lock()
        self.streaming = False
        self.done = False

    def begin_stream(self):
        if not self.streaming:
            self.streaming = True
            self.handler.start_stream()

    def send(self, message):
        with self.lock:
            if self.done:
                return
            is_answer = "result" in message or "error" in message
            if is_answer and not self.streaming:
                self.done = True
                code = message.get("error", {}).get("code")
                status = {-32022: 400, -32601: 404}.get(code, 200) if self.handler.server.main.MODERN else 200
                if code == -32602 and "_meta" in message["error"]["message"]:
                    status = 400
                self.handler.answer(status, json.dumps(message).encode(), "application/json")
                return
            self.begin_stream()
            self.handler.event(json.dumps(message))
            self.done = is_answer

    def send_raw(self, text):
        self.send_bytes(text.encode())

    def send_bytes(self, data):
        with self.lock:
            if self.streaming:
                self.handler.event(data.decode(errors="surrogateescape"))
            else:
                self.done = True
                self.handler.answer(200, data, "application/json")

    def send_long(self, _request, size):
        with self.lock:
            self.begin_stream()
            try:
                self.handler.wfile.write(b"data: ")
                for _ in range(size // 65536):
                    self.handler.wfile.write(b"x" * 65536)
                self.handler.wfile.write(b"\n\n")
            except OSError:
                self.handler.server.main.record(event="hung up")
            self.done = True

    def ask(self, method, params):
        return self.handler.server.main.ASKED.answer(self.ask_only(method, params))

    def ask_only(self, method, params):
        id = self.handler.server.main.ASKED.begin()
        with self.lock:
            self.begin_stream()
            self.handler.event(json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
        return id

    def forget_sessions(self):
        with STATE:
            SESSIONS.clear()

    def break_off(self, call, result):
        """Closes the connection, and keeps the answer for a client that returns with the event's id."""
        event_id = secrets.token_hex(4)
        with STATE:
            KEPT[event_id] = json.dumps({"jsonrpc": "2.0", "id": call.id, "result": result})
        with self.lock:
            self.begin_stream()
            self.handler.wfile.write(f"id: {event_id}\nretry: 20\ndata:\n\n".encode())
            self.done = True
        return None


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", media=None, headers=()):
        self.send_response(status)
        if media:
            self.send_header("Content-Type", media)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def start_stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def event(self, text):
        self.wfile.write(f"event: message\ndata: {text}\n\n".encode(errors="surrogateescape"))
        self.wfile.flush()

    def knows_session(self):
        main = self.server.main
        if main.MODERN or main.OPTIONS.no_sessions:
            return True
        with STATE:
            known = self.headers.get("Mcp-Session-Id") in SESSIONS
        if not known:
            self.answer(404 if self.headers.get("Mcp-Session-Id") else 400, b"no such session", "text/plain")
        return known

    def do_POST(self):
        main = self.server.main
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        message = json.loads(body)
        method = message.get("method")
        main.record(event="post", method=method, headers={k.lower(): v for k, v in self.headers.items()})
        if method == "initialize" and not main.MODERN:
            headers = []
            if not main.OPTIONS.no_sessions:
                session = secrets.token_hex(8)
                with STATE:
                    SESSIONS.add(session)
                headers = [("Mcp-Session-Id", session)]
            call = main.Call(None, message)
            result = {"jsonrpc": "2.0", "id": message["id"], "result": main.answer(call, method)}
            self.answer(200, json.dumps(result).encode(), "application/json", headers)
            return
        if not self.knows_session():
            return
        if main.MODERN and self.wrong_headers(message):
            return
        if method is None:
            main.ASKED.answered(message)
            self.answer(202)
        elif "id" not in message:
            if method == "notifications/cancelled":
                call = CALLS.get((self.headers.get("Mcp-Session-Id"), message["params"]["requestId"]))
                if call:
                    call.cancelled.set()
            self.answer(202)
        elif method == "subscriptions/listen" and main.MODERN:
            self.listen(message["id"])
        else:
            exchange = Exchange(self)
            call = CALLS[(self.headers.get("Mcp-Session-Id"), message["id"])] = main.Call(exchange, message)
            try:
                main.respond(call, method)
            except OSError:
                main.record(event="hung up", id=call.id)

    def wrong_headers(self, message):
        wanted = {"Mcp-Method": message.get("method")}
        params = message.get("params") or {}
        if message.get("method") == "tools/call":
            wanted["Mcp-Name"] = params.get("name")
        wrong = [name for name, value in wanted.items() if self.headers.get(name) != value]
        if params.get("name") == "mirrored" and self.headers.get("Mcp-Param-Region") != params["arguments"].get("region"):
            wrong.append("Mcp-Param-Region")
        if wrong:
            error = {"code": -32020, "message": f"Header mismatch: {wrong}"}
            self.answer(400, json.dumps({"jsonrpc": "2.0", "id": message.get("id"), "error": error}).encode(), "application/json")
        return bool(wrong)

    def listen(self, subscription=None):
        events = queue.Queue()
        self.start_stream()
        if subscription is not None:
            self.event(json.dumps({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
                                   "params": {"_meta": {self.server.main.META + "subscriptionId": subscription},
                                              "notifications": {"toolsListChanged": True}}}))
        self.server.main.record(event="listening")
        with STATE:
            LISTENERS.append(events)
        try:
            while True:
                try:
                    events.get(timeout=0.2)
                    self.event(json.dumps({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}))
                except queue.Empty:
                    self.wfile.write(b": still here\n\n")
        except OSError:
            pass

    def do_GET(self):
        main = self.server.main
        if main.MODERN:
            self.answer(405)
            return
        if not self.knows_session():
            return
        kept = KEPT.pop(self.headers.get("Last-Event-ID"), None)
        if kept:
            main.record(event="resumed")
            self.start_stream()
            self.event(kept)
        else:
            self.listen()

    def do_DELETE(self):
        self.server.main.record(event="deleted", session=self.headers.get("Mcp-Session-Id"))
        with STATE:
            SESSIONS.discard(self.headers.get("Mcp-Session-Id"))
        self.answer(200)


def serve(main):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.main = main

    def changed():
        with STATE:
            for listener in LISTENERS:
                listener.put(1)

    main.TOOLS.listeners.append(changed)
    path = main.OPTIONS.http
    with open(path + ".new", "w") as file:
        file.write(str(server.server_address[1]))
    os.replace(path + ".new", path)
    server.serve_forever()

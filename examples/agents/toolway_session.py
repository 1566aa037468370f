"""A session of Toolway, over its HTTP API. Standard library only.

Requests are sent again when the gateway is away, restarts or asks for it (`retry-after`), for `patience` seconds. That is safe: opening
a session and acknowledging are the same twice, and a message's calls carry an Idempotency-Key.
"""
import json
import time
import urllib.error
import urllib.parse
import urllib.request


def is_temporary(status, problem):
    return status in (429, 502, 503, 504) or b'"code":"request_in_flight"' in problem


class Session:
    """Opens the session, or takes up the one that exists. `format`: openai, openai-responses or anthropic."""

    def __init__(self, url, session_id, namespaces, format="openai", user=None, patience=60):
        self.url, self.format, self.patience = url.rstrip("/"), format, patience
        self.path = "/v1/sessions/" + urllib.parse.quote(session_id, safe="")
        self.headers = {"X-Toolway-User": user} if user else {}
        self.ask("POST", "/v1/sessions", {"session_id": session_id, "namespaces": namespaces})

    def tools(self):
        """What goes into the model's request as `tools`."""
        return self.ask("GET", f"{self.path}/tools?format={self.format}")["tools"]

    def run(self, message, key, inline_ms=None):
        """Runs the calls of a model's message. Returns the messages that answer it, and the ids of the calls that are still running.

        With the same `key` and message the calls are the same ones, however often this is asked: nothing runs twice.
        """
        wait = "" if inline_ms is None else f"&inline_ms={inline_ms}"
        answer = self.ask("POST", f"{self.path}/tool_calls?format={self.format}{wait}", message, {"Idempotency-Key": key})
        return answer["messages"], [call["call_id"] for call in answer["calls"] if call["status"] == "detached"]

    def completions(self):
        """What has ended since the last `ack`, and the cursor to acknowledge."""
        ended, after = [], ""
        while True:
            page = self.ask("GET", self.path + "/completions" + after)
            ended += page["completions"]
            if not page["more"]:
                return ended, page["next"]
            after = "?after=" + page["next"]

    def ack(self, cursor):
        self.ask("POST", self.path + "/completions:ack", {"cursor": cursor})

    def wait(self, call_id):
        """Until a call has ended: the stream of its events ends then, or when the gateway does."""
        with self.open("GET", f"/v1/calls/{call_id}/events", accept="text/event-stream") as events:
            try:
                for _ in events:
                    pass
            except OSError:
                pass  # the caller looks whether it has ended, and waits again

    def ask(self, method, path, body=None, headers=None):
        with self.open(method, path, body, headers) as answer:
            return json.load(answer)

    def open(self, method, path, body=None, headers=None, accept="application/json"):
        data = None if body is None else json.dumps(body).encode()
        headers = {**self.headers, "Content-Type": "application/json", "Accept": accept, **(headers or {})}
        give_up = time.monotonic() + self.patience
        while True:
            try:
                return urllib.request.urlopen(urllib.request.Request(self.url + path, data, headers, method=method), timeout=320)
            except urllib.error.HTTPError as error:
                problem = error.read()
                if not is_temporary(error.code, problem) or time.monotonic() > give_up:
                    raise RuntimeError(f"{method} {path}: {error.code} {problem.decode(errors='replace')}") from None
                time.sleep(float(error.headers.get("retry-after") or 1))
            except OSError as error:
                if time.monotonic() > give_up:
                    raise RuntimeError(f"{method} {path}: {error}") from None
                time.sleep(0.5)


def late_message(call):
    """A completion as a message on the user's side, in the form that all three APIs take."""
    if call["outcome"] == "succeeded":
        result = call["result"] if isinstance(call["result"], str) else json.dumps(call["result"], indent=2)
        what = "has ended. Its result:\n" + result
        if call["result_ref"]:
            what += f"\n[This is only the beginning of {call['result_ref']['size']} bytes.]"
    else:
        what = f"has {call['outcome']}: " + (call["error"] or {}).get("message", "")
    return {"role": "user", "content": f"The call {call['tool_call_id']} of {call['namespace']}.{call['tool']}, "
                                       f"which ran in the background, {what}"}

"""What scripted_server.py asks its client."""
import json
import threading

from scripted_nonsense import text


class Asked:
    """The questions of one server to its client, by the ids of their requests; answers come on another thread."""

    def __init__(self):
        self.lock = threading.Lock()
        self.waiting = {}
        self.count = 0

    def begin(self):
        with self.lock:
            self.count += 1
            id = f"ask-{self.count}"
            self.waiting[id] = [threading.Event(), {}]
            return id

    def answered(self, message):
        waiting = self.waiting.get(message.get("id"))
        if waiting:
            waiting[1] = message
            waiting[0].set()

    def answer(self, id):
        self.waiting[id][0].wait(60)
        return self.waiting.pop(id)[1]


def question(arguments):
    method = arguments.get("method", "elicitation/create")
    if method != "elicitation/create":
        return method, {"messages": [], "maxTokens": 1} if "sampling" in method else {}
    schema = {"type": "object", "properties": {"confirm": {"type": "boolean"}}, "required": ["confirm"]}
    params = {"message": arguments.get("message", "Really?"), "requestedSchema": schema, "_meta": {"progressToken": "of the server"}}
    return method, params


def confirms(call, arguments, modern, record):
    """Asks `times`, one after the other, and returns all that it was told; negative: for ever."""
    method, params = question(arguments)
    times = int(arguments.get("times", 1))
    if modern:
        told = json.loads(call.params.get("requestState", "[]"))
        told += (call.params.get("inputResponses") or {}).values()
        if times < 0 or len(told) < times:
            record(event="asks", method=method)
            keys = [f"k{i}" for i in range(int(arguments.get("at_once", 1)))]
            return {"resultType": "input_required", "requestState": json.dumps(told),
                    "inputRequests": {key: {"method": method, "params": params} for key in keys}}
        return {**text(json.dumps(told)), "structuredContent": {"told": told}}
    told = []
    while times < 0 or len(told) < times:
        record(event="asks", method=method)
        answer = call.channel.ask(method, params)
        told.append(answer.get("result", answer.get("error")))
        if times < 0 and call.cancelled.is_set():
            return None
    return {**text(json.dumps(told)), "structuredContent": {"told": told}}


def withdraws(call):
    """Asks, and no longer wants to know."""
    id = call.channel.ask_only("elicitation/create", {"message": "Never mind"})
    call.send({"method": "notifications/cancelled", "params": {"requestId": id}})
    call.cancelled.wait(0.3)
    return text("withdrawn")

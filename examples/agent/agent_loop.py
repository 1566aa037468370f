"""An agent loop over Toolway's HTTP API that also gets the results that come late.

A call that is not done within `inline_ms` is answered as `detached`, and continues. Its result cannot answer the model's
call a second time, so it comes back into the conversation as a message of the user's side. The mailbox gives each
completion once, also after this program was restarted; what was answered at once is in it too, and is passed over.

Standard library only. `model` is a function from (messages, tools) to the assistant's message, in the form of OpenAI's
Chat Completions. With the SDK:

    client = openai.OpenAI()
    model = lambda messages, tools: client.chat.completions.create(
        model="…", messages=messages, tools=tools).choices[0].message.model_dump(exclude_none=True)
"""
import json
import urllib.parse
import urllib.request


class Session:
    """A session of Toolway, opened if there is none."""

    def __init__(self, url, session_id, namespaces, user=None):
        self.url = url.rstrip("/")
        self.path = "/v1/sessions/" + urllib.parse.quote(session_id, safe="")
        self.headers = {"X-Toolway-User": user} if user else {}
        self.ask("POST", "/v1/sessions", {"session_id": session_id, "namespaces": namespaces})

    def ask(self, method, path, body=None):
        with self.open(method, path, body) as answer:
            return json.load(answer)

    def open(self, method, path, body=None, accept="application/json"):
        data = None if body is None else json.dumps(body).encode()
        headers = {**self.headers, "Content-Type": "application/json", "Accept": accept}
        return urllib.request.urlopen(urllib.request.Request(self.url + path, data, headers, method=method))

    def tools(self):
        return self.ask("GET", self.path + "/tools?format=openai")["tools"]

    def run(self, message, inline_ms):
        """Runs the calls of an assistant's message: the messages that answer it, and the ids of the calls that go on."""
        answer = self.ask("POST", f"{self.path}/tool_calls?format=openai&inline_ms={inline_ms}", message)
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
        """Until a call has ended: the stream of its events ends then."""
        with self.open("GET", f"/v1/calls/{call_id}/events", accept="text/event-stream") as events:
            for _ in events:
                pass


def late_message(call):
    """A completion as a message that any model understands."""
    if call["outcome"] == "succeeded":
        result = call["result"] if isinstance(call["result"], str) else json.dumps(call["result"], indent=2)
        what = "has ended. Its result:\n" + result
        if call["result_ref"]:
            what += f"\n[This is only the beginning of {call['result_ref']['size']} bytes.]"
    else:
        what = f"has {call['outcome']}: " + (call["error"] or {}).get("message", "")
    return {"role": "user", "content": f"The call {call['tool_call_id']} of {call['namespace']}.{call['tool']}, "
                                       f"which went on in the background, {what}"}


def collect(session, running, wait):
    """Messages of the `running` calls that have ended, which are taken out of it; with `wait` there is at least one."""
    while running:
        ended, cursor = session.completions()
        late = [call for call in ended if call["call_id"] in running]
        if not late and wait:
            session.wait(next(iter(running)))
            continue
        running -= {call["call_id"] for call in late}
        # A program that keeps the conversation in a database stores these messages here, before it acknowledges them.
        session.ack(cursor)
        return [late_message(call) for call in late]
    return []


def converse(model, session, messages, inline_ms=20000):
    """Repeats until the model calls no tool and none of its calls is running. `messages` grows; the last one is returned."""
    running = set()
    answers = []
    while True:
        messages += collect(session, running, wait=not answers)
        message = model(messages, session.tools())
        messages.append(message)
        answers, detached = session.run(message, inline_ms)
        messages += answers
        running |= set(detached)
        if not answers and not running:
            return message

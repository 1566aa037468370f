"""What the conformance suite runs as its client: a `toolway dev` whose executor of kind `mcp` is the client, and whose caller, this program,
calls every tool of the suite's server over REST and answers what they ask, as a person would who accepts what a form proposes.

usage: client_leg.py PROGRAM URL     PROGRAM: toolway; the suite adds URL"""

import json
import os
import pathlib
import sys
import tempfile
import time
import urllib.error
import urllib.request

PACK = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(PACK.parents[0] / "e2e/telemetry"))
from dev_stack import Dev  # noqa: E402

URL = sys.argv[2]
ASKED_FOR = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}").get("toolCalls", [])
EXAMPLES = {"string": "text", "integer": 3, "number": 2.5, "boolean": True, "array": [], "object": {}}


def get(dev, path):
    with urllib.request.urlopen(urllib.request.Request(dev.ready["http"] + path, headers={"x-toolway-user": "telemetry", "accept": "application/json"}), timeout=60) as answer:
        return json.loads(answer.read())


def proposed(form):
    """What a form proposes; where it proposes nothing, something that fits."""
    content = {}
    for name, field in form.get("properties", {}).items():
        if "default" in field:
            content[name] = field["default"]
        elif name in form.get("required", []):
            content[name] = field["enum"][0] if "enum" in field else EXAMPLES[field["type"]]
    return content


def answer_to(question):
    if question["method"] == "roots/list":
        return {"roots": [{"uri": "file:///tmp", "name": "tmp"}]}
    if question["method"] == "sampling/createMessage":
        return {"role": "assistant", "content": {"type": "text", "text": "text"}, "model": "suite", "stopReason": "endTurn"}
    return {"action": "accept", "content": proposed(question["params"].get("requestedSchema", {}))}


def follow(dev, call):
    """To its end, answering on the way."""
    answered = set()
    deadline = time.monotonic() + 20
    while get(dev, f"/v1/calls/{call}")["state"] != "completed" and time.monotonic() < deadline:
        for event in get(dev, f"/v1/calls/{call}/events?limit=1000")["events"]:
            for question in event.get("questions", []) if event["type"] == "input_requested" else []:
                if question["key"] in answered:
                    continue
                answered.add(question["key"])
                dev.post(f"/v1/calls/{call}/input", {"answers": {question["key"]: answer_to(question)}})
        time.sleep(0.05)
    return get(dev, f"/v1/calls/{call}")


def arguments_of(tool, tools):
    """Of a tool that takes a schema: that of another one, as it came."""
    schema = tool["input_schema"]
    made = {}
    for name, field in schema.get("properties", {}).items():
        if name == "schema":
            made[name] = next(other["input_schema"] for other in tools if other is not tool)
        elif name in schema.get("required", []):
            made[name] = EXAMPLES.get(field.get("type"), "text")
    return made


def begin(dev, name, arguments):
    """The call; None: it is refused, as the tool's schema does not allow these arguments."""
    try:
        return dev.post("/v1/sessions/suite/calls", {"tool": f"suite.{name}", "arguments": arguments})["call_id"]
    except urllib.error.HTTPError as refused:
        problem = json.loads(refused.read())
        print(name, problem["code"], problem.get("detail"))
        return None


def calls_of(tools):
    """Those that the suite asks for, and else one of each tool."""
    if ASKED_FOR:
        # A schema that wants a boolean does not take null: who calls leaves it out.
        return [(call["name"], {name: value for name, value in call["arguments"].items() if value is not None}) for call in ASKED_FOR]
    return [(tool["name"], arguments_of(tool, tools)) for tool in tools]


def main():
    with tempfile.TemporaryDirectory(prefix="toolway-client-leg-") as directory:
        servers = pathlib.Path(directory) / "mcp.yaml"
        servers.write_text(json.dumps({"suite": {"url": URL, "allow_addresses": ["127.0.0.1", "::1", "localhost"]}}))
        with Dev(sys.argv[1], "--set", f"mcp.servers={servers}") as dev:
            dev.post("/v1/sessions", {"session_id": "suite", "namespaces": ["suite"]})
            deadline = time.monotonic() + 15
            while not (tools := get(dev, "/v1/sessions/suite/tools")["tools"]) and time.monotonic() < deadline:
                time.sleep(0.1)
            for call in [begin(dev, name, arguments) for name, arguments in calls_of(tools)]:
                if call is not None:
                    done = follow(dev, call)
                    print(done["tool"], done["outcome"], json.dumps(done["error"] or done["result"])[:300])


if __name__ == "__main__":
    main()

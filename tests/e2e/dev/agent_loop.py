"""Runs examples/agents/agent_loop.py against a gateway with a scripted model, and prints the conversation as JSON."""
import json
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from agent_loop import Conversation, converse  # noqa: E402
from toolway_session import Session  # noqa: E402


def call(call_id, name, **arguments):
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


TURNS = iter([
    {"role": "assistant", "content": None, "tool_calls": [call("call_quick", "bench__work", chunks=2), call("call_slow", "bench__work", wait_ms=4000),
                                                          call("call_none", "bench__wrok")]},
    {"role": "assistant", "content": "I wait for the slow one."},
    {"role": "assistant", "content": "Both are done."},
])


def model(messages, tools):
    assert any(tool["function"]["name"] == "bench__work" for tool in tools), tools
    message = next(TURNS)
    return [message], message, message["content"]


conversation = Conversation()
session = Session(sys.argv[2], "agent", ["bench"], user="ann")
last = converse(model, session, conversation, "Work, please.", inline_ms=2500)
assert last == "Both are done.", last
assert session.completions()[0] == [], "everything is acknowledged"
print(json.dumps(conversation.messages))

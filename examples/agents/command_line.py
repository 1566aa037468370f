"""What the three programs have in common: their options."""
import argparse
import os
import sys

from agent_loop import Conversation, converse
from toolway_session import Session


def main(description, format, model, default_model):
    """`model(name)` returns the function that `converse` takes."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument("message", help="what the user says")
    options.add_argument("--session", default="agent", help="a session of Toolway; opened if there is none (agent)")
    options.add_argument("--namespace", action="append", help="whose tools the model gets; repeatable (default)")
    options.add_argument("--conversation", metavar="FILE", help="keeps the conversation, and continues one that a kill interrupted")
    options.add_argument("--model", default=os.environ.get("MODEL", default_model), help=f"MODEL, or {default_model}")
    options.add_argument("--inline-ms", type=int, help="how long the model waits for a call's result (the tool's own)")
    options.add_argument("--url", default=os.environ.get("TOOLWAY_URL", "http://127.0.0.1:8080"), help="of a gateway (TOOLWAY_URL)")
    asked = options.parse_args()
    session = Session(asked.url, asked.session, asked.namespace or ["default"], format, user=os.environ.get("TOOLWAY_USER"))
    try:
        print(converse(model(asked.model), session, Conversation(asked.conversation), asked.message, asked.inline_ms))
    except KeyboardInterrupt:
        sys.exit(130)

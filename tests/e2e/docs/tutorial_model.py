"""The model of docs/tutorial.md, which asks where an order is and has it packed, and that of examples/agents/README.md, which only talks.
Writes its URL to a file, and serves until it is killed.

usage: tutorial_model.py FILE [tutorial|agents]
"""

import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "agents"))
from scripted_model import ScriptedModel  # noqa: E402

SCRIPTS = {
    "tutorial": [
        {"calls": [{"name": "shop__order_status", "arguments": {"order": "A-17"}}, {"name": "shop__pack_order", "arguments": {"order": "A-17"}}],
         "expect": ["Where is A-17?"]},
        {"text": "A-17 is on its way; I am having it packed again.", "expect": ["on its way"]},
        {"text": "A-17 is packed into 3 parcels.", "expect": ["packed into 3 parcels"]}],
    "agents": [{"text": "I have no clock.", "expect": ["What time is it in Tokyo?"]}],
}

if __name__ == "__main__":
    with ScriptedModel(SCRIPTS[sys.argv[2] if len(sys.argv) > 2 else "tutorial"]) as model:
        pathlib.Path(sys.argv[1]).write_text(model.url)
        signal.pause()

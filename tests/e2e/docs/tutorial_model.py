"""The model of docs/tutorial.md, which asks where an order is and has it packed. Writes its URL to a file, and serves until it is killed.

usage: tutorial_model.py FILE
"""

import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "agents"))
from scripted_model import ScriptedModel  # noqa: E402

SCRIPT = [{"calls": [{"name": "shop__order_status", "arguments": {"order": "A-17"}}, {"name": "shop__pack_order", "arguments": {"order": "A-17"}}],
           "expect": ["Where is A-17?"]},
          {"text": "A-17 is on its way; I am having it packed again.", "expect": ["on its way"]},
          {"text": "A-17 is packed into 3 parcels.", "expect": ["packed into 3 parcels"]}]

if __name__ == "__main__":
    with ScriptedModel(SCRIPT) as model:
        pathlib.Path(sys.argv[1]).write_text(model.url)
        signal.pause()

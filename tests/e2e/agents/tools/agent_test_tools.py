"""Tools whose runs can be counted: each writes a line to EFFECTS, which its caller names."""

import base64
import time

from toolway import Context


def note(effects: str, text: str) -> str:
    """Writes a line.

    Args:
        effects: the file
        text: the line
    """
    with open(effects, "a", encoding="utf-8") as file:
        file.write(text + "\n")
    return "noted " + text


def slow_note(effects: str, text: str, seconds: float):
    """Takes its time, then writes a line; reports how far it is.

    Args:
        effects: the file
        text: the line
        seconds: how long
    """
    steps = max(1, round(seconds / 0.2))
    for step in range(steps):
        time.sleep(0.2)
        yield {"progress": step + 1, "total": steps}
    return note(effects, text)


# One pixel.
PICTURE = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
REPORT = b"%PDF-1.4\n1 0 obj << /Type /Page >> endobj\n"


def picture(context: Context):
    """Shows a picture, a report and a list."""
    context.content("text", text="The picture:")
    context.content("image", data=PICTURE, mime_type="image/png")
    context.content("resource", uri="file:///report.pdf", name="report.pdf", mime_type="application/pdf", data=REPORT)
    context.content("resource", uri="file:///list.csv", mime_type="text/csv", text="name,price\nplum,1")
    return {"pictures": 1}

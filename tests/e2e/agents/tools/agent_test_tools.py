"""Tools whose runs can be counted: each writes a line to EFFECTS, which its caller names."""

import time


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

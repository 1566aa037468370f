"""Tools for streams_test.py and tasks_test.py."""

from toolway import Context


def silent(context: Context, seconds: float) -> str:
    """Says nothing for some seconds."""
    context.cancelled.wait(seconds)
    return "Cancelled." if context.cancelled.is_set() else "Done."

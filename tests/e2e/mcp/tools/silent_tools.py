"""Tools for the tests here."""

from toolway import Context


def silent(context: Context, seconds: float) -> str:
    """Says nothing for some seconds."""
    context.cancelled.wait(seconds)
    return "Cancelled." if context.cancelled.is_set() else "Done."


def large(bytes: int) -> str:
    """As many characters."""
    return "x" * bytes


def record(bytes: int) -> dict:
    """As many characters, in a record."""
    return {"text": "x" * bytes}

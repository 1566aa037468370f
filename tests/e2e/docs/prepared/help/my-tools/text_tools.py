def word_count(text: str) -> int:
    """Counts the words of a text.

    Args:
        text: what to count in
    """
    return len(text.split())


def tidy(folder: str, context) -> str:
    """Empties a folder, once the user has confirmed it."""
    answer = context.ask("Empty %s?" % folder, {"type": "object", "properties": {"confirm": {"type": "boolean"}}}, key="confirm")
    return "Emptied." if answer and answer.content.get("confirm") else "Kept."

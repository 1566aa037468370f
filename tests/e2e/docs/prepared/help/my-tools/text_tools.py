def word_count(text: str) -> int:
    """Counts the words of a text.

    Args:
        text: what to count in
    """
    return len(text.split())

"""Whether what a command printed has the shape that a page shows. Pure.

Both are compared line by line and must be equal, after these and no other changes of both: an id of a call, a worker or a digest, a time of
day, a date, an age or a duration, a rate, a port that the system chose and a size in megabytes become one word for each kind of thing; the
blanks between words become one; the line with which a put waits for a slow gateway goes, and so does one that was written over, except what dev says while it starts. In a page `…` within a line is any text, and a line that is `…` alone is any number of lines.
"""

import re

VOLATILE = [(re.compile(pattern), word) for pattern, word in (
    (r"\x1b\[[0-9;?]*[A-Za-z]", ""),
    (r"(?m)^waiting until .* \(--no-wait: does not wait\) \.\.\.$", ""),  # only while a gateway is slow, and taken back
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "ID"),
    (r"\b[0-9a-f]{8}-…", "ID"),
    (r"\bsha256:[0-9a-f]{6,64}\b", "DIGEST"),
    (r"\b(?=[a-z]*\d)[0-9a-f]{8,64}\b…?", "ID"),
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?", "DATE"),
    (r"\b\d\d:\d\d:\d\d(\.\d+)?\b", "TIME"),
    (r"\b1[78]\d{8}\b", "DATE"),
    (r"\b\d+(\.\d+)? (µs|ms|s|min|h|d)( ago)?(?=\W|$)", "AGE"),
    (r"\bnow(?=\s|$)", "AGE"),
    (r"\b\d+(\.\d+)? (B|KB|MB|GB)/s", "RATE"),
    (r"\b\d+(\.\d+)? (KB|MB|GB|MiB)\b", "SIZE"),
    (r"\b127\.0\.0\.1:(?!8080\b)\d{4,5}\b", "127.0.0.1:PORT"),
    (r"\bpid \d+", "pid PID"),
    (r"[ \t]+", " "),
)]

# A line that was written over, such as a bar of progress. What dev says of its start is shown in pages, as it appears.
TAKEN_BACK = re.compile(r"(toolway dev: )?[^\r\n]*\r\x1b\[K")


def normal(text):
    """The lines of a text as they are compared."""
    text = TAKEN_BACK.sub(lambda line: line[0] if line[1] else "", text.replace("\r\n", "\n")).replace("\r", "\n")
    for pattern, word in VOLATILE:
        text = pattern.sub(word, text)
    lines = [line.strip() for line in text.split("\n")]
    return [line for line in lines if line]


def expected(lines):
    """A pattern for all that a page shows of a command's output."""
    pattern = ""
    for line in normal("\n".join(lines)):
        if line == "…":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(part) for part in line.split("…")) + r"\n"
    return re.compile(pattern)


def differs(shown, printed):
    """None, or how what was printed differs from the lines that the page shows."""
    got = "".join(line + "\n" for line in normal(printed))
    if expected(shown).fullmatch(got):
        return None
    return "the page shows:\n  " + "\n  ".join(normal("\n".join(shown))) + "\nand it printed:\n  " + "\n  ".join(got.splitlines())

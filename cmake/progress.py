#!/usr/bin/env python3
"""Shows how far a build is and about how long it still takes, from ninja's output on standard input.

usage: NINJA_STATUS='@%f/%t/%e@ ' ninja … | progress.py     on a terminal one line that is overwritten; elsewhere a line
                                                            every 30 s. What ninja says about failures passes through.
"""
import re
import sys

STATUS = re.compile(r"@(\d+)/(\d+)/([\d.]+)@ ")
OF_NINJA = ("ninja: Entering directory", "ninja: no work to do")
EVERY = 30.0   # seconds between lines when the output is not a terminal
ENOUGH = 15.0  # seconds before the first estimate


def remaining(done, total, elapsed):
    """`, about 4 min left`; empty when it is too early to tell, or not worth telling."""
    if done == 0 or elapsed < ENOUGH:
        return ""
    seconds = elapsed * (total - done) / done
    return f", about {seconds / 60:.0f} min left" if seconds >= 90 else f", about {round(seconds, -1):.0f} s left" if seconds >= 10 else ""


def main(lines, out, terminal):
    shown = 0.0
    open_line = False
    for line in lines:
        status = STATUS.match(line)
        if status is None:
            if line.startswith(OF_NINJA):
                continue
            if open_line:
                out.write("\n")
            open_line = False
            out.write(line)
            out.flush()
            continue
        done, total, elapsed = int(status[1]), int(status[2]), float(status[3])
        text = f"building: {done} of {total} steps{remaining(done, total, elapsed)}"
        if terminal:
            out.write(f"\r\x1b[K{text}")
            open_line = True
        elif elapsed - shown >= EVERY:
            shown = elapsed
            out.write(f"{text}\n")
        out.flush()
    if open_line:
        out.write("\r\x1b[K")


if __name__ == "__main__":
    main(sys.stdin, sys.stdout, sys.stdout.isatty())

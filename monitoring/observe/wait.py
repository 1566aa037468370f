"""Waiting for something to become true, by asking again until a deadline."""
import time


class TooLate(Exception):
    """It did not become true in time; says what, and what was seen last."""


def wait_for(what, ask, seconds=60, every=0.2):
    """The first true answer of `ask()`."""
    deadline = time.monotonic() + seconds
    while True:
        answer = ask()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise TooLate(f"not within {seconds} s: {what}")
        time.sleep(every)

#!/usr/bin/env python3
"""What a change costs a call: two programs, one from before it and one from after it, each with a stack of its own, under
the same load by turns of a second.

    tests/bench/program_cost.py BEFORE AFTER [--turns 40] [--seconds 1] [--batch 1] [options of toolway dev …]

Prints calls/s and the CPU time per call of each kind of process: medians, those of the differences within a pair of turns,
and between which two 95 % of such medians would lie.
"""

import argparse

import stacks


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--turns", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--batch", type=int, default=1)
    options, more = parser.parse_known_args()
    with stacks.Stack(options.before, more) as before, stacks.Stack(options.after, more) as after:
        print(stacks.table(stacks.by_turns(before, after, options.turns, options.seconds, "--batch", options.batch), "before", "after"))


if __name__ == "__main__":
    main()

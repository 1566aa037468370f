#!/usr/bin/env python3
"""Finds circles of includes. A header and the source of its name are one unit: where one unit needs another and is needed by
it, neither can be read, tested or given away alone.

usage: check_circles.py     exit status 1 when units include each other, directly or over others
"""
import os
import re

from checked_files import report_all, tree

INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


def unit(name):
    return os.path.splitext(name)[0]


def needs(texts):
    """{unit: the units that its header and its source include}"""
    included = {}
    for name, text in texts:
        included.setdefault(unit(name), set()).update(map(unit, INCLUDE.findall(text)))
    return {one: sorted(others & included.keys() - {one}) for one, others in included.items()}


def circle_from(start, graph):
    """The shortest way from a unit back to itself: [start, …, start]; None: there is not any."""
    came_from, reached = {}, [start]
    for one in reached:
        for other in graph[one]:
            if other == start:
                way = [start, one]
                while way[-1] != start:
                    way.append(came_from[way[-1]])
                return way[::-1] if len(way) > 2 else [start, start]
            if other not in came_from:
                came_from[other] = one
                reached.append(other)
    return None


def findings(texts):
    """`texts`: (name, text) of each source."""
    graph, told = needs(texts), set()
    for start in sorted(graph):
        way = None if start in told else circle_from(start, graph)
        if way:
            told.update(way)
            yield f"{' -> '.join(way)}: a circle of includes; move what both need to a header of its own"


if __name__ == "__main__":
    report_all(findings, tree((".h", ".cc"), without=("tests", "examples", "packs", "cmake")))

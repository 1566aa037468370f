#!/usr/bin/env python3
"""Finds phrases that read stiffly in the prose of the documentation, and says what to write instead.

usage: check_words.py [FILE…]     without FILE: every *.md of the tree; exit status 1 when there are any

Code blocks, `inline code`, quotations of the program in indented blocks, and link targets are not prose.
"""
import os
import re
import sys

PHRASES = [
    (r'\banew\b', 'again'),
    (r'\bmeanwhile\b', 'while …'),
    (r'\bwhoever\b', 'name the agent'),
    (r'\b(some|no|every)body\b', 'name the agent'),
    (r'\bstands\b|\b(may|can|could|must) stand\b', 'is'),
    (r'\b(is|are|was|were) over\b(?! (\d|that|twice|half|an? |the |its |their |`))', 'has ended, has expired'),
    (r'\b(is|are) (due|known|open|gone|wanted) since\b', 'was due … ago'),
    (r'\bso many\b|\bas many (as (may|there|asked)|times)\b', 'the limit, the number'),
    (r'\b(is|are) no (?!longer|more|use\b|ratio|such|option|last|second)\w', 'is not a …'),
    (r'\bbehind (it|them|its|one|the (end|one|first|last|cursor)|those|which|every|each|acknowledged)\b', 'after, past'),
    (r'\b(as|than) may\b|\bmay be no\b', 'the limit'),
    (r'\bto be had\b|\bcannot be said\b|\bis said of\b|\bunless said\b', 'is available, cannot tell'),
    (r'\bhimself\b|\b(to|for|of|from|by|gives) him\b|\bthe one who\b', 'it, itself'),
    (r'\bheard of\b', 'heard from'),
    (r'\bbut for\b|\ball but the\b', 'except'),
    (r'\b(is|are|was|were) to be\b', 'must be, will be'),
    (r'\bunder way\b', 'in progress'),
    (r'\b(goes|gone) on\b|\bgo on (as|from|where|by)\b', 'continues'),
    (r'\bsome (\d|hundred|ten thousand|percent|tens)', 'about'),
    (r'\bbeside (it|them|the|that|which|one|each|other|a)\b', 'next to, besides'),
]
PHRASES = [(re.compile(pattern, re.I), instead) for pattern, instead in PHRASES]
NOT_PROSE = re.compile(r'`[^`]*`|\]\([^)]*\)|<!--.*?-->')


def prose(lines):
    """(number, text) of each line that is prose."""
    fenced = False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith('```'):
            fenced = not fenced
        elif not fenced and not line.startswith('    '):
            yield number, NOT_PROSE.sub(lambda part: ']' if part.group(0)[0] == ']' else '`', line)


def findings(name, text):
    for number, line in prose(text.splitlines()):
        for pattern, instead in PHRASES:
            if match := pattern.search(line):
                yield f'{name}:{number}: "{match.group(0)}": {instead}'


def pages():
    """Every page of the tree, but not of what is built or installed into it."""
    for directory, below, files in os.walk('.'):
        below[:] = sorted(name for name in below if not name.startswith(('.', 'build')) and name != 'node_modules')
        yield from (os.path.relpath(os.path.join(directory, name)) for name in sorted(files) if name.endswith('.md'))


def main():
    found = []
    for name in sys.argv[1:] or pages():
        with open(name, encoding='utf-8') as file:
            found += findings(name, file.read())
    print(*found, sep='\n', end='\n' if found else '')
    sys.exit(1 if found else 0)


if __name__ == '__main__':
    main()

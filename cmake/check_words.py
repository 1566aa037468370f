#!/usr/bin/env python3
"""Finds phrases that read stiffly, and says what to write instead: in the documentation, in the messages and comments
of sources and tests, in the names of tests, and in scripts and configuration.

usage: check_words.py [FILE…]     without FILE: every *.md of the tree, and every source, script and YAML file; exit status 1
                                  when there are any

Code blocks, `inline code`, quotations of the program in indented blocks, and link targets are not prose. Of a source,
comments are, and string literals of several words; of scripts and configuration, every line.
"""
import re

from checked_files import report, tree

PHRASES = [
    (r'\banew\b', 'again'),
    (r'\bmeanwhile\b', 'while …'),
    (r'\bwhoever\b', 'name the agent'),
    (r'\b(is|are|was|were) over\b(?! (\d|that|twice|half|an? |the |its |their |`))', 'has ended, has expired'),
    (r'\b(is|are) (due|known|open|gone|wanted) since\b', 'was due … ago'),
    (r'\bso many\b|\bas many (as (may|there|asked)|times)\b', 'the limit, the number'),
    (r'\b(as|than) may\b|\bmay be no\b', 'the limit'),
    (r'\bto be had\b|\bcannot be said\b|\bis said of\b|\bunless said\b', 'is available, cannot tell'),
    (r'\bhimself\b|\b(to|for|of|from|by|gives) him\b|\bthe one who\b', 'it, itself'),
    (r'\bheard of\b', 'heard from'),
    (r'\bbut for\b|\ball but the\b', 'except'),
    (r'\b(is|are|was|were) to be\b', 'must be, will be'),
    (r'\bunder way\b', 'in progress'),
    (r'\b(goes|gone) on\b|\bgo on (as|from|where|by)\b', 'continues'),
    (r'\bsome (\d|hundred|ten thousand|percent|tens)', 'about'),
    # Not the user of that name, as in `/home/nobody`, `nobody:x` and `nobody@host`.
    (r'(?<![/:{=])(?<!user )\b(some|no|every)body\b(?![.:@-]\w)', 'name the agent'),
    (r'\bstands\b(?! (in )?for\b| still\b)|\b(may|can|could|must) stand\b(?! (in )?for\b)', 'is'),
    # "There is no kind x" is good English.
    (r'(?<!there )\b(is|are) no (?!longer|more|use\b|ratio|such|option|last|second)\w', 'is not a …'),
    (r'\bbehind (it|them|its|one|the (end|one|first|last|cursor)|those|which|every|each|acknowledged)\b', 'after, past'),
    (r'\bbeside (it|them|the|that|which|one|each|other|a)\b', 'next to, besides'),
]
PHRASES = [(re.compile(pattern, re.I), instead) for pattern, instead in PHRASES]
# Not .sql: an applied migration never changes.
READ = ('.h', '.cc', '.proto', '.py', '.js', '.sh', '.yaml', '.yml', '.tpl', '.conf', '.cmake', 'CMakeLists.txt', 'run', 'mutants')
LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*)"')
COMMENT = re.compile(r'//+<? ?(.*)')
NAME_OF_TEST = re.compile(r'^TEST\w*\(\w+, (\w+)|^ +def test_(\w+)')
WORD = re.compile(r'[A-Z]?[a-z0-9]+|[A-Z]')
NOT_PROSE = re.compile(r'`[^`]*`|\]\([^)]*\)|<!--.*?-->')


def prose(lines):
    """(number, text) of each line that is prose."""
    fenced = False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith('```'):
            fenced = not fenced
        elif not fenced and not line.startswith('    '):
            yield number, NOT_PROSE.sub(lambda part: ']' if part.group(0)[0] == ']' else '`', line)


def words_of_source(lines):
    """(number, text) of each line's string literals and comment."""
    for number, line in enumerate(lines, 1):
        comment = COMMENT.search(LITERAL.sub('', line))
        if not line.startswith('#include'):
            literals = [literal for literal in LITERAL.findall(line) if ' ' in literal]
            yield number, ' | '.join(literals + ([comment.group(1)] if comment else []))


def names_of_tests(lines):
    """(number, text) of each line that begins a test: the words of its name."""
    for number, line in enumerate(lines, 1):
        if named := NAME_OF_TEST.search(line):
            yield number, ' '.join(WORD.findall(named.group(1) or named.group(2)))


def every_line(lines):
    yield from enumerate(lines, 1)


def findings(name, text):
    read = prose if name.endswith('.md') else words_of_source if name.endswith(('.h', '.cc')) else every_line
    lines = text.splitlines()
    for number, line in [*read(lines), *names_of_tests(lines)]:
        for pattern, instead in PHRASES:
            if match := pattern.search(line):
                yield f'{name}:{number}: "{match.group(0)}": {instead}'


def pages():
    """Every page, source, script and YAML file of the tree; not this one and its test, which hold the phrases."""
    yield from (path for path in tree(('.md', *READ)) if path not in ('cmake/check_words.py', 'tests/checks/test_words.py'))


if __name__ == '__main__':
    report(findings, pages())

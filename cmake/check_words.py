#!/usr/bin/env python3
"""Finds phrases that read stiffly, and says what to write instead: in the documentation, in the messages and comments
of the product's sources, and in scripts and configuration.

usage: check_words.py [FILE…]     without FILE: every *.md of the tree, and every source, script and YAML file but tests'; exit status 1 when
                                  there are any

Code blocks, `inline code`, quotations of the program in indented blocks, and link targets are not prose. Of a source,
string literals and comments are.
"""
import re

from checked_files import report, tree

# In pages, messages and comments alike.
EVERYWHERE = [
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
]
# These have good uses in messages and comments: "there is no kind x", the user nobody, "stands for".
IN_PAGES = [
    (r'\b(some|no|every)body\b', 'name the agent'),
    (r'\bstands\b|\b(may|can|could|must) stand\b', 'is'),
    (r'\b(is|are) no (?!longer|more|use\b|ratio|such|option|last|second)\w', 'is not a …'),
    (r'\bbehind (it|them|its|one|the (end|one|first|last|cursor)|those|which|every|each|acknowledged)\b', 'after, past'),
    (r'\bbeside (it|them|the|that|which|one|each|other|a)\b', 'next to, besides'),
]
EVERYWHERE, IN_PAGES = ([(re.compile(pattern, re.I), instead) for pattern, instead in phrases] for phrases in (EVERYWHERE, IN_PAGES))
PHRASES = EVERYWHERE + IN_PAGES
# Not .sql: an applied migration never changes.
READ = ('.h', '.cc', '.py', '.sh', '.yaml', '.yml', '.tpl', '.conf', 'run')
LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*)"')
COMMENT = re.compile(r'//+<? ?(.*)')
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
    """(number, text) of each line's string literals, or of its comment."""
    for number, line in enumerate(lines, 1):
        comment = COMMENT.search(LITERAL.sub('', line))
        if not line.startswith('#include'):
            yield number, ' | '.join(LITERAL.findall(line) + ([comment.group(1)] if comment else []))


def every_line(lines):
    yield from enumerate(lines, 1)


def findings(name, text):
    read = prose if name.endswith('.md') else words_of_source if name.endswith(('.h', '.cc')) else every_line
    for number, line in read(text.splitlines()):
        for pattern, instead in PHRASES if read is prose else EVERYWHERE:
            if match := pattern.search(line):
                yield f'{name}:{number}: "{match.group(0)}": {instead}'


def pages():
    """Every page of the tree; every source, script and YAML file but tests', and but this one."""
    for path in tree(('.md', *READ)):
        if path.endswith('.md') or not path.startswith('tests/') and path != 'cmake/check_words.py':
            yield path


if __name__ == '__main__':
    report(findings, pages())

#!/usr/bin/env python3
"""Finds phrases that read stiffly, and says what to write instead: in the documentation, in the messages and comments
of sources and tests, in the names of tests, and in scripts and configuration.

usage: check_words.py [FILE…]     without FILE: every *.md of the tree, and every source, script, YAML and JSON file; exit
                                  status 1 when there are any

Code blocks, `inline code`, quotations of the program in indented blocks, and link targets are not prose. Of a source,
comments are, and string literals of several words; of JSON, such strings; of scripts and configuration, every line. A
phrase may span the lines of a paragraph, of a comment, or of literals that follow each other.
"""
import bisect
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
    (r'\b(is|are|was|were)( not)? to be\b(?! had)|\bnot to be (?!had\b|confused\b)\w+|\bto be (offered|got|said)\b', 'must be, will be'),
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
READ = ('.h', '.cc', '.proto', '.py', '.js', '.json', '.sh', '.yaml', '.yml', '.tpl', '.conf', '.cmake', 'CMakeLists.txt', 'run', 'mutants')
LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*)"')
COMMENT = re.compile(r'//+<? ?(.*)')
NAME_OF_TEST = re.compile(r'^TEST\w*\(\w+, (\w+)|^ +def test_(\w+)')
WORD = re.compile(r'[A-Z]?[a-z0-9]+|[A-Z]')
NOT_PROSE = re.compile(r'`[^`]*`|\]\([^)]*\)|<!--.*?-->')


class Paragraph:
    """A text, and the line that each part of it is from."""

    def __init__(self):
        self.text, self.starts, self.numbers = '', [], []

    def add(self, number, text):
        self.starts.append(len(self.text))
        self.numbers.append(number)
        self.text += text

    def line_of(self, position):
        return self.numbers[bisect.bisect_right(self.starts, position) - 1]


def joined(parts):
    """Paragraphs of (number, text, what is between it and the text before; None: it begins a paragraph)."""
    paragraph = Paragraph()
    for number, text, between in parts:
        if between is None and paragraph.text:
            yield paragraph
            paragraph = Paragraph()
        paragraph.add(number, (between or '') + text)
    if paragraph.text:
        yield paragraph


def prose(lines):
    """The lines that are prose. The mark of a list or table interrupts a phrase as well as an empty line."""
    fenced, before = False, ''
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith('```'):
            fenced, line = not fenced, ''
        elif fenced or line.startswith('    '):
            line = ''
        elif line.strip():
            yield number, line.strip(), ' ' if before else None
        before = line.strip()


def without_comment(line):
    """(code, comment or None)."""
    bare = LITERAL.sub(lambda found: '"' + '_' * len(found[1]) + '"', line)
    found = None if line.startswith('#include') else COMMENT.search(bare)
    return (line[:found.start()], line[found.start(1):]) if found else (line, None)


def comments(lines):
    before = False
    for number, line in enumerate(lines, 1):
        code, comment = without_comment(line)
        if comment is not None:
            yield number, comment, ' ' if before and not code.strip() else None
        before = bool(comment and comment.strip())


def literals(lines):
    """Strings; those that the compiler joins are one text."""
    follows = False
    for number, line in enumerate(lines, 1):
        code = '' if line.startswith('#') else without_comment(line)[0]
        end = 0
        for found in LITERAL.finditer(code):
            yield number, found[1], '' if follows and not code[end:found.start()].strip() else None
            follows, end = True, found.end()
        follows = follows and not code[end:].strip()


def words_of_json(lines):
    for number, line in enumerate(lines, 1):
        for text in LITERAL.findall(line):
            yield number, text, None


def names_of_tests(lines):
    """The words of the name of each test."""
    for number, line in enumerate(lines, 1):
        if named := NAME_OF_TEST.search(line):
            yield number, ' '.join(WORD.findall(named.group(1) or named.group(2))), None


def every_line(lines):
    for number, line in enumerate(lines, 1):
        yield number, line, None


def paragraphs(name, lines):
    if name.endswith('.md'):
        return joined(prose(lines))
    if name.endswith(('.h', '.cc')):
        return [*joined(literals(lines)), *joined(comments(lines))]
    return joined(words_of_json(lines) if name.endswith('.json') else every_line(lines))


def findings(name, text):
    lines = text.splitlines()
    found = []
    for paragraph in [*paragraphs(name, lines), *joined(names_of_tests(lines))]:
        said = paragraph.text
        if name.endswith('.md'):  # as long as it was: places stay
            said = NOT_PROSE.sub(lambda part: part[0][0] + '`' * (len(part[0]) - 1), said)
        elif name.endswith(('.h', '.cc', '.json')) and ' ' not in said:
            continue
        for pattern, instead in PHRASES:
            found += [(paragraph.line_of(match.start()), match[0], instead) for match in pattern.finditer(said)]
    for line, phrase, instead in sorted(found, key=lambda each: each[0]):
        yield f'{name}:{line}: "{phrase}": {instead}'


def pages():
    """Every page, source, script, YAML and JSON file of the tree; not this one and its test, which hold the phrases."""
    yield from (path for path in tree(('.md', *READ)) if path not in ('cmake/check_words.py', 'tests/checks/test_words.py'))


if __name__ == '__main__':
    report(findings, pages())

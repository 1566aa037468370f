#!/usr/bin/env python3
"""Puts sources into batches that one translation unit each can hold.

usage: source_batches.py SIZE FILE…     prints "BATCH<tab>FILE" for each file that shares a batch

Each source may use the same short names as its neighbours, each for its own. So two files share a batch only
when no name that one declares at namespace scope is declared, or defined as a macro, by the other. Sources that
read the same headers of libraries come together, so that few batches read each.
"""
import os
import re
import sys

STRINGS_AND_COMMENTS = re.compile(
    r'R"([^ ()\\\t\v\f\n]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.S)
NAMESPACE = re.compile(r'(?:inline\s+)?namespace(?:\s+[\w:]+)?\s*$')
TYPE = re.compile(r'^(?:template\s*<.*?>\s*)?(?:class|struct|enum(?:\s+class)?|union)\s+(\w+)', re.S)
ALIAS = re.compile(r'^(?:template\s*<.*?>\s*)?(?:using|namespace)\s+(\w+)\s*=', re.S)
FUNCTION = re.compile(r'([\w~]+|operator[^\w\s(]+)\s*\(')
VARIABLE = re.compile(r'(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=|\{|;|$)')
MACRO = re.compile(r'^[ \t]*#[ \t]*define[ \t]+(\w+)', re.M)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TEST = re.compile(r'^(?:TYPED_TEST|TEST)(?:_[FPS]|_SUITE|_SUITE_P)?\s*\(\s*(\w+)\s*,\s*(\w+)', re.S)


def blank(match):
    return '""' if match.group(0)[0] in 'R"\'' else ' '


def declarations(text):
    """What is at namespace scope: each declaration's head, up to its body or semicolon."""
    enclosing, head = [], ''  # of each open brace: whether it is a namespace's
    for character in text:
        at_scope = all(enclosing)
        if character == '{':
            enclosing.append(at_scope and bool(NAMESPACE.search(head.strip())))
            if at_scope and not enclosing[-1]:
                yield head.strip()
            if at_scope:
                head = ''
        elif character == '}':
            if enclosing:
                enclosing.pop()
            head = '' if all(enclosing) and head.strip() == '' else head
        elif at_scope and character == ';':
            yield head.strip()
            head = ''
        elif at_scope:
            head += character


def names(text):
    found = set(MACRO.findall(text))
    text = re.sub(r'^[ \t]*#(?:[^\n\\]|\\.|\\\n)*', '', STRINGS_AND_COMMENTS.sub(blank, text), flags=re.M)
    for head in declarations(text):
        if test := TEST.match(head):
            found.add(f'{test.group(1)}_{test.group(2)}')
        elif match := TYPE.match(head) or ALIAS.match(head):
            found.add(match.group(1))
        elif head.startswith('using '):
            pass  # the same for all who say it
        elif match := FUNCTION.search(head) or VARIABLE.search(head):
            found.add(match.group(1))
    return found


INCLUDE = re.compile(r'^#include [<"]([^">]+)[">]', re.M)
# In every batch anyway, precompiled or of the system.
EVERYWHERE = ('arpa/', 'fmt/', 'linux/', 'netinet/', 'nlohmann/', 'spdlog/', 'sys/', 'tl/')


def libraries(source, root, known):
    """The headers of libraries, and generated ones, that a source reads, over ours below `root` too. `known`: those of files
    that were looked at, for the next call."""
    if source not in known:
        known[source] = found = set()
        with open(source, encoding='utf-8') as file:
            included = INCLUDE.findall(file.read())
        for name in included:
            ours = os.path.join(root, name)
            if os.path.isfile(ours):
                found |= libraries(ours, root, known)
            elif name.endswith('.pb.h') or '/' in name and not name.startswith(EVERYWHERE):
                found.add(name)
    return known[source]


def by_libraries(sources, root):
    """Those that read the same headers next to each other."""
    known = {}
    return sorted(sources, key=lambda source: (sorted(libraries(source, root, known)), source))


def batches(sources, size):
    """[[file]]: each file goes where it fits first."""
    open_batches = []  # (files, names)
    for source in sources:
        with open(source, encoding='utf-8') as file:
            mine = names(file.read())
        for files, taken in open_batches:
            if len(files) < size and not taken & mine:
                files.append(source)
                taken |= mine
                break
        else:
            open_batches.append(([source], mine))
    return [files for files, _ in open_batches]


def main():
    size, *sources = sys.argv[1:]
    for number, files in enumerate(batches(by_libraries(sources, ROOT), int(size))):
        if len(files) > 1:
            for file in files:
                print(f'{number}\t{file}')


if __name__ == '__main__':
    main()

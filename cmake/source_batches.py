#!/usr/bin/env python3
"""Puts sources into batches that one translation unit each can hold.

usage: source_batches.py SIZE FILE…     prints "BATCH<tab>FILE" for each file that shares a batch

Each source may use the same short names as its neighbours, each for its own. So two files share a batch only
when no name that one declares in a namespace is declared there, or defined as a macro, by the other. Sources that
read the same headers of libraries come together, so that few batches read each.
"""
import os
import re
import sys

STRINGS_AND_COMMENTS = re.compile(
    r'R"([^ ()\\\t\v\f\n]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.S)
NAMESPACE = re.compile(r'(?:inline\s+)?namespace(?:\s+([\w:]+))?\s*$')
TEMPLATE = re.compile(r'^template\s*<(?:[^<>]|<[^<>]*>)*>\s*')
TYPE = re.compile(r'^(?:class|struct|enum(?:\s+class)?|union)\s+(\w+)')
ALIAS = re.compile(r'^(?:using|namespace)\s+(\w+)\s*=')
USING = re.compile(r'^using\s+([\w:]+?::)?(\w+)$')
FUNCTION = re.compile(r'^[^=]*?([\w~]+|operator[^\w\s(]+)\s*\(')
VARIABLE = re.compile(r'(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=|\{|;|$)')
MACRO = re.compile(r'^[ \t]*#[ \t]*define[ \t]+(\w+)', re.M)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TEST = re.compile(r'^(?:TYPED_TEST|TEST)(?:_[FPS]|_SUITE|_SUITE_P)?\s*\(\s*(\w+)\s*,\s*(\w+)', re.S)


def blank(match):
    return '""' if match.group(0)[0] in 'R"\'' else ' '


def namespace_of(enclosing):
    return '::'.join(filter(None, enclosing))


def declarations(text):
    """What is at namespace scope: (the namespace, each declaration's head, up to its body or semicolon). What is in a namespace
    without a name counts as the one around it."""
    enclosing, head = [], ''  # of each open brace: the namespace's name or '', or None for any other brace
    for character in text:
        at_scope = None not in enclosing
        if character == '{':
            opened = NAMESPACE.search(head.strip()) if at_scope else None
            enclosing.append((opened[1] or '') if opened else None)
            if at_scope and not opened:
                yield namespace_of(enclosing[:-1]), head.strip()
            if at_scope:
                head = ''
        elif character == '}':
            if enclosing:
                enclosing.pop()
            head = '' if None not in enclosing and head.strip() == '' else head
        elif at_scope and character == ';':
            yield namespace_of(enclosing), head.strip()
            head = ''
        elif at_scope:
            head += character


def names(text):
    """What it declares, each with its namespace; a name that it takes from another namespace ends in a space and that one, a
    macro in "#"."""
    found = {f'{name}#' for name in MACRO.findall(text)}
    text = re.sub(r'^[ \t]*#(?:[^\n\\]|\\.|\\\n)*', '', STRINGS_AND_COMMENTS.sub(blank, text), flags=re.M)
    for scope, head in declarations(text):
        head = TEMPLATE.sub('', head)
        if test := TEST.match(head):
            name = f'{test.group(1)}_{test.group(2)}'
        elif match := USING.match(head):
            name = f'{match.group(2)} {match.group(1)}'
        elif head.startswith('using namespace '):
            continue
        elif match := TYPE.match(head) or ALIAS.match(head) or FUNCTION.search(head) or VARIABLE.search(head):
            name = match.group(1)
        else:
            continue
        found.add(f'{scope}::{name}' if scope else name)
    return found


def clash(ours, theirs):
    def macros(found):
        return {name[:-1] for name in found if name.endswith('#')}

    def taken(found):
        return {name for name in found if ' ' in name}

    def qualified(found):
        return {name.split(' ')[0] for name in found}

    def unqualified(found):
        return {name.rsplit('::', 1)[-1] for name in qualified(found)}
    # All may take the same name from the same namespace.
    both_take = {name.split(' ')[0] for name in taken(ours) & taken(theirs)}
    return (qualified(ours) & qualified(theirs) - both_take or
            macros(ours) & unqualified(theirs) or macros(theirs) & unqualified(ours))


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
            if len(files) < size and not clash(taken, mine):
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

#!/usr/bin/env python3
"""Holds includes to the layout: they run down, between folders and between the rooms of a folder.

usage: check_layout.py [ROOT]     exit status 1 when an include runs another way, or a room is in no list
"""
import os
import re
import sys

# What each folder may include, besides itself: folders, and single headers.
FOLDERS = {
    'base': [],
    'proto': ['base'],
    'local': ['base'],
    'bus': ['base', 'proto'],
    'mcp': ['base'],
    'tools': ['base', 'mcp'],
    'monitoring': ['base'],
    'extensions': ['base', 'proto', 'tools', 'monitoring'],
    'persistence': ['base', 'proto', 'bus', 'tools', 'monitoring'],
    'workers': ['base', 'proto', 'bus', 'tools', 'monitoring', 'extensions'],
    'gateway': ['base', 'proto', 'mcp', 'bus', 'tools', 'monitoring', 'extensions',
                'persistence/store/store_reader.h', 'persistence/store/store_watch.h', 'persistence/audit/audit_page.h',
                'persistence/conversations/conversation_reads.h', 'persistence/conversations/conversation_store.h',
                'persistence/specs/spec_store.h', 'persistence/specs/spec_put.h', 'persistence/specs/spec_versions.h'],
    'chat': ['base', 'tools', 'monitoring', 'persistence/conversations/conversation_store.h'],
    'cli': ['base', 'proto', 'bus', 'mcp', 'tools', 'monitoring', 'extensions', 'persistence', 'workers', 'gateway', 'chat', 'local'],
}

# The rooms of a folder from the bottom up: each may include those before it. '.': the folder's own files. A room that has
# rooms itself has a line of its own.
ROOMS = {
    'base': ['.', 'os', 'net'],
    'tools': ['schema', 'model', 'native', 'templates', 'specs', 'matching', 'http', 'process', 'loaders', 'builtin', 'exports',
              'messages', 'executors'],
    'tools/executors': ['templated', 'http', 'python', 'command', 'mcp_client', 'mock', '.'],
    'monitoring': ['.', 'otlp'],
    'extensions': ['.', 'redaction', 'auth', 'limits', 'reader', 'builtin', 'services', 'chain'],
    'persistence': ['postgres', 'schema', 'audit', 'conversations', 'store', 'collector', 'specs', 'reaper'],
    'workers': ['threads', 'log', 'permits', '.', 'call', 'pool'],
    'gateway': ['loop', 'wire', 'api_docs', 'answers', 'edge', 'auth', 'admission', 'live', 'catalogue', 'operators', 'sessions', 'calls', 'mailbox',
                'mcp', 'endpoints', '.', 'server'],
    'chat': ['window', 'turn', 'providers', 'engine', 'turns'],
    'cli': ['terminal', 'help', 'process', 'client', 'stack', 'switches', 'specs', 'policies', 'keys', 'audit', 'mock', 'dev', 'authoring', 'mcp_check', 'mcp_serve',
            'talk', 'demo', 'bench', 'replay', '.'],
    'cli/bench': ['options', 'connections', 'figures', 'scenario', 'load', 'kinds', 'results', 'measures', 'chat', 'profile', 'run', '.'],
}

INCLUDE = re.compile(r'^#include "([^"]+)"')


def room(path, folder):
    """Of `tools/specs/stored.h` in tools: specs; of `workers/worker.h` in workers: '.'."""
    inside = path[len(folder) + 1:]
    return inside.split('/')[0] if '/' in inside else '.'


def unlisted(path):
    """The first room on the way to `path` that is in no list; None: each is in one."""
    folder = path.split('/')[0]
    while (name := room(path, folder)) != '.' or folder in ROOMS:
        if name not in ROOMS.get(folder, []):
            return f'{folder}/{name}'
        if name == '.':
            return None
        folder += '/' + name
    return None


def objection(path, target):
    """Why the source `path` must not include `target`; None: it may."""
    folder, other = path.split('/')[0], target.split('/')[0]
    if other not in FOLDERS or target.endswith('.pb.h'):
        return None  # not ours, or generated
    if folder != other:
        if other in FOLDERS[folder] or target in FOLDERS[folder]:
            return None
        return f'{folder} must not include {target}'
    for name in (path, target):
        if missing := unlisted(name):
            return f'{missing} is in no list of rooms'
    while (own := room(path, folder)) == room(target, folder) != '.':
        folder += '/' + own  # both are in that room: its own rooms decide
    their = room(target, folder)
    order = ROOMS.get(folder, ['.'])
    if order.index(their) > order.index(own):
        return f'{folder}/{own} must not include {target}, which is above it' if own != '.' else \
            f'the files of {folder}/ itself must not include {target}, which is above them'
    return None


def findings(root):
    for folder in FOLDERS:
        for directory, folders, names in os.walk(os.path.join(root, folder)):
            folders.sort()
            for name in sorted(names):
                if not name.endswith(('.h', '.cc')):
                    continue
                path = os.path.relpath(os.path.join(directory, name), root)
                if missing := unlisted(path):
                    yield f'{path}: {missing} is in no list of rooms (see cmake/check_layout.py)'
                    continue
                with open(os.path.join(root, path), encoding='utf-8') as file:
                    for number, line in enumerate(file, 1):
                        found = INCLUDE.match(line)
                        why = found and objection(path, found.group(1))
                        if why:
                            yield f'{path}:{number}: {why} (see cmake/check_layout.py)'


def main():
    found = list(findings(sys.argv[1] if len(sys.argv) > 1 else '.'))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
"""Holds namespaces to the layout: the namespace of gateway/calls is toolway::gateway::calls, and that of base is toolway.

usage: check_namespaces.py [FILE…]     exit status 1 when a file declares in another folder's namespace
"""
import re

from checked_files import report, tree

# An outermost namespace: its name and its contents.
BLOCK = re.compile(r"^namespace (toolway[\w:]*) \{\n(.*?)^\}  // namespace \1$", re.M | re.S)
DECLARED = re.compile(r"(?:template <[^<>]*>\s*)?(?:class|struct|enum class) \w+(?: : [\w:]+)?;")
SPECIALIZED = re.compile(r"template <>\n(?:class|struct) [^;{]*\{\n.*?^\};", re.M | re.S)
INSTANTIATED = re.compile(r"(?:extern )?template (?:class|struct) [^;{]*;")
ALIAS = re.compile(r"namespace \w+ = [\w:]+;")


def namespace_of(name):
    """Of `gateway/calls/submit.cc`: toolway::gateway::calls."""
    folders = name.split("/")[:-1]
    return "::".join(["toolway", *(folders[1:] if folders[0] == "base" else folders)])


def only_what_must_be_there(said, own, body):
    """Declarations of others' types, specializations and instantiations of others' templates, and short names for all rooms
    of a folder."""
    rest = INSTANTIATED.sub("", SPECIALIZED.sub("", DECLARED.sub("", body)))
    return not (ALIAS.sub("", rest) if own.startswith(said + "::") else rest).strip()


def findings(name, text):
    own = namespace_of(name)
    for block in BLOCK.finditer(text):
        said, body = block[1], re.sub(r"//[^\n]*", "", block[2])
        if said == own or said.startswith(own + "::") or only_what_must_be_there(said, own, body):
            continue
        line = text.count("\n", 0, block.start()) + 1
        yield f"{name}:{line}: {said} is another folder's namespace; this file's is {own}"


if __name__ == "__main__":
    report(findings, tree((".h", ".cc"), without=("tests", "examples", "packs", "cmake")))

"""What a docstring says of a function and of its parameters: Google, NumPy and reST style."""
import inspect
import re

SECTION = re.compile(r"^(Args|Arguments|Parameters|Params|Other Parameters|Keyword Args|Keyword Arguments|Returns|Return|Yields|"
                     r"Yield|Raises|Examples?|Notes?|See Also|References|Warnings?|Attributes|Todo)\s*:?\s*$", re.I)
PARAMETERS = ("args", "arguments", "parameters", "params", "other parameters", "keyword args", "keyword arguments")
REST = re.compile(r"^:(?:param|parameter|arg|argument|key|keyword)\s+(?:[^:]*\s)?\*{0,2}(\w+)\s*:\s*(.*)$")
REST_OTHER = re.compile(r"^:\w+(?:\s[^:]*)?:")
GOOGLE = re.compile(r"^\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")
NUMPY = re.compile(r"^\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*\s*(?::.*)?$")


def parse(function):
    """The description, and parameter -> description."""
    lines = (inspect.getdoc(function) or "").splitlines()
    description, parameters = [], {}
    at, before = 0, True
    while at < len(lines):
        line = lines[at]
        section = SECTION.match(line)
        underlined = at + 1 < len(lines) and re.match(r"^-{3,}\s*$", lines[at + 1])
        if section and (underlined or line.rstrip().endswith(":")):
            before = False
            body, at = block(lines, at + (2 if underlined else 1), bool(underlined))
            if section.group(1).lower() in PARAMETERS:
                parameters.update(numpy(body) if underlined else google(body))
            continue
        found = REST.match(line)
        if found or REST_OTHER.match(line):
            before = False
            text, at = [found.group(2)] if found else [], at + 1
            while at < len(lines) and (lines[at].startswith(" ") and lines[at].strip()):
                text.append(lines[at])
                at += 1
            if found:
                parameters[found.group(1)] = joined(text)
            continue
        if before:
            description.append(line)
        at += 1
    return "\n".join(description).strip(), parameters


def block(lines, at, underlined):
    """The lines of a section."""
    body = []
    while at < len(lines):
        line = lines[at]
        if underlined:
            if at + 1 < len(lines) and line.strip() and re.match(r"^-{3,}\s*$", lines[at + 1]):
                break
        elif line.strip() and not line.startswith(" "):
            break
        body.append(line)
        at += 1
    return body, at


def indent(line):
    return len(line) - len(line.lstrip())


def google(body):
    found, name, first = {}, None, None
    for line in body:
        if not line.strip():
            continue
        first = indent(line) if first is None else first
        match = GOOGLE.match(line.strip()) if indent(line) <= first else None
        if match:
            name = match.group(1)
            found[name] = [match.group(2)]
        elif name:
            found[name].append(line)
    return {name: joined(text) for name, text in found.items()}


def numpy(body):
    found, names = {}, []
    for line in body:
        if line.strip() and indent(line) == 0 and NUMPY.match(line):
            names = [name.strip().lstrip("*") for name in line.split(":")[0].split(",")]
            for name in names:
                found[name] = []
        else:
            for name in names:
                found[name].append(line)
    return {name: joined(text) for name, text in found.items()}


def joined(lines):
    return " ".join(line.strip() for line in lines if line.strip())

"""Types and signatures of the contract ABI (docs.soliditylang.org, "Contract ABI Specification")."""
import re

from .values import refuse, shown

MOST_DEPTH = 16       # of types in types
MOST_CHARACTERS = 4000
MOST_FIXED = 10_000   # items of a fixed array
_TOKEN = re.compile(r"\s*([A-Za-z_$][A-Za-z0-9_$]*|[0-9]+|[()\[\],])")
_LOCATIONS = ("memory", "calldata", "storage", "payable")
_MODIFIERS = ("external", "public", "view", "pure", "payable", "nonpayable", "anonymous")


class Type:
    """One type; `of` are the types inside of an array (one) or a tuple."""

    __slots__ = ("name", "bits", "length", "of", "label", "indexed")

    def __init__(self, name, bits=0, length=None, of=()):
        self.name = name          # uint, int, address, bool, bytes, string, array, tuple
        self.bits = bits          # of uint and int; of bytes: how many, 0: any number
        self.length = length      # of an array; None: dynamic
        self.of = of
        self.label = ""           # of a parameter
        self.indexed = False      # of an event's

    @property
    def dynamic(self):
        if self.name == "array":
            return self.length is None or (self.length > 0 and self.of[0].dynamic)
        if self.name == "tuple":
            return any(part.dynamic for part in self.of)
        return self.name == "string" or (self.name == "bytes" and self.bits == 0)

    @property
    def head_size(self):
        """Bytes that it takes in the head of what holds it."""
        if self.dynamic:
            return 32
        if self.name == "array":
            return self.length * self.of[0].head_size
        return sum(part.head_size for part in self.of) if self.name == "tuple" else 32

    def __str__(self):
        if self.name == "array":
            return f"{self.of[0]}[{'' if self.length is None else self.length}]"
        if self.name == "tuple":
            return "(" + ",".join(map(str, self.of)) + ")"
        return self.name + (str(self.bits) if self.bits else "")


class Signature:
    """`transfer(address,uint256)` with what it returns, if that was said."""

    __slots__ = ("name", "inputs", "outputs")

    def __init__(self, name, inputs, outputs):
        self.name, self.inputs, self.outputs = name, inputs, outputs

    @property
    def canonical(self):
        return f"{self.name}({','.join(map(str, self.inputs))})"


class _Reader:
    def __init__(self, text):
        if not isinstance(text, str) or len(text) > MOST_CHARACTERS:
            raise refuse(f"a signature is text of at most {MOST_CHARACTERS} characters")
        self.text, self.tokens, at = text, [], 0
        text = text.rstrip()
        while at < len(text):
            token = _TOKEN.match(text, at)
            if not token:
                raise refuse(f"signature {shown(self.text)}: unexpected {shown(text[at:at + 10])}")
            self.tokens.append(token[1])
            at = token.end()
        self.tokens.reverse()

    def peek(self):
        return self.tokens[-1] if self.tokens else ""

    def take(self, wanted=None):
        token = self.tokens.pop() if self.tokens else "its end"
        if wanted is not None and token != wanted:
            raise refuse(f"signature {shown(self.text)}: `{wanted}` was expected, not {token}")
        return token

    def parameters(self, depth=0):
        self.take("(")
        found = []
        while self.peek() != ")":
            if found:
                self.take(",")
            found.append(self.parameter(depth))
        self.take(")")
        return found

    def parameter(self, depth):
        kind = self.type(depth)
        while self.peek() and self.peek() not in "(),[]":
            word = self.take()
            if word == "indexed":
                kind.indexed = True
            elif word not in _LOCATIONS:
                kind.label = word
        return kind

    def type(self, depth):
        if depth > MOST_DEPTH:
            raise refuse(f"signature {shown(self.text)}: types are nested more than {MOST_DEPTH} deep")
        if self.peek() == "tuple":
            self.take()
        kind = Type("tuple", of=self.parameters(depth + 1)) if self.peek() == "(" else elementary(self.take())
        arrays = 0
        while self.peek() == "[":
            self.take()
            length = None if self.peek() == "]" else self.take()
            self.take("]")
            arrays += 1
            if length is not None and (not length.isdigit() or int(length) > MOST_FIXED):
                raise refuse(f"signature {shown(self.text)}: {shown(length)} is not an array length up to {MOST_FIXED}")
            if depth + arrays > MOST_DEPTH:
                raise refuse(f"signature {shown(self.text)}: types are nested more than {MOST_DEPTH} deep")
            kind = Type("array", length=None if length is None else int(length), of=(kind,))
        if kind.head_size > 32 * MOST_FIXED:
            raise refuse(f"signature {shown(self.text)}: {shown(str(kind))} is too large")
        return kind


def elementary(name):
    match = re.fullmatch(r"(u?int|bytes)([0-9]*)", name)
    if match and match[1] == "bytes":
        size = int(match[2] or 0)
        if not match[2] or (1 <= size <= 32 and match[2][0] != "0"):
            return Type("bytes", size)
    elif match:
        bits = int(match[2] or 256)
        if 8 <= bits <= 256 and bits % 8 == 0 and not match[2].startswith("0"):
            return Type(match[1], bits)
    elif name in ("address", "bool", "string"):
        return Type(name)
    raise refuse(f"{shown(name)} is not a type of the ABI that is supported (fixed and function are not)")


def parse_type(text):
    reader = _Reader(text)
    kind = reader.type(0)
    if reader.tokens:
        raise refuse(f"type {shown(text)}: unexpected {reader.take()} at the end")
    return kind


def parse_signature(text):
    """`name(types)`, `name(types)(types)` or `function name(types) view returns (types)`; parameters may have names."""
    reader = _Reader(text)
    if reader.peek() in ("function", "event"):
        reader.take()
    name = reader.take()
    if not re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_$]*", name):
        raise refuse(f"signature {shown(text)}: must begin with a name, as in transfer(address,uint256)")
    inputs, outputs = reader.parameters(), None
    while reader.peek() in _MODIFIERS:
        reader.take()
    if reader.peek() == "returns":
        reader.take()
    if reader.peek() == "(":
        outputs = reader.parameters()
    if reader.tokens:
        raise refuse(f"signature {shown(text)}: unexpected {reader.take()} at the end")
    return Signature(name, inputs, outputs)

"""Encoding and decoding by the contract ABI: heads, tails and offsets."""
from toolway import ToolError

from .abi_types import parse_signature
from .keccak import keccak256
from .values import address_bytes, checksummed, hex_bytes, integer, refuse, shown

MOST_VALUES = 100_000  # in what is encoded or decoded: a few bytes can claim to be billions of items


def selector(signature):
    """The first four bytes of the hash of a canonical signature."""
    return keccak256(signature.encode())[:4]


def encode_call(text, arguments):
    """A signature as text and its arguments: the parsed signature, and the bytes to send."""
    signature = parse_signature(text)
    return signature, selector(signature.canonical) + encode(signature.inputs, arguments)


def encode(types, values, where="arguments"):
    """The bytes of `values` as a tuple of `types`. Raises ToolError invalid_arguments, saying where."""
    return _sequence(types, _listed(types, values, where), where, [MOST_VALUES])


def _listed(types, values, where):
    if isinstance(values, dict):
        labels = [part.label for part in types]
        if sorted(labels) != sorted(values) or "" in labels:
            raise refuse(f"{where}: must have {', '.join(label or '(no name)' for label in labels)}, not {', '.join(map(shown, values))}")
        return [values[label] for label in labels]
    if not isinstance(values, list) or len(values) != len(types):
        found = f"a list of {len(values)}" if isinstance(values, list) else shown(values)
        raise refuse(f"{where}: {len(types)} values are needed, ({','.join(map(str, types))}), not {found}")
    return values


def _sequence(types, values, where, budget):
    head, tail = [], []
    offset = sum(part.head_size for part in types)
    for index, (part, value) in enumerate(zip(types, values)):
        encoded = _value(part, value, f"{where}/{part.label or index}", budget)
        if part.dynamic:
            head.append(offset.to_bytes(32, "big"))
            tail.append(encoded)
            offset += len(encoded)
        else:
            head.append(encoded)
    return b"".join(head + tail)


def _value(part, value, where, budget):
    budget[0] -= 1
    if budget[0] < 0:
        raise refuse(f"{where}: there are more than {MOST_VALUES} values")
    if part.name in ("uint", "int"):
        number = integer(value, where)
        low = 0 if part.name == "uint" else -(1 << (part.bits - 1))
        high = 1 << (part.bits if part.name == "uint" else part.bits - 1)
        if not low <= number < high:
            raise refuse(f"{where}: {shown(value)} is out of the range of {part}")
        return (number % (1 << 256)).to_bytes(32, "big")
    if part.name == "bool":
        if not isinstance(value, bool):
            raise refuse(f"{where}: {shown(value)} is neither true nor false")
        return int(value).to_bytes(32, "big")
    if part.name == "address":
        return address_bytes(value, where).rjust(32, b"\0")
    if part.name == "string":
        if not isinstance(value, str):
            raise refuse(f"{where}: {shown(value)} is not text")
        return _counted(value.encode())
    if part.name == "bytes":
        data = hex_bytes(value, where)
        if part.bits == 0:
            return _counted(data)
        if len(data) != part.bits:
            raise refuse(f"{where}: {part} needs {part.bits} bytes, not {len(data)}")
        return data.ljust(32, b"\0")
    if part.name == "tuple":
        return _sequence(part.of, _listed(part.of, value, where), where, budget)
    if not isinstance(value, list) or (part.length is not None and len(value) != part.length):
        raise refuse(f"{where}: {part} needs a list{'' if part.length is None else f' of {part.length}'}, not {shown(value)}")
    items = _sequence(part.of * len(value), value, where, budget)
    return (len(value).to_bytes(32, "big") if part.length is None else b"") + items


def _counted(data):
    return len(data).to_bytes(32, "big") + data + bytes(-len(data) % 32)


def decode(types, data):
    """The values that `data` holds: numbers as decimal text, bytes and addresses in hex, tuples as lists.

    Raises ToolError upstream_invalid when the data is not of these types.
    """
    return _Decoder(data).sequence(types, 0)


class _Decoder:
    def __init__(self, data):
        self.data, self.budget = data, MOST_VALUES

    def wrong(self, what):
        return ToolError("upstream_invalid", f"the data is not what the signature says: {what}")

    def word(self, at):
        if at < 0 or at + 32 > len(self.data):
            raise self.wrong(f"{len(self.data)} bytes, too few for what must be at {shown(at)}")
        return int.from_bytes(self.data[at:at + 32], "big")

    def sequence(self, types, base):
        values, at = [], base
        for part in types:
            values.append(self.value(part, base + self.word(at) if part.dynamic else at))
            at += part.head_size
        return values

    def value(self, part, at):
        self.budget -= 1
        if self.budget < 0:
            raise self.wrong(f"more than {MOST_VALUES} values")
        if part.name == "tuple":
            return self.sequence(part.of, at)
        if part.name == "array":
            length = part.length
            if length is None:
                length, at = self.word(at), at + 32
                # Each takes its place in the head, so more cannot be there.
                if length * max(part.of[0].head_size, 1) > len(self.data):
                    raise self.wrong(f"a list of {shown(length)} does not fit into {len(self.data)} bytes")
            return self.sequence(part.of * length, at)
        if part.name in ("string", "bytes") and part.dynamic:
            length = self.word(at)
            if length > len(self.data) - at - 32:
                raise self.wrong(f"{shown(length)} bytes do not fit into {len(self.data)}")
            raw = self.data[at + 32:at + 32 + length]
            return raw.decode("utf-8", "replace") if part.name == "string" else "0x" + raw.hex()
        return self.scalar(part, at)

    def scalar(self, part, at):
        word = self.word(at)
        if part.name == "bytes":
            return "0x" + self.data[at:at + part.bits].hex()
        if part.name == "int":
            number = word - (1 << 256) if word >> 255 else word
            if not -(1 << (part.bits - 1)) <= number < 1 << (part.bits - 1):
                raise self.wrong(f"a number is out of the range of {part}")
            return str(number)
        bits = {"address": 160, "bool": 1}.get(part.name, part.bits)
        if word >> bits:
            raise self.wrong(f"a word is out of the range of {part}")
        if part.name == "address":
            return checksummed(word.to_bytes(20, "big"))
        return bool(word) if part.name == "bool" else str(word)

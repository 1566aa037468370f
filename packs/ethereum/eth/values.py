"""Texts that mean addresses, bytes and numbers, checked."""
import re

from toolway import ToolError

from .keccak import keccak256

_HEX = re.compile(r"0x(?:[0-9a-fA-F]{2})*\Z")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}\Z")
_HASH = re.compile(r"0x[0-9a-fA-F]{64}\Z")
_NUMBER = re.compile(r"-?[0-9]{1,80}\Z")
_HEX_NUMBER = re.compile(r"0x[0-9a-fA-F]{1,64}\Z")
_TAGS = ("latest", "pending", "safe", "finalized", "earliest")


def refuse(message):
    """What the caller gave cannot be meant."""
    return ToolError("invalid_arguments", message)


def shown(value, most=60):
    text = repr(value)
    return text if len(text) <= most else text[:most] + "…"


def checksummed(address):
    """An address of 20 bytes, or its hex digits, with the letter case of EIP-55."""
    digits = (address if isinstance(address, str) else address.hex()).lower().replace("0x", "", 1)
    digest = keccak256(digits.encode()).hex()
    return "0x" + "".join(c.upper() if int(d, 16) >= 8 else c for c, d in zip(digits, digest))


def address_bytes(text, where="address"):
    """20 bytes. Mixed letter case must be that of EIP-55; all lower or all upper case has no checksum."""
    if not isinstance(text, str) or not _ADDRESS.match(text):
        raise refuse(f"{where}: {shown(text)} is not an address: 0x and 40 hex digits")
    digits = text[2:]
    if digits != digits.lower() and digits != digits.upper() and checksummed(digits) != text:
        raise refuse(f"{where}: {text} has a wrong checksum (EIP-55): a character may be mistyped; "
                     f"in lower case it is not checked")
    return bytes.fromhex(digits)


def address(text, where="address"):
    """The same, with its checksum."""
    return checksummed(address_bytes(text, where))


def hex_bytes(text, where="bytes"):
    if not isinstance(text, str) or not _HEX.match(text):
        raise refuse(f"{where}: {shown(text)} is not bytes: 0x and an even number of hex digits")
    return bytes.fromhex(text[2:])


def hash_text(text, where="hash"):
    if not isinstance(text, str) or not _HASH.match(text):
        raise refuse(f"{where}: {shown(text)} is not a hash: 0x and 64 hex digits")
    return text.lower()


def integer(value, where="number"):
    """A whole number, as JSON or as text (decimal, or hex with 0x), since JSON's own are exact up to 2^53 only."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) <= 2 ** 53:
        return int(value)
    if isinstance(value, str) and _NUMBER.match(value):
        return int(value)
    if isinstance(value, str) and _HEX_NUMBER.match(value):
        return int(value, 16)
    raise refuse(f"{where}: {shown(value)} is not a whole number; write large ones as text")


def block_of(value, where="block"):
    """A block as JSON-RPC has it: a tag, or a number in hex."""
    if isinstance(value, str) and value in _TAGS:
        return value
    number = integer(value, where)
    if number < 0 or number >= 2 ** 63:
        raise refuse(f"{where}: {shown(value)} is not a block: a number, or one of {', '.join(_TAGS)}")
    return hex(number)


def decimal_text(number, decimals):
    """`number` divided by 10^decimals, exactly: 1500000, 6 is 1.5."""
    sign, digits = ("-", -number) if number < 0 else ("", number)
    whole, part = divmod(digits, 10 ** decimals)
    fraction = str(part).rjust(decimals, "0").rstrip("0") if decimals else ""
    return f"{sign}{whole}.{fraction}" if fraction else f"{sign}{whole}"

"""Keccak-256 as Ethereum uses it: the sponge of FIPS 202 with Keccak's own padding (0x01, SHA-3 has 0x06).

hashlib has SHA-3 alone. A package would have to be in every interpreter that a worker may be given.
"""

_MASK = (1 << 64) - 1
_RATE = 136  # bytes: 1600 bits less twice 256, FIPS 202 section 5.2

_ROUND_CONSTANTS = (
    0x0000000000000001, 0x0000000000008082, 0x800000000000808A, 0x8000000080008000,
    0x000000000000808B, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
    0x000000000000008A, 0x0000000000000088, 0x0000000080008009, 0x000000008000000A,
    0x000000008000808B, 0x800000000000008B, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x000000000000800A, 0x800000008000000A,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
)
# By lane x + 5 y: FIPS 202 section 3.2.2, table 2, modulo 64.
_ROTATIONS = (0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14)


def _rotate(lane, by):
    return ((lane << by) | (lane >> (64 - by))) & _MASK


def _permute(lanes):
    for constant in _ROUND_CONSTANTS:
        columns = [lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20] for x in range(5)]
        mixed = [columns[(x + 4) % 5] ^ _rotate(columns[(x + 1) % 5], 1) for x in range(5)]
        moved = [0] * 25
        for x in range(5):
            for y in range(5):
                moved[y + 5 * ((2 * x + 3 * y) % 5)] = _rotate(lanes[x + 5 * y] ^ mixed[x], _ROTATIONS[x + 5 * y])
        for y in range(0, 25, 5):
            for x in range(5):
                lanes[x + y] = moved[x + y] ^ (~moved[(x + 1) % 5 + y] & _MASK & moved[(x + 2) % 5 + y])
        lanes[0] ^= constant


def sponge256(data, suffix):
    """32 bytes; `suffix` is the padding's first byte: 0x01 is Keccak-256, 0x06 is SHA3-256."""
    padded = bytearray(data)
    padded.append(suffix)
    padded.extend(bytes(-len(padded) % _RATE))
    padded[-1] |= 0x80
    lanes = [0] * 25
    for block in range(0, len(padded), _RATE):
        for lane in range(_RATE // 8):
            lanes[lane] ^= int.from_bytes(padded[block + 8 * lane:block + 8 * lane + 8], "little")
        _permute(lanes)
    return b"".join(lane.to_bytes(8, "little") for lane in lanes[:4])


def keccak256(data):
    """The 32 bytes of Keccak-256."""
    return sponge256(data, 0x01)

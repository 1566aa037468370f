"""Encoder, decoder and hash against vectors that others have written down, against each other, and against nonsense."""
import hashlib
import random
import unittest

from toolway import ToolError

from eth import abi
from eth.abi_types import Type, parse_signature, parse_type
from eth.contracts import encode_function_call
from eth.keccak import keccak256, sponge256
from eth.rpc import revert_of
from eth.values import address, block_of, checksummed, decimal_text, integer


def words(*numbers):
    return b"".join((number % 2 ** 256).to_bytes(32, "big") for number in numbers)


class Keccak(unittest.TestCase):
    def test_known_hashes(self):
        # The empty hash is in the Yellow Paper (of accounts without code); "abc" in the Keccak team's test vectors.
        self.assertEqual(keccak256(b"").hex(), "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470")
        self.assertEqual(keccak256(b"abc").hex(), "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45")

    def test_is_sha3_except_for_the_padding(self):
        for length in range(300):
            data = bytes(range(256))[:length] + b"x" * max(0, length - 256)
            self.assertEqual(sponge256(data, 0x06), hashlib.sha3_256(data).digest(), length)


class Checksums(unittest.TestCase):
    # EIP-55, "Test Cases".
    CASES = ("0x52908400098527886E0F7030069857D2E4169EE7", "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
             "0xde709f2102306220921060314715629080e2fb77", "0x27b1fdb04752bbc536007a920d24acb045561c26",
             "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
             "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb")

    def test_known_addresses(self):
        for case in self.CASES:
            self.assertEqual(checksummed(case), case)
            self.assertEqual(address(case), case)
            self.assertEqual(address(case.lower()), case)

    def test_a_mistyped_character_is_noticed(self):
        for case in self.CASES[4:]:
            position = next(index for index in range(2, 42) if case[index].isalpha())
            with self.assertRaisesRegex(ToolError, "EIP-55"):
                address(case[:position] + case[position].swapcase() + case[position + 1:])

    def test_other_forms_are_refused(self):
        for text in ("", "0x", "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0x" + "g" * 40, "0x" + "0" * 41, 5, None, "0x" + "0" * 40 + "\n"):
            with self.assertRaises(ToolError):
                address(text)


class Vectors(unittest.TestCase):
    # "Examples" and "Use of Dynamic Types" of the Contract ABI Specification, docs.soliditylang.org.
    def check(self, signature, arguments, start, *rest):
        _, data = abi.encode_call(signature, arguments)
        self.assertEqual(data.hex(), start + "".join(part if isinstance(part, str) else words(part).hex() for part in rest))

    def test_baz(self):
        self.check("baz(uint32,bool)", [69, True], "cdcd77c0", 69, 1)

    def test_bar(self):
        self.check("bar(bytes3[2])", [["0x616263", "0x646566"]], "fce353f6", "616263".ljust(64, "0"), "646566".ljust(64, "0"))

    def test_sam(self):
        self.check("sam(bytes,bool,uint[])", ["0x64617665", True, [1, 2, 3]], "a5643bf2", 0x60, 1, 0xa0, 4, "64617665".ljust(64, "0"), 3, 1, 2, 3)

    def test_f(self):
        self.check("f(uint,uint32[],bytes10,bytes)", [0x123, [0x456, 0x789], "0x31323334353637383930", "0x48656c6c6f2c20776f726c6421"], "8be65246",
                   0x123, 0x80, "31323334353637383930".ljust(64, "0"), 0xe0, 2, 0x456, 0x789, 0x0d, "48656c6c6f2c20776f726c6421".ljust(64, "0"))

    def test_g(self):
        text = lambda value: value.encode().hex().ljust(64, "0")
        self.check("g(uint[][],string[])", [[[1, 2], [3]], ["one", "two", "three"]], "2289b18c", 0x40, 0x140, 2, 0x40, 0xa0, 2, 1, 2, 1, 3,
                   3, 0x60, 0xa0, 0xe0, 3, text("one"), 3, text("two"), 5, text("three"))

    def test_selectors_of_erc20(self):
        # EIP-20's functions, as every token answers to them; Transfer's topic.
        for signature, wanted in (("transfer(address,uint256)", "a9059cbb"), ("balanceOf(address)", "70a08231"), ("approve(address,uint256)", "095ea7b3"),
                                  ("Error(string)", "08c379a0"), ("Panic(uint256)", "4e487b71")):
            self.assertEqual(abi.selector(signature).hex(), wanted)
        self.assertEqual(keccak256(b"Transfer(address,address,uint256)").hex(), "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef")

    def test_negative_numbers_and_tuples(self):
        self.check("h((int8,string)[],int256)", [[[-1, "a"]], "-2"], abi.selector("h((int8,string)[],int256)").hex(),
                   0x40, -2, 1, 0x20, -1, 0x40, 1, "61".ljust(64, "0"))


class Signatures(unittest.TestCase):
    def test_are_made_canonical(self):
        for text, wanted in (("function swap(uint a, tuple(address to, uint8[3] x)[] calldata parts) external view returns (bool ok)", "swap(uint256,(address,uint8[3])[])"),
                             ("a()", "a()"), ("f(int)", "f(int256)"), ("balanceOf(address)(uint256)", "balanceOf(address)")):
            self.assertEqual(parse_signature(text).canonical, wanted)
        self.assertEqual([str(part) for part in parse_signature("b(address)(uint256,string)").outputs], ["uint256", "string"])
        self.assertTrue(parse_signature("event T(address indexed from, uint256 v)").inputs[0].indexed)

    def test_others_are_refused(self):
        for text in ("", "f", "f(", "f)", "f(uint7)", "f(uint264)", "f(uint08)", "f(bytes33)", "f(bytes0)", "f(fixed)", "f(uint256", "f(,)", "f(uint,)",
                     "f(uint)x", "f(uint[-1])", "f(uint[99999])", "f(uint[10000][10000])", "f(" + "(" * 40 + "uint" + ")" * 40 + ")", "f(uint" + "[]" * 40 + ")",
                     "f(" + "uint," * 2000 + "uint)", "1f()", "f(ü)", "f(function)", None, 5):
            with self.assertRaises(ToolError, msg=text) as caught:
                parse_signature(text)
            self.assertEqual(caught.exception.code, "invalid_arguments")


class Ranges(unittest.TestCase):
    def test_the_last_value_that_fits(self):
        for bits in (8, 64, 256):
            for kind, low, high in ((f"uint{bits}", 0, 2 ** bits - 1), (f"int{bits}", -2 ** (bits - 1), 2 ** (bits - 1) - 1)):
                types = [parse_type(kind)]
                for number in (low, high):
                    self.assertEqual(abi.decode(types, abi.encode(types, [number])), [str(number)])
                for number in (low - 1, high + 1):
                    with self.assertRaisesRegex(ToolError, "out of the range"):
                        abi.encode(types, [str(number)])

    def test_values_of_another_type(self):
        for kind, value in (("uint8", True), ("uint8", 1.5), ("uint8", "1e3"), ("uint8", " 1"), ("bool", 1), ("bool", "true"), ("bytes2", "0x61"), ("bytes2", "0x616"),
                            ("bytes", "61"), ("string", 5), ("address", "0x1"), ("uint8[2]", [1]), ("uint8[]", 1), ("(uint8,bool)", [1]), ("(uint8 a)", {"b": 1}), ("uint8", None)):
            with self.assertRaises(ToolError, msg=(kind, value)) as caught:
                abi.encode([parse_type(kind)], [value])
            self.assertIn("arguments/0", caught.exception.message)

    def test_named_tuples_may_be_objects(self):
        self.assertEqual(encode_function_call("f((uint8 a,bool b))", [{"b": True, "a": 7}])["data"][10:], words(7, 1).hex())

    def test_texts(self):
        self.assertEqual([decimal_text(n, d) for n, d in ((0, 18), (1, 18), (1500000, 6), (10 ** 18, 18), (5, 0), (-15, 1))],
                         ["0", "0.000000000000000001", "1.5", "1", "5", "-1.5"])
        self.assertEqual([integer(v) for v in (5, "5", "0x5", "-5", 5.0)], [5, 5, 5, -5, 5])
        self.assertEqual([block_of(v) for v in ("latest", 16, "16", "0x10")], ["latest", "0x10", "0x10", "0x10"])
        for value in (-1, "soon", 2 ** 63, None):
            with self.assertRaises(ToolError):
                block_of(value)


def random_type(random, depth=0):
    choice = random.randrange(9 if depth < 4 else 6)
    if choice < 2:
        return Type(("uint", "int")[choice], 8 * random.randint(1, 32))
    if choice < 6:
        return (Type("address"), Type("bool"), Type("bytes", random.randint(0, 32)), Type("string"))[choice - 2]
    if choice == 6:
        return Type("tuple", of=[random_type(random, depth + 1) for _ in range(random.randrange(4))])
    return Type("array", length=None if choice == 7 else random.randrange(4), of=(random_type(random, depth + 1),))


def random_value(random, part):
    if part.name in ("uint", "int"):
        low, bits = (0, part.bits) if part.name == "uint" else (-2 ** (part.bits - 1), part.bits)
        return str(random.choice((low, low + 2 ** bits - 1, low + random.getrandbits(bits))))
    if part.name == "address":
        return checksummed(random.randbytes(20))
    if part.name == "bool":
        return random.random() < 0.5
    if part.name == "bytes":
        return "0x" + random.randbytes(part.bits or random.randrange(70)).hex()
    if part.name == "string":
        return "".join(random.choice("aé€😀\0 ") for _ in range(random.randrange(40)))
    if part.name == "tuple":
        return [random_value(random, inside) for inside in part.of]
    return [random_value(random, part.of[0]) for _ in range(random.randrange(4) if part.length is None else part.length)]


class Properties(unittest.TestCase):
    def test_what_is_encoded_is_decoded(self):
        source = random.Random(20)
        for _ in range(3000):
            types = [random_type(source) for _ in range(source.randrange(5))]
            values = [random_value(source, part) for part in types]
            data = abi.encode(types, values)
            self.assertEqual(len(data) % 32, 0)
            self.assertEqual(abi.decode(types, data), values, list(map(str, types)))
            again = parse_signature(f"f({','.join(map(str, types))})")
            self.assertEqual(list(map(str, again.inputs)), list(map(str, types)))

    def test_nonsense_is_refused_and_nothing_else(self):
        source = random.Random(21)
        for _ in range(5000):
            types = [random_type(source) for _ in range(source.randrange(1, 5))]
            data = bytearray(abi.encode(types, [random_value(source, part) for part in types]))
            for _ in range(source.randrange(4)):
                if data:
                    data[source.randrange(len(data))] = source.choice((0, 1, 0x20, 0x7f, 0xff))
            cut = bytes(data[:source.randrange(len(data) + 1)])
            try:
                abi.decode(types, cut)
            except ToolError as error:
                self.assertEqual(error.code, "upstream_invalid")

    def test_small_data_that_claims_to_be_large(self):
        for kind, data in (("uint256[]", words(0x20, 2 ** 255)), ("string", words(0x20, 2 ** 64)), ("bytes[]", words(0x20, 2 ** 20)), ("uint8", words(256)),
                           ("bool", words(2)), ("address", words(2 ** 160)), ("int8", words(128)), ("string", b""), ("uint256[]", words(2 ** 256 - 1)),
                           ("string[10000][10000]", words(0x20) * 40000)):
            with self.assertRaises(ToolError, msg=kind):
                abi.decode([parse_type(kind)], data)
        # Lists whose thirty items are all the next list: a few kilobytes that expand to 30^5 values.
        bomb = words(0x20) + words(30, *[30 * 32] * 30) * 5 + words(1, 7)
        with self.assertRaisesRegex(ToolError, "more than 100000 values"):
            abi.decode([parse_type("uint256" + "[]" * 6)], bomb)

    def test_reverts(self):
        text = words(0x20, 3) + b"why".ljust(32, b"\0")
        self.assertEqual(revert_of(bytes.fromhex("08c379a0") + text)["reason"], "why")
        self.assertEqual(revert_of(bytes.fromhex("4e487b71") + words(0x12))["reason"], "division by zero")
        self.assertEqual(revert_of(bytes.fromhex("4e487b71") + words(0x99))["reason"], "panic 0x99")
        self.assertEqual(revert_of(b"")["kind"], "empty")
        for data in (b"abcd", bytes.fromhex("08c379a0"), bytes.fromhex("08c379a0") + words(2 ** 200, 1), bytes.fromhex("4e487b71")):
            self.assertEqual(revert_of(data)["kind"], "custom")


if __name__ == "__main__":
    unittest.main()

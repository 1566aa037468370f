"""cmake/check_types.py finds two types of one name in one namespace."""
import unittest

from check_types import findings


def header(namespace, *lines):
    return "\n".join([f"namespace {namespace} {{", *lines, f"}}  // namespace {namespace}", ""])


class Types(unittest.TestCase):
    def found(self, *headers):
        return list(findings((f"{number}.h", text) for number, text in enumerate(headers)))

    def test_finds_each_kind_of_type(self):
        for line in ["struct A {", "class A {", "class A final : public B {", "struct A : B {", "enum class A {", "enum class A : int {"]:
            self.assertEqual(self.found(header("a::b", "struct A {"), header("a::b", line)), ["a::b::A is in 0.h and in 1.h"], line)

    def test_leaves_what_is_not_the_same_type(self):
        for other in [header("a::c", "struct A {"), header("a::b", "struct A;"), header("a::b", "  struct A {"), "struct A {",
                      header("a::c") + "struct A {", header("a::b", "struct AB {")]:
            self.assertEqual(self.found(header("a::b", "struct A {"), other), [], other)


if __name__ == "__main__":
    unittest.main()

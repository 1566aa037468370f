"""cmake/check_functions.py finds long functions, and takes nothing else for one."""
import unittest

from check_functions import findings, functions


def body(lines):
    return "  a();\n" * lines


class Functions(unittest.TestCase):
    def found(self, text):
        return list(findings("a.cc", text))

    def test_finds_a_long_function(self):
        self.assertEqual(self.found(f"\nint f(int a) {{\n{body(59)}}}\n"), ["a.cc:2: a function of 61 lines; 60 are enough"])
        self.assertEqual(self.found(f"int f(int a) {{\n{body(58)}}}\n"), [])

    def test_finds_it_however_its_head_is_written(self):
        for head in ["T X::f(\n    int a) const", "X::X(int a)\n    : a_(a),\n      b_(g({a}))", "auto f() -> int", "int f() try", "void f() noexcept override"]:
            self.assertEqual(len(self.found(f"{head} {{\n{body(70)}}}\n")), 1, head)

    def test_counts_each_function_by_itself(self):
        text = f"namespace x {{\nclass Y {{\n  int f() {{\n{body(40)}  }}\n  int g() {{\n{body(40)}  }}\n}};\n}}\n"
        self.assertEqual([length for _, length in functions(text)], [42, 42])
        self.assertEqual(self.found(text), [])

    def test_counts_a_lambda_for_what_holds_it(self):
        text = f"int f() {{\n  if (a) {{\n  auto g = [&](int b) {{\n{body(30)}  }};\n  }}\n{body(30)}}}\n"
        self.assertEqual(len(self.found(text)), 1)

    def test_a_map_of_a_closed_list_is_as_long_as_the_list(self):
        cases = "    case E::kA: return 1;\n    case E::kB:\n    case kC: return \"c\";\n" * 30
        self.assertEqual([length for _, length in functions(f"int f(E e) {{\n  switch (e) {{\n{cases}  }}\n{body(50)}}}\n")], [54])
        self.assertEqual(len(self.found(f"int f(E e) {{\n  switch (e) {{\n{'    case E::kA: g(); return h();' * 1}\n  }}\n{body(60)}}}\n")), 1)
        self.assertEqual(len(self.found("int f(E e) {\n  switch (e) {\n" + "    case E::kA: g(); return h();\n" * 60 + "  }\n}\n")), 1)

    def test_reads_no_braces_in_texts(self):
        text = f'int f() {{\n  a("}}", \'}}\', R"({{\n}}}}\n)");  // }}\n{body(60)}}}\n'
        self.assertEqual(len(self.found(text)), 1)


if __name__ == "__main__":
    unittest.main()

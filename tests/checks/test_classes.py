"""cmake/check_classes.py finds classes that are spread over sources, and takes nothing else for one."""
import unittest

from check_classes import classes, findings


def source(*lines):
    return "\n".join(["namespace a::b {", *lines, "}  // namespace a::b"])


class Classes(unittest.TestCase):
    def names(self, *lines):
        return [name for name, _ in classes(source(*lines))]

    def test_finds_a_class_in_two_sources(self):
        texts = [("x.cc", source("void Held::begin() {")), ("y.cc", source("", "void Held::end() {", "Held::~Held() {"))]
        self.assertEqual(list(findings(texts)), ["y.cc:3: a::b::Held has functions here and in x.cc; a class has one source"])
        self.assertEqual(list(findings(texts[:1] * 2)), [])

    def test_finds_its_functions_however_they_are_written(self):
        for line in ["Held::Held(int a)", "Held::~Held() = default;", "int Held::operator+(int a) const {", "std::function<void()> Held::next() {",
                     "const std::map<int, A::B>& Held::all() const {", "Result<T> Held<T>::get() {", "auto Held::answer_to() {"]:
            self.assertEqual(self.names(line), ["a::b::Held"], line)
        self.assertEqual(self.names("void Held::Part::begin() {"), ["a::b::Held::Part"])

    def test_takes_nothing_else_for_one(self):
        for line in ["  Held::begin();", "int begin(Held::Part a) {", "const auto kOne = Held::one();", "using A = Held::B(int);", "// Held::begin()",
                     "std::string proto::name(int a) {"]:
            self.assertEqual(self.names(line), [], line)

    def test_classes_of_one_name_are_two_in_two_namespaces(self):
        other = source("void Held::end() {").replace("a::b", "a::c")
        self.assertEqual(list(findings([("x.cc", source("void Held::begin() {")), ("y.cc", other)])), [])


if __name__ == "__main__":
    unittest.main()

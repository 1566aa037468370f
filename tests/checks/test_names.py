"""cmake/check_names.py finds forbidden names of types and of constants, and exceptions that nothing needs any more."""
import unittest

from check_names import CONSTANTS, FORBIDDEN, STILL_NAMED, STILL_THERE, findings


class Names(unittest.TestCase):
    def found(self, text, still_there=frozenset()):
        return list(findings([("a.h", text)], still_there, frozenset()))

    def test_finds_each_name_however_it_is_declared(self):
        for name in FORBIDDEN:
            self.assertEqual(len(self.found(f"class {name} final {{")), 1, name)
        for line in ["struct Station {", "  struct Station;", "enum class Station { kA };", "using Station = int;", "template <class T> class Station {"]:
            self.assertEqual(self.found("\n" + line), ["a.h:2: Station is not a type's name here; instead: WorkerContext"], line)

    def test_leaves_others_alone(self):
        for line in ["class SpaceStation {", "class Stations {", "/// Said class Station of old.", 'f("class Station");', "#include \"station.h\"",
                     "auto Inside = 1;"]:
            self.assertEqual(self.found(line), [], line)

    def test_the_list_of_those_still_there_can_only_shrink(self):
        self.assertEqual(self.found("class Station {", {"Station"}), [])
        self.assertEqual(self.found("class Waiter {", {"Station"}),
                         ["no type is called Station any more: take it out of STILL_THERE in cmake/check_names.py"])
        self.assertLessEqual(STILL_THERE, set(FORBIDDEN))

    def test_finds_each_name_of_a_constant(self):
        self.assertEqual(set(CONSTANTS), {"Again", "Between", "Every", "Few", "Most", "Patience"})
        for begins, instead in CONSTANTS.items():
            for line in [f"constexpr int k{begins} = 1;", f"static constexpr std::chrono::seconds k{begins}Looks{{1}};",
                         f"inline constexpr double k{begins}X = 0.05;", f"const auto k{begins} = f();", f"constexpr A<B>\n    k{begins}{{1}};"]:
                found = self.found(line)
                self.assertEqual(len(found), 1, line)
                self.assertTrue(found[0].endswith(f"instead: {instead}"), found)

    def test_leaves_other_constants_and_their_uses_alone(self):
        for line in ["constexpr int kMaxLooks = 1;", "const Json kEverything = f();", "case Verdict::kAgain: return 1;", "enum class A { kAgain };",
                     "if (x < kMost) return;", "constexpr int kAlmost = 1;", "constexpr int kFewer = 1;"]:
            self.assertEqual(self.found(line), [], line)
        self.assertEqual(list(findings([("tests/a.h", "constexpr int kPatience = 1;")], frozenset(), frozenset())), [])

    def test_the_list_of_folders_can_only_shrink(self):
        text = "\nconstexpr int kMost = 1;"
        self.assertEqual(list(findings([("bus/a.h", text)], frozenset(), {"bus/"})), [])
        self.assertEqual(list(findings([("base/a.h", text), ("bus/a.h", text)], frozenset(), {"bus/"})),
                         ["base/a.h:2: kMost is not a constant's name here; instead: kMaxX"])
        self.assertEqual(list(findings([("bus/a.h", "int a;")], frozenset(), {"bus/"})),
                         ["no constant in bus/ has such a name: take it out of STILL_NAMED in cmake/check_names.py"])
        self.assertLessEqual(STILL_NAMED, {"bus/", "cli/process/"})


if __name__ == "__main__":
    unittest.main()

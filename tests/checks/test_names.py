"""cmake/check_names.py finds forbidden names of types, and names that nothing needs to allow any more."""
import unittest

from check_names import FORBIDDEN, STILL_THERE, findings


class Names(unittest.TestCase):
    def found(self, text, still_there=frozenset()):
        return list(findings([("a.h", text)], still_there))

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


if __name__ == "__main__":
    unittest.main()

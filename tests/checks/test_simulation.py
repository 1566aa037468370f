"""cmake/check_simulation.py finds a constant that the simulation has a second time."""
import os
import unittest

from check_simulation import DEFINED, findings


class Simulation(unittest.TestCase):
    def found(self, product, own, where="persistence/reaper/reaper.h"):
        return list(findings([("tests/simulation/life.cc", own), (where, product)]))

    def test_finds_each_form(self):
        for line in ["constexpr std::chrono::seconds kRound{1};", "inline constexpr int kRound = 1;", "  static constexpr std::array<int, 2> kRound{1, 2};",
                     "constexpr milliseconds kRound{5};"]:
            for one, other in ((line, "constexpr int kRound = 2;"), ("constexpr int kRound = 2;", line)):
                self.assertEqual(self.found(one, "\n" + other),
                                 ["tests/simulation/life.cc:2: kRound is in persistence/reaper/reaper.h too: use the product's, or name what is the "
                                  "simulation's own differently"], line)

    def test_uses_do_not_define(self):
        for line in ["process_->after(kRound, f);", "constexpr int kMaxRound = kRound;", "constexpr int kRounds = 1;", "case Kind::kRound:"]:
            self.assertEqual(self.found("constexpr int kRound = 2;", line), [], line)

    def test_other_folders_are_not_simulated(self):
        self.assertEqual(self.found("constexpr int kRound = 2;", "constexpr int kRound = 2;", where="cli/demo/tour.cc"), [])
        self.assertEqual(self.found("constexpr int kRound = 2;", "constexpr int kRound = 2;", where="tests/simulation/other.cc"), [])

    def test_finds_the_products_constants(self):
        os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
        with open("persistence/collector/collector.h", encoding="utf-8") as file:
            self.assertIn("kBatchLinger", [found[1] for found in DEFINED.finditer(file.read())])


if __name__ == "__main__":
    unittest.main()

"""cmake/check_clocks.py finds sources that ask the system for the time, and names in its list that need not be there."""
import unittest

from check_clocks import findings


class Clocks(unittest.TestCase):
    def found(self, name, text, still_there=frozenset()):
        return list(findings([(name, text)], still_there))

    def test_finds_each_clock_of_the_system(self):
        self.assertEqual(self.found("gateway/a.cc", "\nauto x = std::chrono::steady_clock::now();"),
                         ["gateway/a.cc:2: steady_clock::now() asks the system; take the time from a Clock (base/clock.h)"])
        for clock in ["system_clock", "high_resolution_clock", "Steady", "Clock"]:
            self.assertEqual(len(self.found("a.h", f"{clock}::now()")), 1, clock)

    def test_leaves_what_waits_for_the_system_or_measures_it(self):
        for name in ["base/clock.h", "base/clock.cc", "bus/timers.cc", "cli/main.cc", "base/os/child.cc", "local/tcp.cc", "cli/bench/load/load_run.cc"]:
            self.assertEqual(self.found(name, "steady_clock::now()"), [], name)
        self.assertEqual(self.found("a.cc", "clock.monotonic();  // not steady_clock::now()"), [])

    def test_a_folder_beside_those_may_not(self):
        for name in ["base/back_off.cc", "cli/client/follow.cc", "persistence/local/x.cc", "tools/bus/x.cc"]:
            self.assertEqual(len(self.found(name, "steady_clock::now()")), 1, name)

    def test_the_list_can_only_shrink(self):
        self.assertEqual(self.found("a.cc", "steady_clock::now()", {"a.cc"}), [])
        self.assertEqual(self.found("a.cc", "clock.monotonic()", {"a.cc"}),
                         ["a.cc does not ask the system for the time: take it out of STILL_THERE in cmake/check_clocks.py"])
        self.assertEqual(len(self.found("b.cc", "steady_clock::now()", {"a.cc"})), 2)


if __name__ == "__main__":
    unittest.main()

"""The script that computes how many processes a rate needs (tests/bench/thread_cost.py)."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))

from thread_cost import costs, serial, table  # noqa: E402

BY_ROLE = {"gateway": [(40.0, "toolway"), (5.0, "toolway")], "worker": [(14.0, "toolway"), (2.0, "toolway")],
           "collector": [(6.0, "toolway"), (4.0, "toolway")], "nats-server": [(60.0, "nats-server")],
           "postgres": [(18.0, "postgres"), (2.0, "postgres")]}


class ThreadCost(unittest.TestCase):
    def test_costs_are_per_call_and_of_new_threads_too(self):
        before = {("worker", "toolway 7"): 1000, ("worker", "toolway 8"): 500}
        after = {("worker", "toolway 7"): 3000, ("worker", "toolway 8"): 500, ("worker", "toolway 9"): 4000}
        self.assertEqual(costs(before, after, 100), {"worker": [(40.0, "toolway"), (20.0, "toolway")]})

    def test_a_collector_and_its_connection_work_in_turn(self):
        self.assertEqual(serial(BY_ROLE), {"gateway": 40.0, "worker": 14.0, "collector": 28.0})

    def test_says_how_many_processes_a_rate_needs(self):
        text = table(BY_ROLE, 100_000, 0.8)
        self.assertRegex(text, r"gateway +45.0 us +40.0 us +25,000 calls/s +5 +4.5")
        self.assertRegex(text, r"worker +16.0 us +14.0 us +71,429 calls/s +2 +1.6")
        self.assertRegex(text, r"collector +10.0 us +28.0 us +35,714 calls/s +4 +1.0")
        self.assertRegex(text, r"all +151.0 us +15.1")


if __name__ == "__main__":
    unittest.main()

"""The script that measures Toolway next to BullMQ (tests/bench/peers)."""

import json
import pathlib
import re
import sys
import unittest

PEERS = pathlib.Path(__file__).resolve().parents[1] / "bench" / "peers"
sys.path.insert(0, str(PEERS))

import bullmq  # noqa: E402


def side(calls_per_s, errors=0):
    return {"calls_per_s": calls_per_s, "errors": errors, "p50_ms": 15.2, "p99_ms": 31.4}


class Peers(unittest.TestCase):
    def test_compares_the_medians(self):
        text, held = bullmq.report([(side(12000), side(6000)), (side(9000), side(5000)), (side(13000), side(6500))])
        self.assertTrue(held)
        self.assertIn("medians: 12000 and 6000 calls/s, 2.00 times BullMQ's; errors: 0 and 0", text)
        self.assertRegex(text, r"2 +9000 +15.2 +31.4 +5000 +15.2 +31.4 +1.80")

    def test_a_lost_call_of_either_fails(self):
        for turn in ((side(1, errors=1), side(1)), (side(1), side(1, errors=1))):
            self.assertFalse(bullmq.report([turn])[1])

    def test_versions_are_pinned(self):
        pinned = json.loads((PEERS / "package.json").read_text(encoding="utf-8"))["dependencies"]
        self.assertEqual(set(pinned), {"bullmq", "ioredis"})
        for version in pinned.values():
            self.assertTrue(re.fullmatch(r"\d+\.\d+\.\d+", version), version)


if __name__ == "__main__":
    unittest.main()

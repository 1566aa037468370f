"""Numbers and times of the dashboards' picture (monitoring/observe/units.py)."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "monitoring/observe"))
import units  # noqa: E402


class Moments(unittest.TestCase):
    def test_are_round(self):
        noon = 1_800_000_000 // 86400 * 86400 + 43200
        self.assertEqual([label for _, label in units.moments(noon + 7, noon + 247)], ["12:01", "12:02", "12:03", "12:04"])
        self.assertEqual([label for _, label in units.moments(noon + 1, noon + 59)], ["12:00:15", "12:00:30", "12:00:45"])
        self.assertEqual([label for _, label in units.moments(noon, noon + 4 * 3600)], ["12:00", "13:00", "14:00", "15:00", "16:00"])

    def test_are_few_at_any_span(self):
        for seconds in (20, 61, 300, 3000, 86400, 400_000):
            self.assertIn(len(units.moments(1_800_000_003, 1_800_000_003 + seconds)), range(2, 7), seconds)


class Shown(unittest.TestCase):
    def test_has_the_words_of_a_unit(self):
        self.assertEqual(units.shown(12.345, "suffix: calls/s"), "12.3 calls/s")
        self.assertEqual(units.shown(1500, "reqps"), "1.5 K req/s")


if __name__ == "__main__":
    unittest.main()

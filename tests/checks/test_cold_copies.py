import unittest

import cold_copies


class ColdCopies(unittest.TestCase):
    def test_a_copy_is_cold_that_only_a_cold_library_can_have_given(self):
        hot = {"both": {80}, "alike": {40}, "of_two": {60, 70}}
        cold = {"both": {100}, "alike": {40}, "of_two": {70, 90}, "own": {9}}
        self.assertEqual(cold_copies.cold_copies({"both": {80}, "alike": {40}, "of_two": {70}, "own": {9}}, hot, cold), [])
        self.assertEqual(cold_copies.cold_copies({"both": {100}, "of_two": {90}, "unknown": {1}}, hot, cold), ["both", "of_two"])


if __name__ == "__main__":
    unittest.main()

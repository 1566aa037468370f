"""The builds for the sanitizers can be configured: what only they evaluate is seen before CI comes to them."""
import json
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Presets(unittest.TestCase):
    def test_those_for_sanitizers_configure(self):
        presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
        sanitizers = [preset["name"] for preset in presets if "TOOLWAY_SANITIZE" in preset.get("cacheVariables", {})]
        self.assertEqual(sanitizers, ["asan", "tsan"])
        for preset in sanitizers:
            with self.subTest(preset), tempfile.TemporaryDirectory() as directory:
                done = subprocess.run(["cmake", "--preset", preset, "-S", ROOT, "-B", directory],
                                      capture_output=True, text=True, cwd=ROOT)
                self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()

"""Every command of a page of the documentation works as it is printed, and prints what the page says.

Each page runs in a network and with processes of its own (run_page.py): `toolway dev` has its port 8080, as on a reader's machine. What is
taken for a command: pages.py. How much of the printed output must be the same: shape.py. Blocks that are marked as not run, and pages
that no part has yet, are counted by checks.scripts.

usage: docs_test.py TOOLWAY PART      one of pages.PARTS
"""

import concurrent.futures
import json
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import pages  # noqa: E402

PROGRAM, PART = sys.argv.pop(1), sys.argv.pop(1)
ALONE = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc"]


def run(page):
    told = subprocess.run([*ALONE, sys.executable, HERE / "run_page.py", page, PROGRAM], capture_output=True, text=True, timeout=400)
    try:
        return json.loads(told.stdout)
    except ValueError:
        return {"ran": 0, "failures": [f"{page}: {told.stdout}{told.stderr}"]}


class Pages(unittest.TestCase):
    def test_every_command_works_as_printed(self):
        names = pages.PARTS[PART]
        with concurrent.futures.ThreadPoolExecutor(2) as readers:
            for page, result in zip(names, readers.map(run, names)):
                with self.subTest(page):
                    self.assertEqual(result["failures"], [], "\n\n".join(result["failures"]))
                    self.assertGreater(result["ran"], 0)


if __name__ == "__main__":
    unittest.main()

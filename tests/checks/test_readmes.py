"""cmake/check_readmes.py finds where a README and the layout differ."""
import os
import unittest

from check_layout import FOLDERS, ROOMS
from check_readmes import findings, pages


def sentence(folder):
    names = [f"`{name}`" for name in FOLDERS[folder]]
    if not names:
        return "May include no other folder."
    return "May include all folders; none includes it." if set(FOLDERS[folder]) >= set(FOLDERS) - {folder} else f"May include {', '.join(names)}. No more."


def table(rooms):
    return "\n".join(["", "| room | for |", "|---|---|", *(f"| `{room}` | `x` |" for room in rooms), "", "| `not` | a room |", ""])


class Readmes(unittest.TestCase):
    def found(self, **changed):
        pages = {folder: sentence(folder) for folder in FOLDERS}
        pages.update({folder.replace("__", "/"): text for folder, text in changed.items()})
        return list(findings((f"{folder}/README.md", text) for folder, text in pages.items()))

    def test_what_agrees(self):
        self.assertEqual(self.found(), [])
        self.assertEqual(self.found(tools=sentence("tools") + table(ROOMS["tools"])), [])
        self.assertEqual(self.found(tools="May include `base`\nand `mcp`."), [])

    def test_what_differs(self):
        self.assertEqual(self.found(bus="May include `base`. And `proto`."),
                         ["bus/README.md: may include base; the rule is base, proto (see cmake/check_layout.py)"])
        self.assertEqual(self.found(base="May include `bus`."),
                         ["base/README.md: may include bus; the rule is nothing (see cmake/check_layout.py)"])
        self.assertEqual(len(self.found(cli="May include `base`; more.")), 1)
        self.assertEqual(len(self.found(gateway=sentence("gateway").replace("store/store_reader.h", "store/lookup.h"))), 1)

    def test_one_that_says_nothing(self):
        self.assertEqual(self.found(mcp="# mcp"), ["mcp/README.md: does not say what mcp may include"])

    def test_rooms_follow_from_their_place(self):
        self.assertEqual(self.found(tools__http="May include `base`."),
                         ["tools/http/README.md: what a room may include follows from its place among the rooms"])

    def test_rooms_in_another_order(self):
        upside_down = list(reversed(ROOMS["workers"]))
        self.assertEqual(len(self.found(workers=sentence("workers") + table(upside_down))), 1)
        self.assertEqual(len(self.found(workers=sentence("workers") + table(ROOMS["workers"][1:]))), 1)
        self.assertEqual(len(self.found(mcp=sentence("mcp") + table(["attic"]))), 1)

    def test_reads_all_folders(self):
        os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
        self.assertLessEqual({f"{folder}/README.md" for folder in FOLDERS}, set(pages()))


if __name__ == "__main__":
    unittest.main()

import unittest
import xml.etree.ElementTree as ElementTree

import cli_picture


def words(line):
    return [(text, style.colour, style.bold, style.dim) for text, style in cli_picture.runs(line)]


class Picture(unittest.TestCase):
    def test_colours_end_where_the_terminal_ends_them(self):
        ink, red = cli_picture.INK, cli_picture.COLOURS["31"]
        self.assertEqual(words("a\x1b[31merror:\x1b[0m b"), [("a", ink, False, False), ("error:", red, False, False), (" b", ink, False, False)])
        self.assertEqual(words("\x1b[1;2mx\x1b[m"), [("x", ink, True, True)])

    def test_what_was_written_over_is_not_shown(self):
        self.assertEqual(words("10 %\r100 %\x1b[K"), [("100 %", cli_picture.INK, False, False)])

    def test_is_xml_in_which_each_run_has_the_width_of_its_characters(self):
        picture = ElementTree.fromstring(cli_picture.svg([cli_picture.runs('a <"&> \x1b[32mok\x1b[0m'), []]))
        texts = [(node.text, float(node.get("x")), float(node.get("textLength"))) for node in picture.iter() if node.tag.endswith("text")]
        cell, margin = cli_picture.CELL, cli_picture.MARGIN
        self.assertEqual(texts, [('a <"&> ', margin, 7 * cell), ("ok", margin + 7 * cell, 2 * cell)])


if __name__ == "__main__":
    unittest.main()

"""cmake/check_words.py finds stiff phrases in prose, and nothing in code."""
import unittest

from check_words import PHRASES, READ, findings


def found(text):
    return [finding.split('"')[1] for finding in findings("page.md", text)]


class Words(unittest.TestCase):
    def test_finds_each_kind_of_phrase(self):
        stiff = ["made anew", "the rest waits meanwhile", "whoever asks", "nobody answers", "the server stands", "its time is over",
                 "it is due since 3 s", "as many times", "X is no directory", "behind the end", "no more than may wait",
                 "it is not to be had", "by himself", "not heard of", "all but the first", "it is to be read", "a call under way",
                 "the stream goes on", "some 20 calls", "a file beside it"]
        self.assertEqual(len(stiff), len(PHRASES))
        for phrase in stiff + ["it is not to be read", "not to be offered", "left to be said"]:
            self.assertEqual(len(found(phrase)), 1, phrase)

    def test_says_where_and_what_to_write(self):
        self.assertEqual(list(findings("page.md", "fine\nmade Anew")), ['page.md:2: "Anew": again'])

    def test_leaves_code_alone(self):
        for text in ["`anew`", "    anew", "```\nanew\n```", "[text](anew.md)"]:
            self.assertEqual(found(text), [], text)

    def test_reads_messages_and_comments_of_sources(self):
        source = ('int anew = f("made anew");  // waits meanwhile\n#include "anew.h"\nauto x = f("anew", "the user nobody");\n'
                  'auto y = "X is no directory";  // nobody asks\n/// The reason stands beside it.\n')
        self.assertEqual([finding.split('"')[1] for finding in findings("a.cc", source)],
                         ["anew", "meanwhile", "is no d", "nobody", "stands", "beside it"])

    def test_reads_on_over_the_lines_of_a_paragraph(self):
        for name, text, line in [("page.md", "fine\n\nthe rest of\nit is\nno tool\n", 4),
                                 ("page.md", "- fine\n- it is\n  no tool\n", 2),
                                 ("page.md", "`some\ncode` is\nno tool\n", 2),
                                 ("a.cc", "/// What it\n/// is\n/// no\n/// tool.\n", 2),
                                 ("a.cc", 'f("what is "\n  "no tool");\n', 1),
                                 ("a.cc", 'f("what is" " no "  // why\n  "tool");\n', 1)]:
            self.assertEqual([finding.split('"')[0] for finding in findings(name, text)], [f"{name}:{line}: "], text)

    def test_does_not_read_on_from_one_text_into_another(self):
        for name, text in [("page.md", "what it is\n\nno tool\n"), ("page.md", "- what it is\n- no tool\n"),
                           ("page.md", "| it is |\n| no tool |\n"), ("page.md", "what it is\n```\n```\nno tool\n"),
                           ("a.cc", "/// What it is\n///\n/// no tool.\n"), ("a.cc", "f();  // it is\ng();  // no tool\n"),
                           ("a.cc", 'f("what is ", "no tool");\n'), ("a.cc", 'f("what is ");\nf("no tool");\n'),
                           ("a.cc", "// it is\n\n// no tool\n")]:
            self.assertEqual(list(findings(name, text)), [], text)

    def test_reads_files_of_every_kind(self):
        for name in ["values.schema.json", "values.yaml", "run.sh", "a.cc", "a.h", "a.py"]:
            self.assertTrue(name.endswith(READ), name)

    def test_reads_the_texts_of_json(self):
        self.assertEqual(list(findings("schema.json", '{\n  "anew": {"description": "made anew"}\n}\n')), ['schema.json:2: "anew": again'])

    def test_reads_names_of_tests(self):
        for name, source in [("a_test.cc", "TEST_F(Order, GoesOnBehindTheEnd) {\n"), ("a_test.py", "    def test_goes_on_behind_the_end(self):\n")]:
            self.assertEqual([finding.split('"')[1].lower() for finding in findings(name, source)], ["goes on", "behind the end"], name)
        self.assertEqual(list(findings("a.cc", "void GoesOn() {}\n")), [])

    def test_reads_scripts_and_configuration(self):
        for name in ["run.sh", "values.yaml", "tool.py", "script.js", "tests/CMakeLists.txt"]:
            self.assertEqual(len(list(findings(name, "good\nx: 1  # made anew"))), 1, name)

    def test_leaves_good_english_alone(self):
        for text in ["the limit is over 5", "it is no longer there", "twice over", "behind nginx", "besides that", "she goes once",
                     "there is no kind x", "it stands for many", "it stands in for a thread", "nobody:x:65534", "in /home/nobody"]:
            self.assertEqual(found(text), [], text)


if __name__ == "__main__":
    unittest.main()

"""cmake/source_batches.py never puts two files that declare the same name into one batch."""
import os
import tempfile
import unittest

from source_batches import batches, by_libraries, names

FIXTURE = """
#include "x.h"
#define PORT 1
namespace toolway {
namespace {
using std::chrono::seconds;
constexpr int kMany = 3;  // "kNot"
const WallTime kNow = from_unix_us(1);
struct Fake final : Base { int inner = 0; };
template <typename T> std::string shown(const T& value) { int local = 1; return "kText"; }
template <typename T = std::vector<int>> struct Held {};
template <typename T = int> T zero() { return T(); }
std::vector<int> made;
class Suite : public testing::Test { void help() {} };
TEST_F(Suite, Works) { int kLocal = 2; }
}  // namespace
}  // namespace toolway
"""


class Batches(unittest.TestCase):
    def test_names_are_those_of_namespace_scope(self):
        self.assertEqual(names(FIXTURE),
                         {"PORT#"} | {f"toolway::{name}" for name in (
                             "seconds std::chrono::", "kMany", "kNow", "Fake", "shown", "Held", "zero", "made", "Suite",
                             "Suite_Works")})

    def batched(self, size, *texts):
        with tempfile.TemporaryDirectory() as directory:
            paths = []
            for number, text in enumerate(texts):
                paths.append(os.path.join(directory, f"{number}.cc"))
                with open(paths[-1], "w", encoding="utf-8") as file:
                    file.write(text)
            return [[paths.index(path) for path in batch] for batch in batches(paths, size)]

    def test_files_with_a_common_name_are_apart(self):
        a, b, c = "namespace { int f() { return 1; } }", "namespace { struct f {}; }", "namespace { int g; }"
        self.assertEqual(self.batched(6, a, b, c), [[0, 2], [1]])

    def test_files_with_a_common_name_in_namespaces_of_their_own_come_together(self):
        a, b = "namespace x { namespace { int f(); } }", "namespace x::y { int f(); }"
        c = "namespace x { namespace y { int f(); } }"
        self.assertEqual(self.batched(6, a, b, c), [[0, 1], [2]])

    def test_a_name_that_both_take_from_the_same_namespace_is_none_of_their_own(self):
        take, other, own = "using a::f; using namespace c;", "using b::f;", "void f();"
        self.assertEqual(self.batched(6, take, take, other, own), [[0, 1], [2], [3]])

    def test_a_macro_counts_in_every_namespace(self):
        self.assertEqual(self.batched(6, "#define f 1", "namespace { int f; }", "namespace x { int f; }"), [[0], [1, 2]])
        self.assertEqual(self.batched(6, "namespace x { int f; }", "#define f 1", "#define f 2"), [[0], [1], [2]])

    def test_no_batch_is_larger_than_asked_for(self):
        self.assertEqual(self.batched(2, "int a;", "int b;", "int c;"), [[0, 1], [2]])

    def test_sources_of_the_same_libraries_come_together(self):
        with tempfile.TemporaryDirectory() as root:
            def write(name, *lines):
                with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                    file.write("\n".join(f"#include {line}" for line in lines))
                return os.path.join(root, name)
            write("verbs.h", '"flags.h"')
            write("flags.h", "<CLI/CLI.hpp>")
            write("loop.h", '"loop.h"', "<sys/epoll.h>", "<vector>")
            a, b, c, d = (write(name, line) for name, line in (
                ("a.cc", '"verbs.h"'), ("b.cc", '"loop.h"'), ("c.cc", '"flags.h"'), ("d.cc", '"call.pb.h"')))
            self.assertEqual(by_libraries([a, b, c, d], root), [b, a, c, d])


if __name__ == "__main__":
    unittest.main()

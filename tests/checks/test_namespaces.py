"""cmake/check_namespaces.py finds code in another folder's namespace, and nothing else."""
import unittest

from check_namespaces import findings, namespace_of


def block(namespace, *lines):
    return "\n".join([f"namespace {namespace} {{", *lines, f"}}  // namespace {namespace}", ""])


class Namespaces(unittest.TestCase):
    def found(self, *blocks, name="gateway/calls/submit.h"):
        return list(findings(name, "\n".join(["#pragma once", "", *blocks])))

    def test_a_folder_is_a_namespace(self):
        self.assertEqual(namespace_of("gateway/calls/submit.cc"), "toolway::gateway::calls")
        self.assertEqual(namespace_of("tools/executors/http/http_kind.h"), "toolway::tools::executors::http")
        self.assertEqual(namespace_of("workers/worker.h"), "toolway::workers")
        self.assertEqual(namespace_of("base/ids.h"), "toolway")
        self.assertEqual(namespace_of("base/os/child.h"), "toolway::os")

    def test_finds_a_type_in_another_folders(self):
        for other in ["toolway::gateway", "toolway::gateway::live", "toolway"]:
            self.assertEqual(self.found(block(other, "struct A {", "  int a;", "};")),
                             [f"gateway/calls/submit.h:3: {other} is another folder's namespace; this file's is toolway::gateway::calls"])

    def test_lets_its_own_and_those_inside_it_be(self):
        self.assertEqual(self.found(block("toolway::gateway::calls", "struct A {};")), [])
        self.assertEqual(self.found(block("toolway::gateway::calls::test", "struct A {};")), [])
        self.assertEqual(self.found(block("boost::asio", "struct A {};")), [])

    def test_others_types_may_be_declared(self):
        said = ["class LiveHub;  // ours to point at", "template <typename T>", "struct Feed;", "enum class Seen : std::uint8_t;"]
        self.assertEqual(self.found(block("toolway::gateway::live", *said)), [])
        self.assertEqual(len(self.found(block("toolway::gateway::live", *said, "struct A {};"))), 1)
        self.assertEqual(len(self.found(block("toolway::gateway::live", "void follow();"))), 1)

    def test_others_templates_may_be_specialized(self):
        said = ["template <>", "struct StrictTree<gateway::calls::Located> {", "  int a() { return 1; }", "};"]
        self.assertEqual(self.found(block("toolway", *said)), [])
        self.assertEqual(len(self.found(block("toolway", *said, "int a();"))), 1)

    def test_a_short_name_may_be_the_folders(self):
        self.assertEqual(self.found(block("toolway::gateway", "namespace asio = boost::asio;")), [])
        self.assertEqual(len(self.found(block("toolway::gateway::live", "namespace asio = boost::asio;"))), 1)


if __name__ == "__main__":
    unittest.main()

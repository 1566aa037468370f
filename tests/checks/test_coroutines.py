"""cmake/check_coroutines.py finds braced arguments of co_await, which GCC 12 destroys twice."""
import unittest

from check_coroutines import findings


class Coroutines(unittest.TestCase):
    def found(self, text):
        return list(findings("a.cc", text))

    def test_finds_an_aggregate_wherever_it_is_among_the_arguments(self):
        for text in ["co_await bus.publish({.subject = s});", "co_await f(a, {b, c});", "co_await f(Publication{.subject = s});",
                     "auto x = co_await g(\n    wire::Problem{error});", "co_await f(a, {});", "co_await f({}, a);", "co_return co_await f({s});"]:
            self.assertEqual(len(self.found(text)), 1, text)
        self.assertEqual(self.found("\nco_await f({a});"),
                         ["a.cc:2: GCC 12 destroys twice what a braced argument of co_await holds; name the value first"])

    def test_finds_the_value_of_a_condition(self):
        for text in ["co_return co_await f(a->is() ? a->get<std::string>() : std::string());", "co_await f(a, b ? text(c) : d);",
                     "auto x = late ? co_await keys() : std::vector<std::string>();", "auto x = late ? Keys() : co_await keys();"]:
            self.assertEqual(len(self.found(text)), 1, text)
        for text in ["co_await f(a ? b : c);", "x = a ? co_await f(g()) : co_await h();", "for (auto& x : co_await f()) g();", "co_await f(a, entry ? entry->revision : 0);"]:
            self.assertEqual(self.found(text), [], text)

    def test_leaves_what_holds_nothing_and_what_is_not_awaited(self):
        for text in ["co_await look_at(EventId{}, 5);", "Publication p{.subject = s}; co_await f(p);", "f({a}); co_await g();",
                     "co_await run([this] { return g(); });", "// co_await f({a});"]:
            self.assertEqual(self.found(text), [], text)


if __name__ == "__main__":
    unittest.main()

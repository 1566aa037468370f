// Specs as they are stored and sent: what is read back is the same spec.
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/tools/specs/documents.h"
#include "tools/executors/kind_types.h"

namespace toolway::tools::specs {
namespace {

/// Any spec at all, sensible or not.
class AnySpec {
 public:
  explicit AnySpec(std::uint32_t seed) : random_(seed) {}

  model::Spec make() {
    constexpr std::array kKinds{model::Kind::kNative, model::Kind::kPython, model::Kind::kCommand,
                                model::Kind::kHttp, model::Kind::kMcp};
    constexpr std::array kAggregates{model::Aggregate::kLast, model::Aggregate::kBlocks,
                                     model::Aggregate::kSteps};
    model::Spec spec{.name = text(),
                     .ns = text(),
                     .description = text(),
                     .input_schema = json(4),
                     .output_schema = json(3)};
    spec.kind = kKinds[below(kKinds.size())];
    spec.pool = text();
    spec.version = text();
    spec.category = text();
    spec.topic = text();
    spec.permissions = texts();
    spec.dangerous = below(2) == 0;
    spec.requires_approval = below(2) == 0;
    spec.read_only = below(2) == 0;
    spec.open_world = below(2) == 0;
    spec.task = static_cast<model::TaskMode>(below(3));
    spec.asks_restart = below(2) == 0;
    spec.idempotent = below(2) == 0;
    spec.multi_step = below(2) == 0;
    spec.limits = {duration(), duration(), duration(), duration()};
    spec.result = {random_(), random_(), kAggregates[below(kAggregates.size())]};
    spec.retry = {static_cast<unsigned>(random_()), duration(), number(), duration(), texts()};
    spec.inline_wait = duration();
    spec.implementation = json(4);
    return spec;
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  std::chrono::milliseconds duration() {
    return std::chrono::milliseconds(static_cast<std::int64_t>(random_()));
  }
  double number() {
    return std::ldexp(static_cast<double>(random_()), static_cast<int>(below(100)) - 50);
  }
  std::string text() {
    constexpr std::array<std::string_view, 12> kParts{"a",
                                                      "\n",
                                                      "\"",
                                                      "\\",
                                                      "\x01",
                                                      "\xC3\xA9",
                                                      "\xF0\x9F\x98\x80",
                                                      "{x}",
                                                      "\xFF",
                                                      " ",
                                                      "/",
                                                      std::string_view("\0", 1)};
    std::string made;
    for (auto left = below(6); left > 0; --left) made += kParts[below(kParts.size())];
    return made;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> made;
    for (auto left = below(3); left > 0; --left) made.push_back(text());
    return made;
  }
  OrderedJson json(std::size_t depth) {
    switch (below(depth == 0 ? 6 : 8)) {
      case 0: return nullptr;
      case 1: return below(2) == 0;
      case 2: return random_();
      case 3: return -static_cast<std::int64_t>(random_());
      case 4: return number();
      case 5: return text();
      case 6: {
        OrderedJson list = OrderedJson::array();
        for (auto left = below(4); left > 0; --left) list.push_back(json(depth - 1));
        return list;
      }
      default: {
        OrderedJson object = OrderedJson::object();
        for (auto left = below(4); left > 0; --left)
          object["k" + std::to_string(below(9))] = json(depth - 1);
        return object;
      }
    }
  }

  std::mt19937_64 random_;
};

TEST(StoredSpec, EverySpecComesBack) {
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    const model::Spec spec = AnySpec(seed).make();
    const auto document = to_text(model::to_document(spec));
    const auto read = spec_of_document(document, executors::kind_types());
    ASSERT_TRUE(read) << read.error().message << document;
    ASSERT_EQ(to_text(model::to_document(*read)), document);
    ASSERT_EQ(model::digest(*read), model::digest(spec)) << document;
  }
}

TEST(StoredSpec, WhatIsLeftOutHasItsDefault) {
  const auto read = spec_of_document(R"({"name": "t", "kind": "python"})", executors::kind_types());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(
      model::digest(*read),
      model::digest(model::Spec{.name = "t", .kind = model::Kind::kPython, .pool = "python"}));
}

TEST(StoredSpec, RefusesWhatIsNotASpec) {
  const auto refused = [](const char* text) {
    const auto read = spec_of_document(text, executors::kind_types());
    return read ? "read" : read.error().message;
  };
  EXPECT_EQ(refused("").substr(0, 16), "spec:1: not JSON");
  EXPECT_EQ(refused("[]"), "spec:1: must be an object");
  EXPECT_EQ(refused("{}"), "spec:1: a spec has no `name`");
  EXPECT_EQ(refused(R"({"name": "t", "kind": "x"})"), "spec:1: there is no kind \"x\"");
  EXPECT_EQ(refused(R"({"name": "t", "kind": "python", "newer": 1})").substr(0, 29),
            "spec:1: unknown field `newer`");
  EXPECT_EQ(refused(R"({"name": "t", "kind": "python", "pool": 1})"),
            "spec:1: `pool` must be text: write it in quotes");
}

}  // namespace
}  // namespace toolway::tools::specs

#include "tools/matching/arguments_digest.h"

#include <gtest/gtest.h>

namespace toolway::tools::matching {
namespace {

Json json(const char* text) { return *parse_json(text); }

TEST(ArgumentsDigest, IsOfValuesAndNotOfTheirText) {
  EXPECT_EQ(arguments_digest(json(R"({"a": 1, "b": [2.5]})")),
            arguments_digest(json(R"({"b": [2.5], "a": 1.0})")));
  EXPECT_NE(arguments_digest(json(R"({"a": 1})")), arguments_digest(json(R"({"a": "1"})")));
  EXPECT_NE(arguments_digest(json("{}")), arguments_digest(json(R"({"a": null})")));
  EXPECT_NE(arguments_digest(json(R"({"a": 1e300})")), arguments_digest(json(R"({"a": 1e299})")));
}

}  // namespace
}  // namespace toolway::tools::matching

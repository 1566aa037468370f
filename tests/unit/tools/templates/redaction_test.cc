#include "tools/templates/redaction.h"

#include <gtest/gtest.h>

namespace toolway::tools::templates {
namespace {

TEST(Redaction, TakesASecretOutInEachOfItsForms) {
  const Redaction redaction({"a b/c\"d"});
  EXPECT_EQ(redaction.text("x a b/c\"d y"), "x [secret] y");
  EXPECT_EQ(redaction.text("?k=a%20b%2Fc%22d&x"), "?k=[secret]&x") << "percent-encoded";
  EXPECT_EQ(redaction.text("?k=a%20b%2fc%22d&x"), "?k=[secret]&x") << "with small digits";
  EXPECT_EQ(redaction.text("k=a+b%2Fc%22d&x"), "k=[secret]&x") << "as a form has it";
  EXPECT_EQ(redaction.text(R"({"k": "a b/c\"d"})"), R"({"k": "[secret]"})") << "within JSON";
  EXPECT_EQ(redaction.text("Basic YSBiL2MiZA=="), "Basic [secret]==") << "in base64";
}

TEST(Redaction, LeavesTheRestAlone) {
  const Redaction redaction({"s3cret"});
  EXPECT_EQ(redaction.text("s3cre t, S3CRET"), "s3cre t, S3CRET");
  EXPECT_EQ(redaction.text("s3crets3cret"), "[secret][secret]");
}

TEST(Redaction, TheLongestSecretGoesFirst) {
  const Redaction redaction({"key", "key-and-more"});
  EXPECT_EQ(redaction.text("key-and-more, key"), "[secret], [secret]");
}

TEST(Redaction, OfJsonTakesStringsKeysAndNumbers) {
  const Redaction redaction({"s3cret", "4711"});
  const Json value{{"s3cret", {"a s3cret", 4711, 47110, true, nullptr}}, {"n", {{"m", "x"}}}};
  const Json expected{{"[secret]", {"a [secret]", "[secret]", 47110, true, nullptr}},
                      {"n", {{"m", "x"}}}};
  EXPECT_EQ(redaction.json(value), expected);
}

TEST(Redaction, AnEmptySecretIsNone) {
  const Redaction redaction({""});
  EXPECT_TRUE(redaction.empty());
  EXPECT_EQ(redaction.text("abc"), "abc");
}

}  // namespace
}  // namespace toolway::tools::templates

#include "monitoring/otlp/named_texts.h"

#include <gtest/gtest.h>

namespace toolway::monitoring::otlp {
namespace {

TEST(NamedTexts, AreReadAsOpenTelemetryWritesThem) {
  const auto read = parse_named_texts(" api-key = abc%2C%20d , ,x=1=2,empty=");
  ASSERT_TRUE(read) << read.error().message;
  const NamedTexts expected{{"api-key", "abc, d"}, {"x", "1=2"}, {"empty", ""}};
  EXPECT_EQ(*read, expected);
  EXPECT_TRUE(parse_named_texts("")->empty());
}

TEST(NamedTexts, MistakesAreSaidWithoutTheSecret) {
  for (const char* wrong : {"s3cret", "a=1,=s3cret", "a=s3cret%", "a=s3cret%0", "a=s3cret%zz",
                            "a=s3cret%0d%0aX: y", "a b=s3cret", "a:b=s3cret"}) {
    const auto read = parse_named_texts(wrong);
    ASSERT_FALSE(read) << wrong;
    EXPECT_EQ(read.error().message.find("s3cret"), std::string::npos) << read.error().message;
  }
}

}  // namespace
}  // namespace toolway::monitoring::otlp

#include "cli/client/result_text.h"

#include <gtest/gtest.h>

namespace toolway::cli::client {
namespace {

TEST(ResultText, OfTextAndOfContentBlocksThatAreText) {
  EXPECT_EQ(text_result("a\nb"), "a\nb");
  EXPECT_EQ(text_result(OrderedJson::parse(
                R"({"content":[{"type":"text","text":"a"},{"type":"text","text":"b\n"}]})")),
            "a\nb\n");
}

TEST(ResultText, OtherValuesStayJson) {
  for (const char* json :
       {"3", "{}", "null", R"({"content":[]})", R"({"content":[{"type":"image","data":""}]})",
        R"({"content":[{"type":"text","text":"a"}],"structuredContent":{}})", R"({"content":"a"})"})
    EXPECT_FALSE(text_result(OrderedJson::parse(json))) << json;
}

}  // namespace
}  // namespace toolway::cli::client

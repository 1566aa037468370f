#include <gtest/gtest.h>

#include "workers/log/completion.h"

namespace toolway::workers::log {
namespace {

v1::Completed succeeded() {
  v1::Completed completed;
  completed.set_outcome(v1::OUTCOME_SUCCEEDED);
  return completed;
}

TEST(CompletionContent, KeepsBlocksInTheirOrder) {
  auto completed = succeeded();
  add_content(completed,
              {{.type = "text", .text = "a"},
               {.type = "image", .data = std::string("\0\xff", 2), .mime_type = "image/png"}});
  ASSERT_EQ(completed.content_size(), 2);
  EXPECT_EQ(completed.content(0).text(), "a");
  EXPECT_EQ(completed.content(1).data(), std::string("\0\xff", 2));
}

TEST(CompletionContent, WhatDoesNotFitIsNamedAndLeftOut) {
  auto completed = succeeded();
  add_content(completed,
              {{.type = "image", .data = std::string(kMaxContent, 'x'), .mime_type = "image/png"},
               {.type = "text", .text = "b"}});
  ASSERT_EQ(completed.content_size(), 2);
  EXPECT_TRUE(completed.content(0).data().empty());
  EXPECT_NE(completed.content(0).text().find(std::to_string(kMaxContent)), std::string::npos);
  EXPECT_EQ(completed.content(1).text(), "b");
}

TEST(CompletionContent, NeverOutgrowsTheMessage) {
  auto completed = succeeded();
  completed.set_result(std::string(kMaxInlineResult - 1000, 'x'));
  add_content(completed, std::vector<tools::model::ContentBlock>(
                             5'000, {.type = "text", .text = std::string(300, 'y')}));
  EXPECT_LT(completed.ByteSizeLong(), kMaxInlineResult + 1000);
  completed = succeeded();
  add_content(completed, std::vector<tools::model::ContentBlock>(100'000, {.type = "text"}));
  EXPECT_LE(completed.content_size(), 1000);
}

TEST(CompletionContent, BelongsToSuccessAlone) {
  auto failed = completion_without_result(v1::OUTCOME_FAILED, "x", "y");
  add_content(failed, {{.type = "text", .text = "a"}});
  EXPECT_EQ(failed.content_size(), 0);
}

TEST(CompletionBlob, NamesWhereTheResultIsStored) {
  Ending ending{.completed = succeeded(), .large = "[1,2,3]"};
  ending.completed.mutable_blob()->set_items(3);
  v1::BlobRef stored;
  stored.set_size(7);
  add_blob(ending, stored);
  EXPECT_EQ(ending.completed.outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(ending.completed.blob().size(), 7u);
  EXPECT_EQ(ending.completed.blob().items(), 3u);
  EXPECT_TRUE(ending.large.empty());
}

TEST(CompletionBlob, AResultThatCannotBeStoredIsAFailure) {
  Ending ending{.completed = succeeded(), .large = "[1,2,3]"};
  add_blob(ending, fail(ErrorCode::kInternal, "BLOBS is full"));
  EXPECT_EQ(ending.completed.outcome(), v1::OUTCOME_FAILED);
  EXPECT_EQ(ending.completed.error().code(), "internal");
  EXPECT_NE(ending.completed.error().message().find("BLOBS is full"), std::string::npos);
  EXPECT_FALSE(ending.completed.has_blob());
}

}  // namespace
}  // namespace toolway::workers::log

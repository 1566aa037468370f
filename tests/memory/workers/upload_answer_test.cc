// What the bus answers to a chunk of a large result, when there is no memory at all.
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>

#include "tests/memory/workers/scarce_memory.h"
#include "workers/call/blob_upload.h"

namespace toolway::workers::call {
namespace {

using toolway::test::Watch;

/// What an upload of three chunks ends as, when the bus answers this, and then always that all is
/// well.
Result<v1::BlobRef> uploaded(std::deque<Result<bus::PubAck>> answers) {
  const auto publish = [&answers](const bus::Publication&, const bus::PublishHandler& handler) {
    Result<bus::PubAck> answer = bus::PubAck{};
    if (!answers.empty()) {
      answer = std::move(answers.front());
      answers.pop_front();
    }
    toolway::test::fail_allocations(1, UINT64_MAX);
    {
      const Watch on;
      handler(std::move(answer));
    }
    toolway::test::fail_allocations(0, 0);
    return true;
  };
  const auto upload = std::make_shared<BlobUpload>(
      BlobOwner{SessionKey::make(), CallId::make(SystemClock().wall()), "tenant"}, publish);
  upload->begin(1);
  return upload->run(std::string(600'000, 'x'));
}

TEST(UploadAnswer, AChunkThatWasNotStoredIsSentAgain) {
  const auto ref = uploaded({fail(ErrorCode::kTimeout, "no answer within the time that it has")});
  ASSERT_TRUE(ref);
  EXPECT_EQ(ref->chunks(), 3U);
}

TEST(UploadAnswer, ARefusalEndsTheUpload) {
  const auto ref = uploaded({fail(ErrorCode::kInternal, "the maximum payload was exceeded")});
  ASSERT_FALSE(ref);
  EXPECT_EQ(ref.error().code, ErrorCode::kInternal);
}

}  // namespace
}  // namespace toolway::workers::call

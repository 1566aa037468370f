#include "workers/call/blob_upload.h"
#include "base/sha256.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>
#include <thread>

#include "proto/codec.h"
#include "tests/support/awaiting.h"

namespace toolway::workers::call {
namespace {

/// A bus that stores what it is told to, and nothing else.
class ScriptedBus {
 public:
  enum class Answer { kStore, kLoseAck, kRefuse, kAway };
  bool publish(bus::Publication publication, bus::PublishHandler handler) {
    std::unique_lock lock(mutex_);
    if (closed_) return false;
    Answer answer = Answer::kStore;
    if (!script_.empty()) {
      answer = script_.front();
      script_.pop_front();
    }
    most_ = std::max(most_, ++under_way_);
    if (answer == Answer::kStore || answer == Answer::kLoseAck) {
      stored_.emplace(publication.message_id, publication.payload);
      subjects_.insert(publication.subject);
    }
    if (held_) {
      waiting_.push_back(std::move(handler));
      told_.callback()(1);
      return true;
    }
    --under_way_;
    lock.unlock();
    switch (answer) {
      case Answer::kStore: handler(bus::PubAck{}); break;
      case Answer::kLoseAck: handler(fail(ErrorCode::kTimeout, "no answer")); break;
      case Answer::kAway: handler(fail(ErrorCode::kBusUnavailable, "away")); break;
      case Answer::kRefuse: handler(fail(ErrorCode::kInternal, "maximum payload exceeded")); break;
    }
    return true;
  }

  std::mutex mutex_;
  std::deque<Answer> script_;
  std::map<std::string, std::string> stored_;
  std::set<std::string> subjects_;
  bool closed_ = false;
  bool held_ = false;
  unsigned under_way_ = 0;
  unsigned most_ = 0;
  std::vector<bus::PublishHandler> waiting_;
  toolway::test::Awaited<int> told_;
};

class BlobUploadTest : public testing::Test {
 protected:
  std::string text(std::size_t size) {
    std::string text(size, ' ');
    for (std::size_t i = 0; i < size; ++i)
      text[i] = static_cast<char>('a' + (i * 31 + i / 977) % 26);
    return text;
  }
  /// What is stored, put together again.
  std::string stored() {
    std::map<unsigned, std::string> chunks;
    for (const auto& [id, payload] : bus_.stored_) {
      const auto chunk = proto::decode_blob_chunk(payload);
      EXPECT_TRUE(chunk);
      EXPECT_EQ(id, call_.text() + "." + std::to_string(chunk->attempt()) + "." +
                        std::to_string(chunk->number()));
      chunks[chunk->number()] = chunk->data();
    }
    std::string all;
    for (const auto& [number, data] : chunks) all += data;
    return all;
  }
  CallId call_ = CallId::make(SystemClock().wall());
  ScriptedBus bus_;
  std::shared_ptr<BlobUpload> upload_ = std::make_shared<BlobUpload>(
      BlobOwner{SessionKey::make(), call_, "default"},
      [this](bus::Publication publication, bus::PublishHandler handler) {
        return bus_.publish(std::move(publication), std::move(handler));
      });
};

TEST_F(BlobUploadTest, StoresEveryChunkAndNamesSizeAndDigest) {
  for (const std::size_t size : {std::size_t{1}, proto::kBlobChunkBytes, proto::kBlobChunkBytes + 1,
                                 5 * proto::kBlobChunkBytes - 7}) {
    bus_.stored_.clear();
    auto upload = std::make_shared<BlobUpload>(
        BlobOwner{SessionKey::make(), call_, "default"},
        [this](bus::Publication publication, bus::PublishHandler handler) {
          return bus_.publish(std::move(publication), std::move(handler));
        });
    upload->begin(3);
    const std::string whole = text(size);
    const auto ref = upload->run(whole);
    ASSERT_TRUE(ref);
    EXPECT_EQ(ref->size(), size);
    EXPECT_EQ(ref->chunks(), bus_.stored_.size());
    Sha256 digest;
    digest.add(whole);
    EXPECT_EQ(ref->sha256(), digest.hex());
    EXPECT_EQ(stored(), whole);
  }
}

TEST_F(BlobUploadTest, SendsAgainWithTheSameIdWhatTheBusDidNotConfirm) {
  using enum ScriptedBus::Answer;
  bus_.script_ = {kStore, kLoseAck, kAway, kStore, kAway, kLoseAck};
  upload_->begin(1);
  const std::string whole = text(7 * proto::kBlobChunkBytes + 1);
  const auto ref = upload_->run(whole);
  ASSERT_TRUE(ref);
  EXPECT_EQ(bus_.stored_.size(), 8U);
  EXPECT_EQ(stored(), whole);
  EXPECT_EQ(upload_->stored(), 8U);
}

TEST_F(BlobUploadTest, WaitsForItsAttemptAndKeepsFewInFlight) {
  bus_.held_ = true;
  const std::string whole = text(20 * proto::kBlobChunkBytes);
  toolway::test::Awaited<bool> done;
  std::thread thread([&] { done.callback()(upload_->run(whole).has_value()); });
  EXPECT_FALSE(bus_.told_.next(std::chrono::milliseconds(50)));
  upload_->begin(1);
  for (unsigned i = 0; i < BlobUpload::kInFlight; ++i) EXPECT_TRUE(bus_.told_.next());
  EXPECT_FALSE(bus_.told_.next(std::chrono::milliseconds(50)));
  std::vector<bus::PublishHandler> waiting;
  {
    const std::scoped_lock lock(bus_.mutex_);
    bus_.held_ = false;
    waiting.swap(bus_.waiting_);
  }
  for (const auto& handler : waiting) handler(bus::PubAck{});
  EXPECT_EQ(done.next(), true);
  thread.join();
  EXPECT_EQ(stored(), whole);
}

TEST_F(BlobUploadTest, EndsSoonWhenItIsAbandonedRefusedOrClosed) {
  using enum ScriptedBus::Answer;
  upload_->abandon();
  EXPECT_EQ(upload_->run(text(10)).error().code, ErrorCode::kCancelled);

  auto next = [&] {
    return std::make_shared<BlobUpload>(
        BlobOwner{SessionKey::make(), call_, "default"},
        [this](bus::Publication publication, bus::PublishHandler handler) {
          return bus_.publish(std::move(publication), std::move(handler));
        });
  };
  bus_.script_ = {kRefuse};
  auto refused = next();
  refused->begin(1);
  EXPECT_EQ(refused->run(text(10)).error().code, ErrorCode::kInternal);

  bus_.script_.assign(10'000, kAway);
  auto away = next();
  away->begin(1);
  toolway::test::Awaited<ErrorCode> ended;
  std::thread thread([&] { ended.callback()(away->run(text(10)).error().code); });
  away->abandon();
  EXPECT_EQ(ended.next(), ErrorCode::kCancelled);
  thread.join();

  bus_.closed_ = true;
  auto closed = next();
  closed->begin(1);
  EXPECT_EQ(closed->run(text(10)).error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace toolway::workers::call

#include "bus/bucket_mirror.h"

#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <set>
#include <utility>

#include "bus/in_memory_bus.h"
#include "bus/key_value.h"
#include "tests/support/awaiting.h"
#include "tests/support/forwarding_bus.h"

namespace toolway::bus {
namespace {

/// Counts what is read, and answers once it is let to.
class SlowBus final : public test::ForwardingBus {
 public:
  using ForwardingBus::ForwardingBus;
  void next_message(std::string_view stream, std::string filter, std::uint64_t sequence,
                    ReadFrom from, MessageHandler handler) override {
    std::unique_lock lock(mutex_);
    ++read_;
    if (!held_) {
      lock.unlock();
      return inner().next_message(stream, std::move(filter), sequence, from, std::move(handler));
    }
    waiting_ = [this, name = std::string(stream), filter, sequence, from, handler] {
      inner().next_message(name, filter, sequence, from, handler);
    };
  }
  void let_go() {
    std::unique_lock lock(mutex_);
    held_ = false;
    const auto go = std::exchange(waiting_, nullptr);
    lock.unlock();
    if (go) go();
  }
  int read() {
    const std::scoped_lock lock(mutex_);
    return read_;
  }

 private:
  std::mutex mutex_;
  bool held_ = true;
  int read_ = 0;
  std::function<void()> waiting_;
};

class BucketMirrorTest : public testing::Test {
 protected:
  BucketMirrorTest() { EXPECT_TRUE(memory_->provision({.pools = {{"native", 1}}})); }
  void put(const std::string& key) {
    test::Awaited<Result<std::uint64_t>> puts;
    bucket_.put(key, "v", 0, puts.callback());
    const auto done = puts.next();
    ASSERT_TRUE(done && *done);
  }
  std::unique_ptr<BucketMirror> mirror() {
    return std::make_unique<BucketMirror>(
        bus_, BucketMirror::Bucket{"api_keys", "KV_api_keys"},
        [this](const std::vector<Entry>& entries, BucketMirror::Extent) {
          for (const auto& entry : entries) known_.insert(entry.key);
        });
  }

  std::unique_ptr<InMemoryBus> memory_ = make_in_memory_bus({});
  SlowBus bus_{*memory_};
  KeyValue bucket_{*memory_, "api_keys"};
  std::set<std::string> known_;
};

TEST_F(BucketMirrorTest, LooksWhileItReadsDoNotMakeItReadAgain) {
  for (const char* key : {"a", "b", "c"}) put(key);
  const auto mirror = this->mirror();
  memory_->quiesce();
  put("heard_while_it_reads");
  for (int i = 0; i < 3; ++i) mirror->look();
  memory_->quiesce();
  EXPECT_EQ(bus_.read(), 1) << "the first answer has not come yet";
  bus_.let_go();
  memory_->quiesce();
  EXPECT_TRUE(mirror->known());
  EXPECT_EQ(known_.size(), 4U);
  const int once = bus_.read();
  EXPECT_LE(once, 6) << "each entry, and twice that there are no more";
  mirror->look();
  memory_->quiesce();
  EXPECT_EQ(bus_.read(), once) << "it has missed nothing";
}

}  // namespace
}  // namespace toolway::bus

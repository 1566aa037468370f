#include <condition_variable>
#include <mutex>
#include <vector>

#include "proto/codec.h"
#include "proto/subjects.h"
#include "tests/contract/bus/bus_fixture.h"

namespace toolway::test {
namespace {

const SessionKey kSession = *SessionKey::parse("a3f00000000000000000000000000001");
const bus::Durable kCollector{std::string(proto::kBlobsStream),
                              std::string(proto::kCollectorDurable)};

using BlobsContract = BusContract;

TEST_P(BlobsContract, StoresAWholeChunkAndGivesItToTheCollector) {
  const CallId call = CallId::make(SystemClock().wall());
  v1::BlobChunk chunk;
  chunk.set_call_id(call.text());
  chunk.set_attempt(1);
  chunk.set_data(std::string(proto::kBlobChunkBytes, 'x'));
  const bus::Publication publication{.subject = proto::blob_subject(kSession, call, 0),
                                     .payload = proto::encode(chunk),
                                     .message_id = call.text() + ".1.0"};
  const auto first = publish(publication);
  const auto again = publish(publication);
  ASSERT_TRUE(first && again);
  EXPECT_EQ(again->sequence, first->sequence);
  EXPECT_TRUE(again->duplicate);

  Awaited<bus::Delivery> deliveries;
  const auto pull = bus().pull(kCollector, [put = deliveries.callback()](bus::Delivery delivery) {
    put(std::move(delivery));
  });
  pull->allow(2);
  auto delivery = deliveries.next();
  ASSERT_TRUE(delivery);
  EXPECT_EQ(delivery->payload, publication.payload);
  EXPECT_EQ(delivery->pending, 0U);
  delivery->ack();
}

TEST_P(BlobsContract, ACollectorHoldsFewChunksAtATime) {
  constexpr int kMany = 160;
  const CallId call = CallId::make(SystemClock().wall());
  for (unsigned n = 0; n < kMany; ++n) {
    ASSERT_TRUE(publish({.subject = proto::blob_subject(kSession, call, n), .payload = "x"}));
  }
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<bus::Delivery> held;
  const auto pull = bus().pull(kCollector, [&](bus::Delivery delivery) {
    const std::scoped_lock lock(mutex);
    held.push_back(std::move(delivery));
    changed.notify_all();
  });
  pull->allow(kMany);
  std::unique_lock lock(mutex);
  ASSERT_TRUE(changed.wait_for(lock, kPatience, [&] { return held.size() == 128; }));
  // Long enough to see that no more comes.
  EXPECT_FALSE(
      changed.wait_for(lock, std::chrono::milliseconds(200), [&] { return held.size() > 128; }));
  for (auto& delivery : held) delivery.ack();
  EXPECT_TRUE(changed.wait_for(lock, kPatience, [&] { return held.size() == kMany; }));
  lock.unlock();
}

INSTANTIATE_TEST_SUITE_P(Both, BlobsContract,
                         testing::Values(Implementation::kInMemory, Implementation::kJetStream),
                         implementation_name);

}  // namespace
}  // namespace toolway::test

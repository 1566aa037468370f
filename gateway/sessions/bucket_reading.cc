#include "gateway/sessions/bucket_reading.h"

#include "proto/subjects.h"

namespace toolway::gateway::sessions {

loop::Task<bool> read_bucket(loop::AsyncBus& bus, SeenEntry seen) {
  using std::chrono::milliseconds;
  constexpr unsigned kAtOnce = 100;
  constexpr milliseconds kBatchPause{50};
  constexpr milliseconds kRetryDelay{1000};
  std::uint64_t sequence = 1;
  unsigned read = 0;
  auto from = bus::ReadFrom::kAnyReplica;
  while (true) {
    // ">": a filter that names the bucket makes nats-server look through its subjects each time.
    const auto stored = co_await bus.next_message(proto::kSessionsStream, ">", sequence, from);
    if (!stored && stored.error().code == ErrorCode::kShuttingDown) co_return false;
    if (!stored && stored.error().code == ErrorCode::kNotFound) {
      if (from == bus::ReadFrom::kLeader) co_return true;
      from = bus::ReadFrom::kLeader;  // a replica that lags may end earlier
      continue;
    }
    if (!stored) {
      // Whether it is still wanted; an entry without a value is not counted.
      if (!seen({})) co_return false;
      co_await loop::pause(kRetryDelay);
      continue;
    }
    if (!seen(*stored)) co_return false;
    from = bus::ReadFrom::kAnyReplica;
    sequence = stored->sequence + 1;
    if (++read % kAtOnce == 0) co_await loop::pause(kBatchPause);
  }
}

}  // namespace toolway::gateway::sessions

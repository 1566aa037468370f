#include "bus/server_time.h"

#include <fmt/format.h>

#include "base/pause.h"
#include "base/try.h"
#include "bus/answer.h"
#include "proto/subjects.h"

namespace toolway::bus {
namespace {

/// A reading that took longer is too inaccurate.
constexpr std::chrono::seconds kMaxReadingTime{2};

}  // namespace

Result<void> read_server_time(Bus& bus, ServerClock& clock, const std::string& key) {
  const auto subject = proto::bucket_subject(kClocksBucket, key);
  const auto begun = clock.monotonic();
  auto stored = answer_of<PubAck>(
      [&](auto handler) { bus.publish({.subject = subject, .payload = {}}, handler); });
  const auto ended = clock.monotonic();
  RETURN_IF_ERROR(stored);
  if (ended - begun > kMaxReadingTime)
    return fail(ErrorCode::kTimeout, "NATS took longer than 2 s to store a message");
  ASSIGN_OR_RETURN(auto message, answer_of<StoredMessage>([&](auto handler) {
                     bus.last_message(kClocksStream, subject, ReadFrom::kLeader, handler);
                   }));
  if (message.sequence != stored->sequence)
    return fail(ErrorCode::kInternal, fmt::format("{} holds a message we did not store", subject));
  clock.read(begun, message.stored_at, ended);
  return {};
}

ServerTime::ServerTime(Bus& bus, ServerClock& clock, std::string key, After after)
    : bus_(bus),
      clock_(clock),
      key_(std::move(key)),
      after_(std::move(after)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void ServerTime::run(const std::stop_token& stop) {
  using std::chrono::microseconds;
  auto next = clock_.monotonic() + kMeasureInterval;
  auto ahead = clock_.ahead().value_or(microseconds(0));
  while (pause(kCheckInterval, stop)) {
    const auto moved = clock_.ahead().value_or(ahead) - ahead;
    if (clock_.monotonic() < next && std::chrono::abs(moved) < kMinClockJump) continue;
    after_(read_server_time(bus_, clock_, key_));
    next = clock_.monotonic() + kMeasureInterval;
    ahead = clock_.ahead().value_or(ahead);
  }
}

}  // namespace toolway::bus

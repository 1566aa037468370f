#include "cli/talk/stream_turn_queue.h"

#include <chrono>
#include <future>
#include <utility>

#include "base/try.h"
#include "bus/answer.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::cli::talk {
namespace {

using chat::turns::QueuedTurn;

constexpr std::chrono::seconds kWait{1};

}  // namespace

chat::turns::TurnQueue::Found queued_turn(Result<bus::StoredMessage> message) {
  if (!message && message.error().code == ErrorCode::kNotFound) return std::nullopt;
  RETURN_IF_ERROR(message);
  QueuedTurn turn{.sequence = message->sequence, .stored_at = message->stored_at};
  // One that cannot be read has no id, and is passed over: it has no arguments either.
  if (auto request = proto::decode_call(message->payload)) {
    turn.id = request->call_id();
    turn.arguments = std::move(*request->mutable_arguments());
  }
  return turn;
}

std::vector<StreamTurnQueue::Found> StreamTurnQueue::next(
    const std::vector<chat::turns::QueuePlace>& places) {
  std::vector<std::future<Result<bus::StoredMessage>>> answers;
  answers.reserve(places.size());
  for (const auto& place : places)
    answers.push_back(bus::asked<bus::StoredMessage>([&](auto handler) {
      streams_.next_message(proto::kCallsStream, place.subject, place.sequence,
                            bus::ReadFrom::kAnyReplica, std::move(handler));
    }));
  const auto until = clock_.monotonic() + kWait;
  std::vector<Found> found;
  for (auto& answer : answers) {
    if (answer.wait_for(until - clock_.monotonic()) == std::future_status::ready)
      found.push_back(queued_turn(answer.get()));
    else
      found.push_back(fail(ErrorCode::kTimeout, "NATS does not answer"));
  }
  return found;
}

}  // namespace toolway::cli::talk

#include "chat/engine/reply.h"

#include <utility>

namespace toolway::chat::engine {
namespace {

using providers::ProviderError;
using How = Reply::How;

How how_of(turn::EndTurn::How how) {
  switch (how) {
    case turn::EndTurn::How::kReplied: return How::kReplied;
    case turn::EndTurn::How::kCutOff: return How::kCutOff;
    case turn::EndTurn::How::kRefused: return How::kRefused;
    case turn::EndTurn::How::kFiltered: return How::kFiltered;
    case turn::EndTurn::How::kMaxIterations: return How::kMaxIterations;
    case turn::EndTurn::How::kRepeats: return How::kRepeats;
    case turn::EndTurn::How::kStopped: return How::kStopped;
    case turn::EndTurn::How::kNothingToDo: break;
  }
  return How::kFailed;
}

bool passes(ProviderError::Kind kind) {
  using Kind = ProviderError::Kind;
  return kind == Kind::kRateLimited || kind == Kind::kOverloaded || kind == Kind::kUnavailable ||
         kind == Kind::kTimedOut;
}

}  // namespace

bool is_temporary(ErrorCode code) {
  return code == ErrorCode::kBusUnavailable || code == ErrorCode::kTimeout ||
         code == ErrorCode::kOverloaded || code == ErrorCode::kRequestInFlight;
}

Reply failure(std::string message, std::string_view code) {
  return {.how = How::kFailed, .text = std::move(message), .error = std::string(code)};
}

Reply ended(const turn::EndTurn& end) {
  if (end.how == turn::EndTurn::How::kNothingToDo)
    return failure(end.text, code_name(ErrorCode::kInvalidArguments));
  return {.how = how_of(end.how), .text = end.text, .notice = end.notice};
}

Reply failed(const ProviderError& error) {
  if (error.kind == ProviderError::Kind::kStopped) return {How::kStopped, error.message};
  auto reply = failure(error.message, providers::kind_name(error.kind));
  reply.passes = passes(error.kind);
  reply.retry_after = error.retry_after;
  return reply;
}

Reply failed(const Error& error) {
  auto reply = failure(error.message, code_name(error.code));
  reply.passes = is_temporary(error.code);
  reply.retry_after = error.retry_after;
  return reply;
}

Reply stopped() { return {How::kStopped, "the turn was stopped"}; }

}  // namespace toolway::chat::engine

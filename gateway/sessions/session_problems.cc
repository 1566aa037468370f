#include "gateway/sessions/session_problems.h"

#include <utility>

namespace toolway::gateway::sessions {

tl::unexpected<wire::Problem> unknown_session() {
  return wire::refuse(ErrorCode::kUnknownSession,
                      "you have no session with this name; open it with POST /v1/sessions");
}

wire::Problem write_problem(Error error) {
  if (error.code == ErrorCode::kOverloaded || error.code == ErrorCode::kInternal) {
    error.message =
        "the bucket of sessions is full, or the message bus cannot store more; closed sessions "
        "make room: try again later (" +
        error.message + ")";
    error.code = ErrorCode::kOverloaded;
    error.retry_after = std::chrono::seconds(10);
  }
  return wire::bus_problem(std::move(error));
}

}  // namespace toolway::gateway::sessions

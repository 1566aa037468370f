#include "cli/talk/turn_worker.h"

#include <utility>

#include "base/reserved_names.h"
#include "chat/turns/turn_events.h"

namespace toolway::cli::talk {

workers::WorkerOptions turn_worker_options() {
  workers::WorkerOptions options;
  options.pool = std::string(kChatPool);
  options.progress_rate = chat::turns::kReportRate;
  // Messages are fenced by the attempt's number.
  options.starts_first = true;
  return options;
}

chat::turns::ConversationDoor::Turn turn_at_door(const v1::CallRequest& request,
                                                 workers::Doorkeeper::Place place,
                                                 std::function<void(bool)> answered) {
  return {.owner = {request.tenant_id(), request.session_key()},
          .id = request.call_id(),
          .arguments = request.arguments(),
          .place = {std::move(place.subject), place.sequence},
          .answered = std::move(answered)};
}

}  // namespace toolway::cli::talk

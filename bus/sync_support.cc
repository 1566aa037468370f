#include "bus/sync_support.h"

#include "base/json.h"
#include "base/try.h"
#include "bus/answer.h"

namespace toolway::bus {

Result<void> can_sync(std::string_view stream_info) {
  const auto answer = parse_json(stream_info);
  if (answer && answer->is_object() && answer->contains("config") &&
      answer->at("config").contains("compression"))
    return {};
  return fail(
      ErrorCode::kInvalidRequest,
      "durability power needs nats-server 2.10 or later, which can sync each message, and this one is earlier: "
      "upgrade it, or take durability process (docs/operations/durability.md)");
}

Result<void> server_can_sync(Messenger& bus) {
  ASSIGN_OR_RETURN(const auto answer, answer_of<std::string>([&](auto handler) {
                     bus.request("$JS.API.STREAM.INFO.CALLS", "", std::move(handler));
                   }));
  return can_sync(answer);
}

}  // namespace toolway::bus

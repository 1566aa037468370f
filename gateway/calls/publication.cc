#include "gateway/calls/publication.h"

#include "base/ids.h"
#include "proto/approvals.h"
#include "proto/codec.h"
#include "proto/publication.h"

namespace toolway::gateway::calls {

bus::Publication call_publication(const v1::CallRequest& call, proto::Lane lane,
                                  unsigned partition) {
  // The gateway made both.
  const auto session = *SessionKey::parse(call.session_key());
  const auto id = *CallId::parse(call.call_id());
  return {.subject = proto::waits_for_approval(call)
                         ? proto::held_subject(session)
                         : proto::call_subject(call.pool(), lane, partition, session),
          .payload = proto::encode(call),
          .message_id = proto::call_message_id(
              id, call.publication() < proto::kRepeatedRequest ? call.publication() : 0)};
}

}  // namespace toolway::gateway::calls

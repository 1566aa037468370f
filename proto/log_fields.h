#pragma once

#include "base/json.h"
#include "proto/qualified_name.h"
#include "proto/toolway/v1/call.pb.h"
#include "proto/trace.h"

namespace toolway::proto {

/// What a line of a log says of a call (base/log.h): its id, whose it is, its tool, its trace.
inline OrderedJson log_fields(const v1::CallRequest& call) {
  OrderedJson fields{{"call_id", call.call_id()},
                     {"tenant", call.tenant_id()},
                     {"user", call.user_id()},
                     {"session_id", call.session_id()},
                     {"tool", qualified_name(call.labels())},
                     {"pool", call.pool()}};
  if (call.has_trace()) fields["trace_id"] = trace_of(call.trace()).trace_id_hex();
  return fields;
}

}  // namespace toolway::proto

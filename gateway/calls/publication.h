#pragma once

#include "bus/bus.h"
#include "proto/subjects.h"
#include "proto/toolway/v1/call.pb.h"

namespace toolway::gateway::calls {

/// The message with which a gateway puts a call into a queue, or has it wait for approval. Always
/// under the id of its publication, and a repeated request under that of the first one: however
/// often it is sent within bus::kDuplicateWindow, it is stored once. Pure.
bus::Publication call_publication(const v1::CallRequest& call, proto::Lane lane,
                                  unsigned partition);

}  // namespace toolway::gateway::calls

#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "gateway/calls/call_request.h"
#include "tools/exports/model_message.h"

namespace toolway::gateway::endpoints {

/// How deep a request may nest.
inline constexpr std::size_t kMaxFaceDepth = 128;

/// A request as clients of a model's API send it.
struct FaceRequest {
  std::string model;
  bool streams = false;
  bool streams_usage = false;  ///< as chunks of Chat Completions
  std::string payload_sha256;  ///< of a request with an Idempotency-Key
  calls::CallBody turn;        ///< that answers it
};

/// Reads the body of `/v1/chat/completions`, `/v1/responses` or `/v1/messages`: its messages are
/// the whole history, and tools are the session's own. Pure. Errors: kInvalidRequest, in words for
/// the client.
Result<FaceRequest> read_face_request(OrderedJson body, tools::exports::ModelApi api);

}  // namespace toolway::gateway::endpoints

#pragma once

#include <string_view>

#include "base/result.h"
#include "proto/toolway/v1/call.pb.h"
#include "proto/toolway/v1/session.pb.h"

/// `decode_…` of codec.h for those that read one message after the other: into
/// one that is there. What it held is forgotten, and its memory used again.
/// After an error it holds anything.
namespace toolway::proto {

Result<void> decode(std::string_view bytes, v1::CallRequest& call);
Result<void> decode(std::string_view bytes, v1::CallEvent& event);
Result<void> decode(std::string_view bytes, v1::SessionRecord& session);
Result<void> decode(std::string_view bytes, v1::BlobChunk& chunk);

}  // namespace toolway::proto

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "proto/toolway/v1/session.pb.h"

namespace toolway::gateway::sessions {

/// A session as it was at one revision. Immutable; shared by the requests that use it.
struct Session {
  v1::SessionRecord record;
  SessionKey key;
  std::vector<std::string> namespaces;
  std::uint64_t revision = 0;
};
using SessionPtr = std::shared_ptr<const Session>;

/// `record`: as decode_session reads it.
SessionPtr session_of(v1::SessionRecord record, std::uint64_t revision);
bool is_open(const Session& session);
/// Deleted: for every client it does not exist. What remains keeps its key from coming back.
bool is_deleted(const v1::SessionRecord& record);
/// Whether the record has exactly these; both are sorted.
bool has_namespaces(const v1::SessionRecord& record, const std::vector<std::string>& namespaces);
/// As `new_session` wrote it, neither used nor changed since.
bool is_new(const v1::SessionRecord& record);
/// About what it takes in memory.
std::size_t bytes_of(const Session& session);

}  // namespace toolway::gateway::sessions

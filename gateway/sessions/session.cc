#include "gateway/sessions/session.h"

#include <algorithm>
#include <utility>

namespace toolway::gateway::sessions {

SessionPtr session_of(v1::SessionRecord record, std::uint64_t revision) {
  auto session = std::make_shared<Session>();
  session->key = *SessionKey::parse(record.session_key());  // decode_session has checked it
  session->namespaces.assign(record.namespaces().begin(), record.namespaces().end());
  session->revision = revision;
  session->record = std::move(record);
  return session;
}

bool is_open(const Session& session) {
  return session.record.state() == v1::SessionRecord::STATE_OPEN;
}

bool is_deleted(const v1::SessionRecord& record) {
  return record.state() == v1::SessionRecord::STATE_DELETED;
}

bool has_namespaces(const v1::SessionRecord& record, const std::vector<std::string>& namespaces) {
  const auto& has = record.namespaces();
  return std::equal(has.begin(), has.end(), namespaces.begin(), namespaces.end());
}

bool is_new(const v1::SessionRecord& record) {
  return record.created_at_us() == record.active_at_us() &&
         record.created_at_us() == record.updated_at_us();
}

std::size_t bytes_of(const Session& session) {
  constexpr std::size_t kAround = 1024;  // nodes, strings' heads, the index
  return kAround + 2 * session.record.ByteSizeLong();
}

}  // namespace toolway::gateway::sessions

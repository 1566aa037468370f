#include "extensions/auth/key_ring.h"

#include <chrono>

#include "base/sha256.h"
#include "extensions/auth/api_key.h"

namespace toolway::extensions::auth {
namespace {

std::int64_t hour_of(WallTime time) {
  return std::chrono::floor<std::chrono::hours>(time.time_since_epoch()).count();
}

Grant grant_of(const std::string& id, v1::ApiKeyRecord& record) {
  Grant grant{.until = expiry_of(record)};
  grant.principal = {.tenant_id = std::move(*record.mutable_tenant_id()),
                     .user_id = std::move(*record.mutable_user_id()),
                     .key_id = id,
                     .roles = {record.roles().begin(), record.roles().end()},
                     .namespaces = {record.namespaces().begin(), record.namespaces().end()},
                     .method = std::string(kByKey)};
  return grant;
}

}  // namespace

WallTime expiry_of(const v1::ApiKeyRecord& record) {
  return record.expires_at_us() == 0 ? WallTime::max() : from_unix_us(record.expires_at_us());
}

void KeyRing::take(const std::string& id, std::string_view value, std::uint64_t revision) {
  const MutexLock lock(mutex_);
  Entry& entry = entries_[id];
  entry.turn = turn_;
  if (entry.revision >= revision) return;
  entry.value = std::string(value);  // without room to spare
  entry.revision = revision;
  ++changes_;
}

void KeyRing::begin_again() {
  const MutexLock lock(mutex_);
  ++turn_;
  for (auto& [id, entry] : entries_) entry.revision = 0;  // of another bucket
}

void KeyRing::end_again() {
  const MutexLock lock(mutex_);
  std::erase_if(entries_,
                [this](const auto& known) REQUIRES(mutex_) { return known.second.turn != turn_; });
  ++changes_;
}

std::optional<v1::ApiKeyRecord> KeyRing::find(const std::string& id) const {
  v1::ApiKeyRecord record;
  const MutexLock lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || !record.ParseFromString(found->second.value)) return std::nullopt;
  return record;
}

Checked KeyRing::check(std::string_view key, WallTime now) const {
  const auto id = api_key_id(key);
  if (!id) return refuse(Refused::kInvalid, "the API key is not of the form tw_ID_SECRET");
  const std::string digest = api_key_digest(key);
  auto record = find(std::string(*id));
  const std::string nothing(digest.size(), '\0');
  const bool same = same_digest(digest, record ? record->sha256() : nothing);
  if (!record && !known_)
    return refuse(Refused::kUnavailable, "this gateway has not read the API keys yet: ask again");
  if (!record || !same)
    return refuse(Refused::kInvalid,
                  "the gateway does not know this API key: create one with `toolway keys create`");
  if (record->revoked_at_us() != 0)
    return refuse(Refused::kRevoked, "this API key was revoked: ask an operator for a new one");
  if (expiry_of(*record) <= now)
    return refuse(Refused::kExpired, "this API key has expired: ask an operator for a new one");
  return grant_of(std::string(*id), *record);
}

bool KeyRing::valid(const std::string& id, WallTime now) const {
  const auto record = find(id);
  return record && record->revoked_at_us() == 0 && now < expiry_of(*record);
}

std::optional<KeyRing::Use> KeyRing::note_use(const std::string& id, WallTime now) {
  v1::ApiKeyRecord record;
  Use use;
  {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return std::nullopt;
    Entry& entry = found->second;
    const auto hour = static_cast<std::int32_t>(hour_of(now));
    if (entry.noted_hour >= hour || !record.ParseFromString(entry.value)) return std::nullopt;
    entry.noted_hour = hour;
    use.revision = entry.revision;
  }
  const auto hour = std::chrono::floor<std::chrono::hours>(now);
  if (from_unix_us(record.used_at_us()) >= hour || record.revoked_at_us() != 0) return std::nullopt;
  record.set_used_at_us(to_unix_us(hour));
  use.value = record.SerializeAsString();
  return use;
}

std::size_t KeyRing::size() const {
  const MutexLock lock(mutex_);
  return entries_.size();
}

}  // namespace toolway::extensions::auth

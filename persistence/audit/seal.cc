#include "persistence/audit/seal.h"

#include <fmt/format.h>

#include <chrono>

#include "base/sha256.h"

namespace toolway::persistence::audit {
namespace {

/// What the key of a seal is derived for: no other use of the file's keys makes a seal.
constexpr std::string_view kPurpose = "toolway audit seal 1";

template <typename Integer>
void append_big_endian(std::string& to, Integer value) {
  for (std::size_t i = sizeof(Integer); i-- > 0;) to.push_back(static_cast<char>(value >> (8 * i)));
}

void append_day(std::string& to, std::optional<std::int32_t> day) {
  to.push_back(day ? 1 : 0);
  append_big_endian(to, static_cast<std::uint32_t>(day.value_or(0)));
}

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8U | static_cast<unsigned char>(byte);
  return value;
}

std::string mac_of(const Seal& seal, const SealKeys::Key& key) {
  std::string text(kPurpose);
  append_big_endian(text, static_cast<std::uint64_t>(seal.number));
  text += seal.previous;
  append_big_endian(text, static_cast<std::uint64_t>(seal.made_at_us));
  append_big_endian(text, seal.from_xid);
  append_big_endian(text, seal.to_xid);
  append_big_endian(text, static_cast<std::uint64_t>(seal.records));
  append_day(text, seal.last_day);
  append_day(text, seal.kept_from);
  append_big_endian(text, static_cast<std::uint64_t>(seal.first_seal));
  append_big_endian(text, static_cast<std::uint64_t>(seal.key_id.size()));
  text += seal.key_id;
  text += seal.entries;
  return hmac_sha256(SealKeys::derived(key, kPurpose), text);
}

}  // namespace

std::string pack(std::span<const SealEntry> entries) {
  std::string bytes;
  bytes.reserve(entries.size() * kEntryBytes);
  for (const auto& entry : entries) {
    append_big_endian(bytes, static_cast<std::uint64_t>(entry.number));
    append_big_endian(bytes, entry.xid);
    append_big_endian(bytes, static_cast<std::uint32_t>(entry.day));
    bytes += entry.digest;
  }
  return bytes;
}

Result<std::vector<SealEntry>> unpack(std::string_view bytes) {
  if (bytes.size() % kEntryBytes != 0)
    return fail(ErrorCode::kInternal,
                fmt::format("{} bytes that are not the entries of a seal", bytes.size()));
  std::vector<SealEntry> entries;
  entries.reserve(bytes.size() / kEntryBytes);
  for (; !bytes.empty(); bytes.remove_prefix(kEntryBytes))
    entries.push_back({.number = static_cast<std::int64_t>(big_endian(bytes.substr(0, 8))),
                       .xid = big_endian(bytes.substr(8, 8)),
                       .day = static_cast<std::int32_t>(big_endian(bytes.substr(16, 4))),
                       .digest = std::string(bytes.substr(20, 32))});
  return entries;
}

void cover(Seal& seal, std::span<const SealEntry> entries) {
  seal.records = static_cast<std::int64_t>(entries.size());
  seal.last_day.reset();
  for (const auto& entry : entries)
    if (!seal.last_day || entry.day > *seal.last_day) seal.last_day = entry.day;
  seal.entries = pack(entries);
}

std::string day_text(std::int32_t day) {
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(day))};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::string no_predecessor() { return std::string(Sha256::kBytes, '\0'); }

Seal seal_after(const Seal* last) {
  Seal seal;
  if (last == nullptr) {
    seal.number = 1;
    seal.previous = no_predecessor();
    return seal;
  }
  seal.number = last->number + 1;
  seal.previous = last->mac;
  seal.from_xid = seal.to_xid = last->to_xid;
  seal.kept_from = last->kept_from;
  seal.first_seal = last->first_seal;
  return seal;
}

void sign(Seal& seal, const SealKeys& keys) {
  seal.key_id = keys.current().id;
  seal.mac = mac_of(seal, keys.current());
}

SealState check(const Seal& seal, const SealKeys& keys) {
  const auto* key = keys.find(seal.key_id);
  if (key == nullptr) return SealState::kUnknownKey;
  return same_digest(mac_of(seal, *key), seal.mac) ? SealState::kGood : SealState::kChanged;
}

}  // namespace toolway::persistence::audit

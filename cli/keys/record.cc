#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "base/ids.h"
#include "base/text.h"
#include "base/try.h"
#include "base/utf8.h"
#include "cli/keys/verbs.h"
#include "extensions/auth/issuer.h"

namespace toolway::cli::keys {
namespace {

constexpr std::size_t kMaxNames = 50;
constexpr std::size_t kMaxText = 500;

tl::unexpected<Error> wrong(std::string message) {
  return fail(ErrorCode::kInvalidRequest, std::move(message));
}

/// No name of a role or namespace has a blank or a control character.
bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= 128 &&
         std::none_of(text.begin(), text.end(), [](char c) { return c <= ' ' || c > '~'; });
}

Result<void> check_names(const std::vector<std::string>& names, const char* option) {
  if (names.size() > kMaxNames)
    return wrong(fmt::format("{} may be given {} times at most", option, kMaxNames));
  for (const auto& name : names)
    if (!is_name(name))
      return wrong(
          fmt::format("{} '{}' is not a name: 1 to 128 characters without blanks", option, name));
  return {};
}

}  // namespace

Result<std::optional<std::chrono::minutes>> parse_lifetime(std::string_view text) {
  if (text == "never") return std::optional<std::chrono::minutes>();
  constexpr std::int64_t kMaxDays = 36500;
  std::int64_t count = 0;
  const char unit = text.empty() ? ' ' : text.back();
  const std::int64_t minutes = unit == 'd' ? 24 * 60 : unit == 'h' ? 60 : unit == 'm' ? 1 : 0;
  if (minutes == 0 || !parse_number(text.substr(0, text.size() - 1), count) || count < 1 ||
      count > kMaxDays * 24 * 60 / minutes)
    return wrong(fmt::format(
        "--expires '{}' is not a time such as 90d, 12h or 30m (100 years at most), nor never",
        text));
  return std::optional(std::chrono::minutes(count * minutes));
}

std::vector<ListedKey> listed_keys(const std::vector<bus::Entry>& entries) {
  std::vector<ListedKey> keys;
  for (const auto& entry : entries) {
    ListedKey key{.id = entry.key, .record = {}};
    if (key.record.ParseFromString(entry.value)) keys.push_back(std::move(key));
  }
  std::sort(keys.begin(), keys.end(), [](const ListedKey& a, const ListedKey& b) {
    return std::pair(a.record.created_at_us(), a.id) < std::pair(b.record.created_at_us(), b.id);
  });
  return keys;
}

Result<v1::ApiKeyRecord> record_of(const KeyOptions& options, WallTime now) {
  if (!valid_opaque(options.user))
    return wrong("--user must be 1 to 255 bytes of UTF-8 without control characters");
  if (!extensions::auth::valid_tenant_id(options.tenant))
    return wrong("--tenant must be 1 to 64 characters of [A-Za-z0-9._-]");
  RETURN_IF_ERROR(check_names(options.roles, "--role"));
  RETURN_IF_ERROR(check_names(options.namespaces, "--namespaces"));
  for (const auto& glob : options.namespaces)
    if (!extensions::auth::valid_namespace_glob(glob))
      return wrong(fmt::format(
          "--namespaces '{}' is not a namespace: write its name, with * for any characters", glob));
  if (options.note.size() > kMaxText || !valid_utf8(options.note))
    return wrong(fmt::format("--note must be UTF-8 of {} bytes at most", kMaxText));
  ASSIGN_OR_RETURN(const auto lifetime, parse_lifetime(options.expires));
  v1::ApiKeyRecord record;
  record.set_tenant_id(options.tenant);
  record.set_user_id(options.user);
  for (const auto& role : options.roles) record.add_roles(role);
  for (const auto& ns : options.namespaces) record.add_namespaces(ns);
  record.set_created_at_us(to_unix_us(now));
  record.set_created_by(options.by);
  if (lifetime) record.set_expires_at_us(to_unix_us(now + *lifetime));
  record.set_note(options.note);
  return record;
}

std::string unknown_roles(const extensions::PolicyPtr& policy,
                          const std::vector<std::string>& roles) {
  if (!policy || !policy->roles) return {};
  std::vector<std::string> unknown;
  for (const auto& role : roles)
    if (!policy->roles->contains(role)) unknown.push_back(role);
  if (unknown.empty()) return {};
  const auto known = *policy->roles | std::views::keys;
  return fmt::format("warning: {} grants nothing: the policy in force has the roles {}",
                     fmt::join(unknown, ", "), fmt::join(known, ", "));
}

}  // namespace toolway::cli::keys

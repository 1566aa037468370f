#include "gateway/mcp/session_marks.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <charconv>

#include "base/json.h"
#include "base/sha256.h"
#include "base/try.h"
#include "mcp/fields.h"

namespace toolway::gateway::mcp {
namespace {

constexpr std::chrono::seconds kRemembered{1};
constexpr std::size_t kMaxRemembered = 10'000;
constexpr std::size_t kMaxRememberedBytes = 16 * 1024 * 1024;
/// Of writes that another gateway's came before.
constexpr unsigned kTries = 5;

Error has_ended() { return {ErrorCode::kNotFound, "this session has ended"}; }

std::string key_of(std::string_view text) { return sha256_hex(text).substr(0, 32); }

std::string request_key(const std::string& session, const std::string& request_id) {
  return key_of(session + "\n" + request_id);
}

Subscriptions subscriptions_of(const Json& mark) {
  Subscriptions all;
  const auto* listed = toolway::mcp::member(mark, "resources");
  if (listed == nullptr || !listed->is_array()) return all;
  for (const auto& one : *listed) {
    const auto digits = toolway::mcp::short_text(one, "content");
    Subscription subscription{.uri = toolway::mcp::short_text(one, "uri", kMaxSubscribedUri)};
    std::from_chars(digits.data(), digits.data() + digits.size(), subscription.content, 16);
    all.push_back(std::move(subscription));
  }
  return all;
}

SessionMark mark_of(std::string_view text) {
  const auto json = parse_json(text);
  if (!json) return {};
  return {.ended = toolway::mcp::flag(*json, "ended"),
          .level = toolway::mcp::short_text(*json, "level"),
          .resources = subscriptions_of(*json)};
}

std::string text_of(const SessionMark& mark) {
  if (mark.ended) return to_text(Json{{"ended", true}});
  Json json{{"level", mark.level}};
  for (const auto& one : mark.resources)
    json["resources"].push_back(
        {{"uri", one.uri}, {"content", fmt::format("{:016x}", one.content)}});
  return to_text(json);
}

std::size_t bytes_of(const SessionMark& mark) {
  std::size_t bytes = 0;
  for (const auto& one : mark.resources) bytes += sizeof(one) + one.uri.size();
  return bytes;
}

}  // namespace

SessionMarkPtr SessionMarks::remember(const std::string& key, Known known) {
  const auto before = known_.find(key);
  if (before != known_.end()) {
    if (before->second.revision == known.revision) known.mark = before->second.mark;
    bytes_ -= bytes_of(*before->second.mark);
  }
  if (known_.size() >= kMaxRemembered || bytes_ > kMaxRememberedBytes) {
    known_.clear();
    bytes_ = 0;
  }
  bytes_ += bytes_of(*known.mark);
  known.until = clock_.monotonic() + kRemembered;
  auto mark = known.mark;
  known_.insert_or_assign(key, std::move(known));
  return mark;
}

loop::Task<Result<SessionMarks::Known>> SessionMarks::read(std::string key) {
  const auto before = known_.find(key);
  const auto known = before == known_.end() ? Known{} : before->second;
  auto entry = co_await bus_.get_mcp(std::move(key));
  Known now;
  if (entry) {
    now.revision = entry->revision;
  } else if (entry.error().code != ErrorCode::kNotFound) {
    co_return fail(std::move(entry.error()));
  }
  now.mark =
      known.mark && known.revision == now.revision
          ? known.mark
          : std::make_shared<const SessionMark>(entry ? mark_of(entry->value) : SessionMark());
  co_return now;
}

loop::Task<Result<SessionMarkPtr>> SessionMarks::of(std::string session) {
  const auto key = key_of(session);
  const auto known = known_.find(key);
  if (known != known_.end() && clock_.monotonic() < known->second.until)
    co_return known->second.mark;
  CO_ASSIGN_OR_RETURN(auto found, co_await read(key));
  co_return remember(key, std::move(found));
}

loop::Task<Result<void>> SessionMarks::change(std::string session, Change change) {
  const auto key = key_of(session);
  Error refused;
  for (unsigned i = 0; i < kTries; ++i) {
    CO_ASSIGN_OR_RETURN(auto found, co_await read(key));
    SessionMark mark = *found.mark;
    const auto changed = change(mark);
    if (!changed || !*changed) remember(key, found);
    CO_RETURN_IF_ERROR(changed);
    if (!*changed) co_return Result<void>();
    const auto put = co_await bus_.put_mcp(key, text_of(mark), found.revision);
    if (put) {
      remember(key,
               {.mark = std::make_shared<const SessionMark>(std::move(mark)), .revision = *put});
      co_return Result<void>();
    }
    refused = put.error();
    if (refused.code != ErrorCode::kWrongLastSequence) break;
  }
  co_return fail(std::move(refused));
}

loop::Task<Result<void>> SessionMarks::end(std::string session) {
  Change end = [](SessionMark& mark) -> Result<bool> { return !std::exchange(mark.ended, true); };
  co_return co_await change(std::move(session), std::move(end));
}

loop::Task<Result<void>> SessionMarks::set_level(std::string session, std::string level) {
  Change set = [level = std::move(level)](SessionMark& mark) -> Result<bool> {
    if (mark.ended) return fail(has_ended());
    return std::exchange(mark.level, level) != level;
  };
  co_return co_await change(std::move(session), std::move(set));
}

loop::Task<Result<void>> SessionMarks::subscribe(std::string session, Subscription to) {
  Change add = [to = std::move(to)](SessionMark& mark) -> Result<bool> {
    if (mark.ended) return fail(has_ended());
    if (auto full = add_subscription(mark.resources, to))
      return fail(ErrorCode::kInvalidRequest, std::move(*full));
    return true;
  };
  co_return co_await change(std::move(session), std::move(add));
}

loop::Task<Result<void>> SessionMarks::unsubscribe(std::string session, std::string uri) {
  Change remove = [uri = std::move(uri)](SessionMark& mark) -> Result<bool> {
    if (mark.ended) return fail(has_ended());
    return remove_subscription(mark.resources, uri);
  };
  co_return co_await change(std::move(session), std::move(remove));
}

loop::Task<void> note_request(loop::AsyncBus& bus, std::string session, std::string request_id,
                              std::string call_id) {
  const auto key = request_key(session, request_id);
  auto put = co_await bus.put_mcp_request(key, call_id, 0);
  if (!put && put.error().code == ErrorCode::kWrongLastSequence) {
    // Its client uses the id again: the newest counts.
    const auto entry = co_await bus.get_mcp_request(key);
    if (entry) put = co_await bus.put_mcp_request(key, call_id, entry->revision);
  }
  if (!put) spdlog::debug("which call a request began was not noted: {}", put.error().message);
}

loop::Task<Result<std::string>> call_of_request(loop::AsyncBus& bus, std::string session,
                                                std::string request_id) {
  auto entry = co_await bus.get_mcp_request(request_key(session, request_id));
  if (entry) co_return std::move(entry->value);
  if (entry.error().code == ErrorCode::kNotFound) co_return std::string();
  co_return fail(std::move(entry.error()));
}

}  // namespace toolway::gateway::mcp

#include "gateway/mcp/session_marks.h"

#include <spdlog/spdlog.h>

#include "base/json.h"
#include "base/sha256.h"
#include "base/try.h"
#include "mcp/fields.h"

namespace toolway::gateway::mcp {
namespace {

constexpr std::chrono::seconds kRemembered{1};
constexpr std::size_t kMaxRemembered = 10'000;
/// Of writes that another gateway's came before.
constexpr unsigned kTries = 5;

std::string key_of(std::string_view text) { return sha256_hex(text).substr(0, 32); }

std::string request_key(const std::string& session, const std::string& request_id) {
  return key_of(session + "\n" + request_id);
}

SessionMark mark_of(std::string_view text) {
  const auto json = parse_json(text);
  if (!json) return {};
  return {.ended = toolway::mcp::flag(*json, "ended"),
          .level = toolway::mcp::short_text(*json, "level")};
}

std::string text_of(const SessionMark& mark) {
  if (mark.ended) return to_text(Json{{"ended", true}});
  return to_text(Json{{"level", mark.level}});
}

}  // namespace

void SessionMarks::remember(const std::string& key, const SessionMark& mark) {
  if (known_.size() >= kMaxRemembered) known_.clear();
  known_.insert_or_assign(key, Known{mark, clock_.monotonic() + kRemembered});
}

loop::Task<Result<std::pair<SessionMark, std::uint64_t>>> SessionMarks::read(std::string key) {
  using Read = std::pair<SessionMark, std::uint64_t>;
  auto entry = co_await bus_.get_mcp(std::move(key));
  if (entry) co_return Read(mark_of(entry->value), entry->revision);
  if (entry.error().code == ErrorCode::kNotFound) co_return Read();
  co_return fail(std::move(entry.error()));
}

loop::Task<Result<SessionMark>> SessionMarks::of(std::string session) {
  const auto key = key_of(session);
  const auto known = known_.find(key);
  if (known != known_.end() && clock_.monotonic() < known->second.until)
    co_return known->second.mark;
  CO_ASSIGN_OR_RETURN(auto found, co_await read(key));
  remember(key, found.first);
  co_return std::move(found.first);
}

loop::Task<Result<void>> SessionMarks::write(std::string session, SessionMark mark) {
  const auto key = key_of(session);
  Error refused;
  for (unsigned i = 0; i < kTries; ++i) {
    CO_ASSIGN_OR_RETURN(auto found, co_await read(key));
    if (found.first.ended) {
      remember(key, found.first);
      if (mark.ended) co_return Result<void>();
      co_return fail(ErrorCode::kNotFound, "this session has ended");
    }
    const auto put = co_await bus_.put_mcp(key, text_of(mark), found.second);
    if (put) {
      remember(key, mark);
      co_return Result<void>();
    }
    refused = put.error();
    if (refused.code != ErrorCode::kWrongLastSequence) break;
  }
  co_return fail(std::move(refused));
}

loop::Task<Result<void>> SessionMarks::end(std::string session) {
  SessionMark mark{.ended = true};
  co_return co_await write(std::move(session), std::move(mark));
}

loop::Task<Result<void>> SessionMarks::set_level(std::string session, std::string level) {
  SessionMark mark{.ended = false, .level = std::move(level)};
  co_return co_await write(std::move(session), std::move(mark));
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

#include "gateway/mailbox/manifest.h"

#include <algorithm>
#include <unordered_map>

#include "base/try.h"
#include "gateway/calls/call_states.h"
#include "gateway/loop/task_group.h"
#include "gateway/wire/json_text.h"
#include "proto/codec.h"
#include "proto/qualified_name.h"

namespace toolway::gateway::mailbox {
namespace {

using persistence::store::CallCounts;
using persistence::store::CallState;
using persistence::store::ManifestCall;
constexpr std::size_t kPage = 5000;
constexpr std::size_t kCallText = 220;
constexpr std::size_t kToolText = 40;

bool is_pending(const ManifestCall& call) { return call.state != CallState::kCompleted; }

/// Some calls of a session, and the memory they take.
struct CallsRead {
  std::vector<ManifestCall> calls;
  std::size_t bytes = 0;
};

loop::Task<Result<CallsRead>> page(loop::AsyncStore& async_store, SessionKey session,
                                   std::optional<CallId> after, std::size_t limit) {
  auto read = [session, after = std::move(after),
               limit](persistence::store::StoreReader& store) -> Result<CallsRead> {
    ASSIGN_OR_RETURN(auto calls, store.manifest(session, after, limit));
    CallsRead page{.calls = std::move(calls), .bytes = 0};
    for (const ManifestCall& call : page.calls) {
      page.bytes += sizeof(call) + call.call_id.capacity() + call.labels.SpaceUsedLong() +
                    call.error_code.capacity();
    }
    return page;
  };
  return async_store.run<CallsRead>(std::move(read));
}

loop::Task<Result<CallCounts>> counts(loop::AsyncStore& async_store, SessionKey session,
                                      persistence::store::MailboxCursor read_to) {
  auto read = [session, read_to](persistence::store::StoreReader& store) {
    return store.counts(session, read_to);
  };
  return async_store.run<CallCounts>(std::move(read));
}

void write_completed(std::string& out, const ManifestCall& call) {
  wire::ObjectText object(out);
  object.begin("metadata");
  wire::ObjectText metadata(out);
  metadata.text("name", proto::qualified_name(call.labels));
  metadata.text_or_null("id", call.labels.tool_call_id());
  metadata.text("call_id", call.call_id);
  metadata.boolean("is_async", call.labels.multi_step());
  metadata.end();
  object.text("outcome", proto::outcome_name(call.outcome.value_or(v1::OUTCOME_UNSPECIFIED)));
  if (!call.error_code.empty()) object.text("error_code", call.error_code);
  object.end();
}

void write_pending(std::string& out, const ManifestCall& call, Waiting waiting) {
  wire::ObjectText object(out);
  object.text("call_id", call.call_id);
  object.text("tool", proto::qualified_name(call.labels));
  object.text_or_null("tool_call_id", call.labels.tool_call_id());
  object.text("state", call.state == CallState::kRunning ? calls::call_state::kRunning
                       : call.state == CallState::kHeld  ? calls::call_state::kHeld
                                                         : calls::call_state::kQueued);
  object.boolean("timed_out", waiting == Waiting::kTimedOut);
  object.end();
}

template <typename Wanted, typename Write>
void write_calls(wire::ObjectText& object, std::string& out, std::string_view key,
                 const Manifest& manifest, Wanted wanted, Write write) {
  object.begin(key);
  wire::ListText list(out);
  for (const ManifestCall& call : manifest.calls) {
    if (!wanted(call)) continue;
    list.next();
    write(call);
  }
  list.end();
}

/// Counts of the listed calls, when all are listed: newer than what the store counted.
CallCounts counted(const Manifest& manifest) {
  CallCounts counts = *manifest.counts;
  if (manifest.truncated) return counts;
  const std::uint64_t recorded = counts.completed;
  counts.queued = counts.running = counts.held = counts.completed = 0;
  for (const ManifestCall& call : manifest.calls) {
    if (!is_pending(call))
      ++counts.completed;
    else if (call.state == CallState::kRunning)
      ++counts.running;
    else if (call.state == CallState::kHeld)
      ++counts.held;
    else
      ++counts.queued;
  }
  if (counts.completed > recorded) counts.unread += counts.completed - recorded;
  return counts;
}

bool comes_before(const ManifestCall& call, std::string_view id) { return call.call_id < id; }

std::vector<ManifestCall>::const_iterator place_in(const std::vector<ManifestCall>& calls,
                                                   std::string_view id) {
  return std::lower_bound(calls.begin(), calls.end(), id, comes_before);
}

/// The first `listed` are in order; the others are mostly newer than all of these.
void put_in_order(std::vector<ManifestCall>& calls, std::size_t listed) {
  const auto by_id = [](const ManifestCall& a, const ManifestCall& b) {
    return a.call_id < b.call_id;
  };
  const auto added = calls.begin() + static_cast<std::ptrdiff_t>(listed);
  std::sort(added, calls.end(), by_id);
  if (listed == 0 || added == calls.end() || by_id(*(added - 1), *added)) return;
  std::inplace_merge(calls.begin(), added, calls.end(), by_id);
}

}  // namespace

std::size_t Manifest::pending() const {
  return static_cast<std::size_t>(std::count_if(calls.begin(), calls.end(), is_pending));
}

bool is_awaited(const ManifestCall& call, AwaitHeld held) {
  return is_pending(call) && (call.state != CallState::kHeld || held == AwaitHeld::kYes);
}

std::size_t Manifest::awaited(AwaitHeld held) const {
  return static_cast<std::size_t>(
      std::count_if(calls.begin(), calls.end(),
                    [held](const ManifestCall& call) { return is_awaited(call, held); }));
}

loop::Task<Manifest> read_manifest(const answers::PageSources& pages, SessionKey session,
                                   persistence::store::MailboxCursor read) {
  Manifest manifest;
  const auto permit = co_await pages.turns.acquire();
  manifest.memory = {pages.memory, wire::MemoryUse::kAnswer};
  if (!manifest.memory.try_resize(kManifestPageMemory)) {
    manifest.reason = "its calls are not listed: " + wire::memory_problem().error.message +
                      "; close it again to see them";
    co_return manifest;
  }
  loop::TaskGroup asked(co_await asio::this_coro::executor);
  const auto counting = asked.start(counts(pages.store, session, read));
  const auto paging = asked.start(page(pages.store, session, std::nullopt, kPage));
  co_await asked.wait();
  auto& counted = *counting;
  auto& first = *paging;
  if (!first || !*first || !counted || !*counted) {
    const Error error = first && !*first       ? first->error()
                        : counted && !*counted ? counted->error()
                                               : Error{ErrorCode::kInternal, "no answer"};
    manifest.reason = "the database did not list the session's calls: " + error.message;
    manifest.memory.resize(0);
    co_return manifest;
  }
  manifest.counts = **counted;
  const std::uint64_t in_all = manifest.counts->queued + manifest.counts->running +
                               manifest.counts->held + manifest.counts->completed;
  std::size_t bytes = (*first)->bytes;
  manifest.calls = std::move((*first)->calls);
  bool more = manifest.calls.size() == kPage;
  if (more) manifest.calls.reserve(std::min<std::size_t>(in_all, kMaxListedCalls));
  while (more && manifest.calls.size() < kMaxListedCalls) {
    auto last = CallId::parse(manifest.calls.back().call_id);
    if (!last) break;
    if (!manifest.memory.try_resize(bytes + kManifestPageMemory)) {
      manifest.reason = "not all of its calls are listed: " + wire::memory_problem().error.message +
                        "; close it again to see them";
      break;
    }
    auto next = co_await page(pages.store, session, std::move(*last), kPage);
    if (!next) {
      manifest.reason = "the database stopped answering: " + next.error().message;
      break;
    }
    more = next->calls.size() == kPage;
    bytes += next->bytes;
    std::move(next->calls.begin(), next->calls.end(), std::back_inserter(manifest.calls));
  }
  manifest.memory.resize(bytes);
  manifest.truncated = manifest.reason.empty() && more &&
                       manifest.calls.size() >= kMaxListedCalls && in_all > manifest.calls.size();
  co_return manifest;
}

bool note_completion(ManifestCall& call, const v1::CallEvent& event) {
  if (!is_pending(call) || !event.has_completed()) return false;
  call.state = CallState::kCompleted;
  call.outcome = event.completed().outcome();
  call.error_code = event.completed().error().code();
  return true;
}

void keep_completions(Manifest& manifest, const Manifest& before) {
  auto known = before.calls.begin();
  for (ManifestCall& call : manifest.calls) {
    if (!is_pending(call)) continue;
    while (known != before.calls.end() && known->call_id < call.call_id) ++known;
    if (known != before.calls.end() && known->call_id == call.call_id && !is_pending(*known))
      call = *known;
  }
  if (manifest.reason.empty() || before.unrecorded.empty()) return;
  // What the streams showed before, and not in the time available now.
  std::unordered_map<std::string_view, const ManifestCall*> missing;
  for (const auto& [id, streamed] : before.unrecorded) {
    const auto found = place_in(before.calls, id);
    if (found != before.calls.end() && found->call_id == id) missing.emplace(id, &*found);
  }
  for (const ManifestCall& call : manifest.calls) missing.erase(call.call_id);
  const std::size_t listed = manifest.calls.size();
  for (const auto& [id, call] : missing) {
    manifest.calls.push_back(*call);
    manifest.unrecorded.emplace(id, before.unrecorded.at(std::string(id)));
  }
  put_in_order(manifest.calls, listed);
}

void add_calls(Manifest& manifest, std::vector<calls::StreamedCall> streamed) {
  const std::size_t listed = manifest.calls.size();
  for (calls::StreamedCall& call : streamed) {
    if (manifest.calls.size() >= kMaxListedCalls) break;
    std::string id = call.call.call_id;
    const auto end = manifest.calls.begin() + static_cast<std::ptrdiff_t>(listed);
    const auto recorded = std::lower_bound(manifest.calls.begin(), end, id, comes_before);
    if (recorded != end && recorded->call_id == id) continue;
    if (manifest.unrecorded.contains(id)) continue;  // published twice
    ManifestCall entry;
    entry.call_id = id;
    entry.labels = call.call.labels;
    entry.submitted_at = call.call.submitted_at;
    if (call.call.held) entry.state = CallState::kHeld;
    manifest.calls.push_back(std::move(entry));
    manifest.unrecorded.emplace(std::move(id), std::move(call));
  }
  put_in_order(manifest.calls, listed);
}

std::size_t manifest_bytes(const Manifest& manifest, std::size_t tools) {
  return 1024 + manifest.calls.size() * kCallText + tools * kToolText;
}

std::string manifest_json(const Manifest& manifest, const ManifestText& text) {
  std::string out;
  out.reserve(manifest_bytes(manifest, text.available_tools.size()));
  wire::ObjectText object(out);
  object.text("session_id", text.session.session_id());
  object.text("status", "closed");
  object.text("closing", proto::closing_name(text.session.closing()));
  object.time_us("closed_at", text.session.closed_at_us());
  const auto list = [&](std::string_view key, const auto& names) {
    object.begin(key);
    wire::write_list(out, names, wire::append_string);
  };
  list("namespaces", text.session.namespaces());
  object.text_or_null("toolset_digest", text.session.toolset_digest());
  list("available_tools", text.available_tools);
  write_calls(
      object, out, "completed_calls", manifest,
      [](const ManifestCall& call) { return !is_pending(call); },
      [&](const ManifestCall& call) { write_completed(out, call); });
  write_calls(object, out, "pending_calls", manifest, is_pending,
              [&](const ManifestCall& call) { write_pending(out, call, text.waiting); });
  if (manifest.counts) {
    const CallCounts counts = counted(manifest);
    object.begin("counts");
    wire::ObjectText inner(out);
    inner.number("queued", counts.queued);
    inner.number("running", counts.running);
    inner.number("held", counts.held);
    inner.number("completed", counts.completed);
    inner.number("unread", counts.unread);
    inner.end();
  } else {
    object.null("counts");
  }
  object.boolean("truncated", manifest.truncated);
  object.boolean("complete", manifest.reason.empty() && !manifest.truncated);
  object.text_or_null("reason", manifest.truncated && manifest.reason.empty()
                                    ? std::string_view("only the oldest calls are listed")
                                    : std::string_view(manifest.reason));
  object.end();
  return out;
}

}  // namespace toolway::gateway::mailbox

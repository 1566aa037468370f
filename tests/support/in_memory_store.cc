#include "tests/support/in_memory_store.h"

#include <algorithm>

#include "base/try.h"
#include "proto/audit.h"
#include "proto/codec.h"
#include "proto/trace.h"

namespace toolway::test {
namespace {

using persistence::store::AcceptedCall;
using persistence::store::BlobPiece;
using persistence::store::CallCounts;
using persistence::store::CallFilter;
using persistence::store::CallState;
using persistence::store::MailboxCursor;
using persistence::store::MailboxEntry;
using persistence::store::ManifestCall;
using persistence::store::Page;
using persistence::store::PageLimit;
using persistence::store::Parents;
using persistence::store::RecordedCall;
using persistence::store::RecordedEvent;
using persistence::store::RecordedSession;

std::size_t bytes_of(const RecordedCall& call) {
  return call.arguments.size() + (call.completion ? call.completion->ByteSizeLong() : 0);
}
std::size_t bytes_of(const MailboxEntry& entry) { return bytes_of(entry.call); }
std::size_t bytes_of(const RecordedEvent& event) { return event.event.ByteSizeLong(); }
std::size_t bytes_of(const RecordedSession& session) { return session.record.ByteSizeLong(); }

/// Whether the page has room; else it notes that others follow.
template <typename T>
bool add(Page<T>& page, T row, PageLimit limit) {
  page.more = page.size() == limit.rows || (!page.empty() && page.bytes >= limit.bytes);
  if (page.more) return false;
  page.bytes += bytes_of(row);
  page.push_back(std::move(row));
  return true;
}

std::string_view tenant_or_default(std::string_view tenant) {
  return tenant.empty() ? "default" : tenant;
}

bool is_of_user(const v1::SessionRecord& record, std::string_view tenant, std::string_view user) {
  return tenant_or_default(record.tenant_id()) == tenant_or_default(tenant) &&
         record.user_id() == user;
}

template <typename Message>
void describe(RecordedCall& call, const Message& message) {
  call.call_id = message.call_id();
  call.tenant_id = message.tenant_id();
  call.user_id = message.user_id();
  call.session_key = message.session_key();
  call.session_id = message.session_id();
  call.labels = message.labels();
  call.submitted_at = from_unix_us(message.submitted_at_us());
}

/// How long the last attempt of a call ran that has ended after a start.
std::optional<std::chrono::microseconds> ran(const RecordedCall& call) {
  if (!call.completion || call.completion->completed().started_at_us() == 0) return std::nullopt;
  return std::chrono::microseconds(call.completion->time_us() -
                                   call.completion->completed().started_at_us());
}

bool fits_its_end(const CallFilter& filter, const RecordedCall& call) {
  if (!call.completion) return !filter.only_completed();
  const auto& completed = call.completion->completed();
  const auto took = ran(call);
  return (!filter.outcome || completed.outcome() == *filter.outcome) &&
         (filter.error_code.empty() || completed.error().code() == filter.error_code) &&
         (!filter.min_ran || (took && *took >= *filter.min_ran)) &&
         (!filter.max_ran || (took && *took <= *filter.max_ran));
}

bool fits(const CallFilter& filter, const RecordedCall& call, CallState state) {
  const auto made_at = CallId::parse(call.call_id)->made_at();
  const auto milliseconds = [](WallTime time) {
    return std::chrono::floor<std::chrono::milliseconds>(time);
  };
  return call.tenant_id == tenant_or_default(filter.tenant_id) && call.user_id == filter.user_id &&
         (!filter.session || call.session_key == filter.session->text()) &&
         (filter.tool.empty() || call.labels.tool() == filter.tool) &&
         (filter.namespace_.empty() || call.labels.namespace_() == filter.namespace_) &&
         (filter.state == CallState::kAny || filter.state == state) &&
         (!filter.since || made_at >= milliseconds(*filter.since)) &&
         (!filter.until || made_at < milliseconds(*filter.until)) &&
         call.attempt >= filter.attempts && fits_its_end(filter, call);
}

}  // namespace

void InMemoryStore::begin_transaction() {
  const std::scoped_lock lock(mutex_);
  ++last_.xid;
}

void InMemoryStore::record_call(std::string_view payload, Position position) {
  const auto call = proto::decode_call(payload);
  if (!call) return;
  const std::scoped_lock lock(mutex_);
  auto& newest = calls_[call->call_id()];
  if (newest.first < position) newest = {position, *call};
}

void InMemoryStore::record_event(std::string_view payload, Position position) {
  const auto event = proto::decode_event(payload);
  if (!event || event->has_alive()) return;
  const std::scoped_lock lock(mutex_);
  if (event->has_completed()) {
    if (completions_.contains(event->call_id())) return;
    ++last_.number;
    completions_.emplace(event->call_id(), Completion{last_, *event});
  }
  events_.emplace(position, *event);
}

void InMemoryStore::record_session(std::string_view payload, Position position) {
  const auto record = proto::decode_session(payload);
  if (!record) return;
  const std::scoped_lock lock(mutex_);
  auto& newest = sessions_[record->session_key()];
  if (newest.first < position) newest = {position, *record};
}

void InMemoryStore::record_chunk(std::string_view payload) {
  const auto chunk = proto::decode_blob_chunk(payload);
  if (!chunk) return;
  const std::scoped_lock lock(mutex_);
  chunks_[{chunk->call_id(), chunk->attempt()}].emplace(chunk->number(), chunk->data());
}

void InMemoryStore::away(bool is_away) {
  const std::scoped_lock lock(mutex_);
  away_ = is_away;
}

void InMemoryStore::give_up() { away(true); }

Result<void> InMemoryStore::there() const {
  if (away_) return fail(ErrorCode::kStoreUnavailable, "away");
  return {};
}

const InMemoryStore::Completion* InMemoryStore::completion_of(const std::string& call_id) const {
  const auto found = completions_.find(call_id);
  return found == completions_.end() ? nullptr : &found->second;
}

const v1::CallEvent* InMemoryStore::step_of(const std::string& call_id) const {
  const auto newest = std::find_if(events_.rbegin(), events_.rend(), [&](const auto& at) {
    const auto& event = at.second;
    return event.call_id() == call_id && (event.has_started() || event.has_retry_at());
  });
  return newest == events_.rend() ? nullptr : &newest->second;
}

RecordedCall InMemoryStore::recorded(const std::string& call_id) const {
  RecordedCall call;
  const auto asked = calls_.find(call_id);
  if (asked != calls_.end()) {
    const auto& request = asked->second.second;
    describe(call, request);
    call.spec_digest = request.spec_digest();
    call.pool = request.pool();
    call.parent_call_id = request.parent_call_id();
    call.secret_places.assign(request.secret_places().begin(), request.secret_places().end());
    call.trace = proto::trace_of(request.trace());
    call.admission = proto::admission_to_tell(request);
    call.held = state_of(call_id) == CallState::kHeld;
    call.arguments = request.arguments();
    if (const auto* step = step_of(call_id)) {
      call.attempt = step->attempt();
      if (step->has_retry_at())
        call.retry_at = from_unix_us(step->retry_at().at_us());
      else
        call.started_at = from_unix_us(step->time_us());
    }
  }
  if (const auto* completion = completion_of(call_id)) {
    const auto& event = completion->event;
    if (asked == calls_.end()) describe(call, event);
    call.attempt = event.attempt();
    call.retry_at.reset();
    if (const auto started = event.completed().started_at_us(); started != 0)
      call.started_at = from_unix_us(started);
    call.completion = event;
  }
  return call;
}

bool InMemoryStore::is_deleted(const std::string& call_id) const {
  const auto at = sessions_.find(calls_.at(call_id).second.session_key());
  return at != sessions_.end() && at->second.second.state() == v1::SessionRecord::STATE_DELETED;
}

Result<std::optional<RecordedCall>> InMemoryStore::call(const CallId& call) {
  const std::scoped_lock lock(mutex_);
  RETURN_IF_ERROR(there());
  if (!calls_.contains(call.text()) || is_deleted(call.text())) return std::nullopt;
  return recorded(call.text());
}

Result<Page<RecordedCall>> InMemoryStore::calls_of_session(const SessionKey& session,
                                                           CallState state,
                                                           const std::optional<CallId>& before,
                                                           PageLimit limit) {
  const std::scoped_lock lock(mutex_);
  RETURN_IF_ERROR(there());
  Page<RecordedCall> page;
  for (auto it = calls_.rbegin(); it != calls_.rend(); ++it) {
    const auto& [id, request] = *it;
    if (request.second.session_key() != session.text() || (before && id >= before->text()))
      continue;
    if (state != CallState::kAny && state_of(id) != state) continue;
    if (!add(page, recorded(id), limit)) break;
  }
  return page;
}

Result<Page<RecordedCall>> InMemoryStore::calls_of_user(const CallFilter& filter,
                                                        const std::optional<CallId>& before,
                                                        PageLimit limit) {
  const std::scoped_lock lock(mutex_);
  RETURN_IF_ERROR(there());
  Page<RecordedCall> page;
  for (auto it = calls_.rbegin(); it != calls_.rend(); ++it) {
    const auto& id = it->first;
    if (before && id >= before->text()) continue;
    if (is_deleted(id) || !fits(filter, recorded(id), state_of(id))) continue;
    if (!add(page, recorded(id), limit)) break;
  }
  return page;
}

Result<Page<MailboxEntry>> InMemoryStore::mailbox(const SessionKey& session, MailboxCursor after,
                                                  PageLimit limit, Parents parents) {
  const std::scoped_lock lock(mutex_);
  RETURN_IF_ERROR(there());
  std::map<MailboxCursor, std::string> later;
  for (const auto& [id, completion] : completions_)
    if (completion.event.session_key() == session.text() && completion.cursor > after)
      later.emplace(completion.cursor, id);
  Page<MailboxEntry> page;
  for (const auto& [cursor, id] : later) {
    MailboxEntry entry{cursor, recorded(id), !calls_.contains(id)};
    if (parents == Parents::kNone && !entry.call.parent_call_id.empty()) continue;
    if ((parents == Parents::kNone && entry.early) || !add(page, std::move(entry), limit)) break;
  }
  return page;
}

Result<std::vector<ManifestCall>> InMemoryStore::manifest(const SessionKey& session,
                                                          const std::optional<CallId>& after,
                                                          std::size_t limit) {
  const std::scoped_lock lock(mutex_);
  RETURN_IF_ERROR(there());
  std::vector<ManifestCall> manifest;
  for (const auto& [id, request] : calls_) {
    if (request.second.session_key() != session.text() || (after && id <= after->text())) continue;
    if (manifest.size() == limit) break;
    ManifestCall call{.call_id = id,
                      .labels = request.second.labels(),
                      .state = state_of(id),
                      .outcome = {},
                      .error_code = {},
                      .submitted_at = from_unix_us(request.second.submitted_at_us())};
    if (const auto* completion = completion_of(id)) {
      call.outcome = completion->event.completed().outcome();
      call.error_code = completion->event.completed().error().code();
    }
    manifest.push_back(std::move(call));
  }
  return manifest;
}

CallCounts InMemoryStore::counts_of(const std::string& session, MailboxCursor read) const {
  CallCounts counts;
  for (const auto& [id, request] : calls_) {
    if (request.second.session_key() != session) continue;
    const auto state = state_of(id);
    if (state == CallState::kQueued) ++counts.queued;
    if (state == CallState::kRunning) ++counts.running;
    if (state == CallState::kHeld) ++counts.held;
    if (state != CallState::kCompleted) continue;
    ++counts.completed;
    if (completion_of(id)->cursor > read) ++counts.unread;
  }
  return counts;
}

Result<CallCounts> InMemoryStore::counts(const SessionKey& session, MailboxCursor read) {
  const std::scoped_lock lock(mutex_);
  RETURN_IF_ERROR(there());
  return counts_of(session.text(), read);
}

Result<Page<RecordedSession>> InMemoryStore::sessions_of_user(std::string_view tenant,
                                                              std::string_view user,
                                                              std::optional<WallTime> before,
                                                              PageLimit limit) {
  const std::scoped_lock lock(mutex_);
  RETURN_IF_ERROR(there());
  std::vector<const v1::SessionRecord*> found;
  for (const auto& [key, newest] : sessions_) {
    const auto& record = newest.second;
    if (is_of_user(record, tenant, user) && record.state() != v1::SessionRecord::STATE_DELETED &&
        (!before || record.created_at_us() < to_unix_us(*before)))
      found.push_back(&record);
  }
  // Of those created at once, by their keys, in whose order they are.
  std::ranges::stable_sort(
      found, [](const auto* a, const auto* b) { return a->created_at_us() > b->created_at_us(); });
  Page<RecordedSession> page;
  for (const auto* record : found) {
    const MailboxCursor read{record->read_xid(), record->read_number()};
    if (!add(page, RecordedSession{*record, counts_of(record->session_key(), read)}, limit)) break;
  }
  return page;
}

Result<std::optional<v1::SessionRecord>> InMemoryStore::session(std::string_view tenant,
                                                                std::string_view user,
                                                                std::string_view session_id) {
  const std::scoped_lock lock(mutex_);
  RETURN_IF_ERROR(there());
  std::optional<std::pair<Position, v1::SessionRecord>> newest;
  for (const auto& [key, at] : sessions_) {
    const auto& [position, record] = at;
    if (!is_of_user(record, tenant, user) || record.session_id() != session_id) continue;
    if (!newest || newest->first < position) newest.emplace(position, record);
  }
  return newest ? std::optional(newest->second) : std::nullopt;
}

template <typename Matches>
Result<Page<RecordedEvent>> InMemoryStore::events(Matches matches, Position after,
                                                  PageLimit limit) const {
  const std::scoped_lock lock(mutex_);
  RETURN_IF_ERROR(there());
  Page<RecordedEvent> page;
  for (auto it = events_.upper_bound(after); it != events_.end(); ++it) {
    if (!matches(it->second)) continue;
    if (!add(page, RecordedEvent{it->first, it->second}, limit)) break;
  }
  return page;
}

Result<Page<RecordedEvent>> InMemoryStore::events_of_session(const SessionKey& session,
                                                             Position after, PageLimit limit) {
  const auto of_session = [&](const auto& event) { return event.session_key() == session.text(); };
  return events(of_session, after, limit);
}

Result<Page<RecordedEvent>> InMemoryStore::events_of_call(const CallId& call, Position after,
                                                          PageLimit limit) {
  const auto of_call = [&](const auto& event) { return event.call_id() == call.text(); };
  return events(of_call, after, limit);
}

Result<std::vector<BlobPiece>> InMemoryStore::blob_chunks(const CallId& call, unsigned attempt,
                                                          unsigned first, unsigned count) {
  const std::scoped_lock lock(mutex_);
  RETURN_IF_ERROR(there());
  std::vector<BlobPiece> pieces;
  const auto& chunks = chunks_[{call.text(), attempt}];
  for (auto it = chunks.lower_bound(first); it != chunks.end() && pieces.size() < count; ++it)
    pieces.push_back({it->first, it->second});
  return pieces;
}

Result<std::uint64_t> InMemoryStore::blob_chunks_recorded(const CallId& call, unsigned attempt) {
  const std::scoped_lock lock(mutex_);
  RETURN_IF_ERROR(there());
  return chunks_[{call.text(), attempt}].size();
}

Result<std::optional<AcceptedCall>> InMemoryStore::accepted(const CallId& call) {
  const std::scoped_lock lock(mutex_);
  RETURN_IF_ERROR(there());
  const auto found = calls_.find(call.text());
  if (found == calls_.end()) return std::optional<AcceptedCall>();
  AcceptedCall accepted{found->second.second, found->second.first};
  accepted.request.clear_arguments();
  return std::optional(std::move(accepted));
}

Result<void> InMemoryStore::ping() {
  const std::scoped_lock lock(mutex_);
  return there();
}

}  // namespace toolway::test

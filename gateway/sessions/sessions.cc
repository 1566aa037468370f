#include "gateway/sessions/sessions.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "base/stored_session_id.h"
#include "base/try.h"
#include "bus/key_value.h"
#include "bus/topology.h"
#include "gateway/sessions/session_problems.h"
#include "monitoring/metric_names.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::gateway::sessions {
namespace {

/// Under which name a session is remembered; user ids hold no control characters.
std::string name_of(std::string_view tenant, std::string_view user, std::string_view session_id) {
  std::string name = wire::owner_name(tenant, user);
  name.append(1, '\n').append(session_id);
  return name;
}
std::string name_of(const wire::Caller& caller, std::string_view session_id) {
  return name_of(caller.tenant_id, caller.user_id, session_id);
}
std::string name_of(const v1::SessionRecord& record) {
  return name_of(record.tenant_id(), record.user_id(), record.session_id());
}

}  // namespace

Sessions::Sessions(bus::Bus& bus, loop::AsyncBus& async_bus, loop::AsyncStore& store,
                   std::shared_ptr<loop::IoPost> io_post, monitoring::Metrics& metrics,
                   const Clock& clock, SessionsOptions options)
    : bucket_(bus, std::string(proto::kSessionsBucket)),
      bus_(async_bus),
      recorded_(store, io_post, clock),
      io_post_(std::move(io_post)),
      open_(metrics.gauge(monitoring::kSessionsOpen)),
      clock_(clock),
      options_(options),
      counted_(async_bus, io_post_, clock, options.caps) {}

void Sessions::connection_changed(bus::Connection state) {
  forget_all();
  if (state == bus::Connection::kConnected && !watch_) return watch();
  if (state != bus::Connection::kDisconnected) start_recount();
}

void Sessions::watch() {
  auto watching = bucket_.watch([this, io_post = io_post_](const bus::Entry& entry) {
    io_post->run([this, entry] { learn(entry); });
  });
  if (!watching) {
    spdlog::warn(
        "the sessions bucket cannot be watched, so each use of a session reads it for now: {}",
        watching.error().message);
    return;
  }
  watch_ = std::move(*watching);
  start_recount();
}

/// What this gateway did not see, it counts now.
void Sessions::start_recount() {
  counted_.start_recount([this](const v1::SessionRecord& record, std::uint64_t revision) {
    const auto found = by_name_.find(name_of(record));
    const bool newer = found != by_name_.end() && found->second->session->revision > revision;
    return newer ? found->second->session : nullptr;
  });
}

void Sessions::forget_all() {
  by_name_.clear();
  by_use_.clear();
  closed_.clear();
  bytes_ = 0;
  open_count_ = 0;
  open_.set(0);
}

void Sessions::learn(const bus::Entry& entry) {
  if (entry.value.empty()) return;  // closed, and has left the bucket: forgotten long ago
  auto record = proto::decode_session(entry.value);
  if (!record) {
    spdlog::warn("the sessions bucket holds an entry that is not a session: {}",
                 record.error().message);
    return;
  }
  remember(std::move(*record), entry.revision);
}

SessionPtr Sessions::remembered(const std::string& name) {
  const auto found = by_name_.find(name);
  if (!watch_ || found == by_name_.end() || !bus_.connected()) return nullptr;
  by_use_.splice(by_use_.begin(), by_use_, found->second);
  return found->second->session;
}

SessionPtr Sessions::remember(v1::SessionRecord record, std::uint64_t revision) {
  auto session = session_of(std::move(record), revision);
  const std::string name = name_of(session->record);
  if (const auto found = by_name_.find(name); found != by_name_.end()) {
    SessionPtr& old = found->second->session;
    if (old->revision >= revision) return old;
    bytes_ = bytes_ - bytes_of(*old) + bytes_of(*session);
    open_count_ = open_count_ - is_open(*old) + is_open(*session);
    old = session;
  } else {
    by_use_.push_front({name, session});
    by_name_.emplace(by_use_.front().name, by_use_.begin());
    bytes_ += bytes_of(*session);
    open_count_ += is_open(*session);
    while (bytes_ > options_.max_bytes && by_use_.size() > 1) drop_oldest();
  }
  counted_.count(*session, is_new(session->record));
  open_.set(static_cast<double>(open_count_));
  if (!is_open(*session)) closed_.push_back({name, revision, clock_.monotonic()});
  if (is_deleted(session->record)) options_.deleted(session->key);
  return session;
}

void Sessions::sweep() {
  // Longer than any answer with an older revision takes to arrive.
  constexpr std::chrono::seconds kClosedKeptFor{10};
  const auto now = clock_.monotonic();
  while (!closed_.empty() && now - closed_.front().learned >= kClosedKeptFor) {
    forget_closed(closed_.front().name, closed_.front().revision);
    closed_.pop_front();
  }
  if (now < next_user_sweep_) return;
  next_user_sweep_ = now + std::chrono::minutes(1);
  counted_.sweep(now);
}

void Sessions::forget_closed(const std::string& name, std::uint64_t revision) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return;
  const auto entry = found->second;
  if (entry->session->revision != revision) return;  // it was restored, or closed again
  bytes_ -= bytes_of(*entry->session);
  by_name_.erase(found);
  by_use_.erase(entry);
}

void Sessions::drop_oldest() {
  const Remembered& oldest = by_use_.back();
  bytes_ -= bytes_of(*oldest.session);
  open_count_ -= is_open(*oldest.session);
  by_name_.erase(oldest.name);
  by_use_.pop_back();
}

loop::Task<wire::HttpResult<SessionPtr>> Sessions::read(const wire::Caller& caller,
                                                        std::string_view session_id) {
  auto found = co_await read_any(caller, session_id);
  if (found && is_deleted((*found)->record)) co_return unknown_session();
  co_return found;
}

loop::Task<wire::HttpResult<SessionPtr>> Sessions::read_any(const wire::Caller& caller,
                                                            std::string_view session_id) {
  if (!may_be_stored_session_id(session_id)) {
    co_return wire::refuse(ErrorCode::kInvalidIdentifier,
                           "a session_id is 1 to 128 characters of [A-Za-z0-9._:@-]");
  }
  constexpr int kMaxTries = 3;
  const auto key = proto::session_bucket_key(caller.tenant_id, caller.user_id, session_id);
  for (int i = 1;; ++i) {
    auto entry = co_await bus_.get_session(key);
    if (!entry && entry.error().code != ErrorCode::kNotFound)
      co_return wire::refuse(wire::bus_problem(std::move(entry.error())));
    if (entry && !entry->value.empty()) {
      CO_ASSIGN_OR_RETURN(auto record, proto::decode_session(entry->value));
      co_return remember(std::move(record), entry->revision);
    }
    auto recalled = co_await recall(caller, std::string(session_id), entry ? entry->revision : 0);
    const bool again = !recalled && recalled.error().error.code == ErrorCode::kWrongLastSequence;
    if (!again || i == kMaxTries) co_return recalled;
  }
}

/// An open one left the bucket by its age, or with the bucket: it is put back.
loop::Task<wire::HttpResult<SessionPtr>> Sessions::recall(const wire::Caller& caller,
                                                          std::string session_id,
                                                          std::uint64_t revision) {
  constexpr std::chrono::seconds kRecordWait{2};
  CO_ASSIGN_OR_RETURN(auto recorded, co_await recorded_.ask(caller, session_id, kRecordWait));
  if (!recorded) co_return unknown_session();
  auto session = session_of(std::move(*recorded), revision);
  if (!is_open(*session)) co_return session;
  CO_RETURN_IF_ERROR(counted_.admit_entry(wire::owner_name(caller), revision));
  auto key = proto::session_bucket_key(caller.tenant_id, caller.user_id, session_id);
  auto put = co_await bus_.put_session(std::move(key), proto::encode(session->record), revision);
  if (put) co_return remember(session->record, *put);
  co_return wire::refuse(write_problem(std::move(put.error())));
}

wire::HttpResult<void> Sessions::admit_new(const wire::Caller& caller, std::size_t bytes) const {
  // The rest is for existing sessions: closing one makes its record longer, too.
  constexpr double kMaxUsedForNew = 0.9;
  if (options_.bucket_used() > kMaxUsedForNew) {
    return wire::refuse(write_problem(Error{ErrorCode::kOverloaded, "no room for new ones", {}}));
  }
  return counted_.admit_new(wire::owner_name(caller), bytes);
}

std::vector<SessionKey> Sessions::used_last(const wire::Caller& caller, std::size_t most) const {
  constexpr std::size_t kMaxLookedAt = 2000;
  std::vector<SessionKey> keys;
  std::size_t looked = 0;
  for (const Remembered& entry : by_use_) {
    if (++looked > kMaxLookedAt || keys.size() >= most) break;
    const auto& record = entry.session->record;
    if (wire::owns(caller, record.tenant_id(), record.user_id()))
      keys.push_back(entry.session->key);
  }
  return keys;
}

loop::Task<wire::HttpResult<SessionPtr>> Sessions::look_up(const wire::Caller& caller,
                                                           std::string_view session_id) {
  // The name of a deleted one may have been given again: only the bus can tell.
  auto session = remembered(name_of(caller, session_id));
  if (session && !is_deleted(session->record)) co_return session;
  co_return co_await read(caller, session_id);
}

loop::Task<wire::HttpResult<SessionPtr>> Sessions::find(const wire::Caller& caller,
                                                        std::string_view session_id) {
  auto session = co_await look_up(caller, session_id);
  if (session) touch(*session);
  co_return session;
}

loop::Task<wire::HttpResult<SessionPtr>> Sessions::find_open(const wire::Caller& caller,
                                                             std::string_view session_id) {
  auto session = co_await find(caller, session_id);
  if (session && !is_open(**session)) {
    co_return wire::refuse(ErrorCode::kSessionClosed,
                           "the session is closed and takes no calls; restore it with POST "
                           "/v1/sessions/{s}/restore");
  }
  co_return session;
}

loop::Task<wire::HttpResult<ChangedSession>> Sessions::change(wire::Caller caller,
                                                              std::string session_id,
                                                              SessionChange change) {
  constexpr int kMaxTries = 8;  // each lost race means that another writer has written
  const auto key = proto::session_bucket_key(caller.tenant_id, caller.user_id, session_id);
  auto session = remembered(name_of(caller, session_id));
  if (session && is_deleted(session->record)) session.reset();
  Error last{ErrorCode::kBusUnavailable, "the session could not be written"};
  for (int i = 0; i < kMaxTries; ++i) {
    if (session) {
      auto record = session->record;
      if (change(record)) {
        CO_RETURN_IF_ERROR(counted_.admit_entry(wire::owner_name(caller), session->revision));
        auto revision = co_await bus_.put_session(key, proto::encode(record), session->revision);
        if (revision) co_return ChangedSession{remember(std::move(record), *revision), true};
        last = std::move(revision.error());
        if (last.code != ErrorCode::kWrongLastSequence && last.code != ErrorCode::kTimeout) break;
      }
    }
    // What is remembered may be outdated; only the bus can tell that nothing must change.
    auto newest = co_await read(caller, session_id);
    CO_RETURN_IF_ERROR(newest);
    session = std::move(*newest);
    if (auto record = session->record; !change(record)) co_return ChangedSession{session, false};
  }
  co_return wire::refuse(write_problem(std::move(last)));
}

bool Sessions::is_stale(const v1::SessionRecord& record) const {
  if (record.state() == v1::SessionRecord::STATE_CLOSED) return false;
  // The bucket forgets what was not written for this long.
  constexpr std::chrono::seconds kMaxIdle = bus::kSessionsAge;
  const auto idle = options_.idle.count() == 0 ? kMaxIdle : std::min(options_.idle, kMaxIdle);
  return clock_.wall() - from_unix_us(record.active_at_us()) > idle / 4;
}

void Sessions::touch(const SessionPtr& session) {
  if (!is_stale(session->record)) return;
  auto name = name_of(session->record);
  if (!touching_.insert(name).second) return;
  asio::co_spawn(io_post_->executor(), write_touch(session, std::move(name)), asio::detached);
}

loop::Task<void> Sessions::write_touch(SessionPtr session, std::string name) {
  wire::Caller caller{.tenant_id = session->record.tenant_id(),
                      .user_id = session->record.user_id()};
  SessionChange used = [this](v1::SessionRecord& record) {
    if (!is_stale(record)) return false;
    record.set_active_at_us(to_unix_us(clock_.wall()));
    return true;
  };
  const auto changed =
      co_await change(std::move(caller), session->record.session_id(), std::move(used));
  if (!changed) {
    spdlog::debug("a session's use could not be written: {}", changed.error().error.message);
  }
  touching_.erase(name);
}

loop::Task<wire::HttpResult<void>> Sessions::await_deleted(wire::Caller caller,
                                                           std::string session_id, SessionKey key,
                                                           std::chrono::seconds patience) {
  constexpr std::chrono::milliseconds kPollInterval{20};
  const auto give_up = clock_.monotonic() + patience;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(give_up - clock_.monotonic());
    if (left.count() <= 0) break;
    CO_ASSIGN_OR_RETURN(const auto recorded, co_await recorded_.ask(caller, session_id, left));
    if (recorded && recorded->session_key() == key.text() && is_deleted(*recorded))
      co_return wire::HttpResult<void>();
    // The name is given again only when that is recorded.
    if (const auto now = remembered(name_of(caller, session_id)); now && now->key != key)
      co_return wire::HttpResult<void>();
    co_await loop::pause(kPollInterval);
  }
  co_return wire::refuse(
      ErrorCode::kCollectorBehind,
      "the session is deleted, but the database does not know it yet: ask again");
}

wire::HttpResult<Opened> Sessions::open_again(v1::SessionRecord record, std::uint64_t revision,
                                              const SessionRequest& request,
                                              const v1::SessionRecord& fresh) {
  // Already ours: the previous write was stored, and only its answer was lost.
  const bool created = record.session_key() == fresh.session_key();
  RETURN_IF_ERROR(check_reopen(record, request.namespaces));
  auto session = remember(std::move(record), revision);
  touch(session);
  return Opened{std::move(session), created};
}

loop::Task<wire::HttpResult<Opened>> Sessions::open(SessionRequest request,
                                                    const wire::Caller& caller,
                                                    ToolsetDigest toolset_digest) {
  constexpr int kMaxTries = 5;  // each lost race means that another writer has written
  constexpr std::chrono::milliseconds kWaitIfKnown{300};
  constexpr std::chrono::seconds kWaitUntilKnown{2};
  const bool named = !request.session_id.empty();
  if (!named) request.session_id = "s-" + random_hex(12);
  const auto key = proto::session_bucket_key(caller.tenant_id, caller.user_id, request.session_id);
  auto fresh = new_session(request, caller, SessionKey::make(), clock_.wall());
  CO_ASSIGN_OR_RETURN(auto digest,
                      co_await toolset_digest(request.namespaces, fresh.session_key()));
  fresh.set_toolset_digest(std::move(digest));
  const std::string bytes = proto::encode(fresh);
  Error last{ErrorCode::kBusUnavailable, "the session could not be written"};
  for (int i = 0; i < kMaxTries; ++i) {
    auto entry = co_await bus_.get_session(key);
    if (!entry && entry.error().code != ErrorCode::kNotFound) {
      co_return wire::refuse(wire::bus_problem(std::move(entry.error())));
    }
    const bool left = entry && entry->value.empty();  // closed, recorded, and out of the bucket
    std::string there = entry && !left ? std::move(entry->value) : std::string();
    const std::uint64_t revision = entry ? entry->revision : 0;
    // A name without any trace was hardly ever used before: the store is asked about it only while
    // it answers.
    if (there.empty() && named && (left || !recorded_.silent())) {
      auto recorded =
          co_await recorded_.ask(caller, request.session_id, left ? kWaitUntilKnown : kWaitIfKnown);
      if (!recorded && left) co_return wire::refuse(std::move(recorded.error()));
      if (recorded && *recorded && !is_deleted(**recorded)) {
        CO_RETURN_IF_ERROR(check_reopen(**recorded, request.namespaces));
        auto session = session_of(std::move(**recorded), revision);
        if (!is_open(*session)) co_return Opened{std::move(session), false};
        CO_RETURN_IF_ERROR(counted_.admit_entry(wire::owner_name(caller), revision));
        auto put = co_await bus_.put_session(key, proto::encode(session->record), revision);
        if (put) co_return Opened{remember(session->record, *put), false};
        last = std::move(put.error());
        if (last.code != ErrorCode::kWrongLastSequence && last.code != ErrorCode::kTimeout) break;
        continue;
      }
    }
    if (!there.empty()) {
      CO_ASSIGN_OR_RETURN(auto old, proto::decode_session(there));
      if (!is_deleted(old)) co_return open_again(std::move(old), revision, request, fresh);
      const auto deleted = remember(std::move(old), revision)->key;
      CO_RETURN_IF_ERROR(
          co_await await_deleted(caller, request.session_id, deleted, kWaitUntilKnown));
    }
    const std::size_t taken = bus::entry_bytes(bytes.size());
    CO_RETURN_IF_ERROR(admit_new(caller, taken));
    const BeginningSession beginning = counted_.begin(wire::owner_name(caller), taken);
    auto stored = co_await bus_.put_session(key, bytes, revision);
    if (stored) co_return Opened{remember(fresh, *stored), true};
    last = std::move(stored.error());
    if (last.code != ErrorCode::kWrongLastSequence && last.code != ErrorCode::kTimeout) break;
  }
  co_return wire::refuse(write_problem(std::move(last)));
}

}  // namespace toolway::gateway::sessions

#include "persistence/reaper/call_reaper.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>

#include "base/log.h"
#include "base/try.h"
#include "bus/answer.h"
#include "persistence/reaper/reaper_log.h"
#include "persistence/store/call_search.h"
#include "proto/codec.h"
#include "proto/log_fields.h"

namespace toolway::persistence::reaper {
namespace {

constexpr std::size_t kPage = 1000;
/// How long a round searches at most, so that what is due gets its turn.
constexpr std::chrono::milliseconds kMaxSearchTime{500};
constexpr std::size_t kLooksPerRound = 2000;
constexpr std::size_t kLooksPerQuery = 200;
constexpr std::size_t kIdsPerQuery = 5000;
constexpr std::size_t kAskForAll = 20'000;

WallTime submitted_at(const ReapFacts& facts) {
  return from_unix_us(facts.request.submitted_at_us());
}

/// What one query reads at most. The slow search does one a round: five minutes for two days.
constexpr std::chrono::minutes kSearchSlice{10};

void record_ended(const v1::CallRequest& call, const Decision& decision) {
  if (!logs_records()) return;
  auto fields = proto::log_fields(call);
  fields["outcome"] = proto::outcome_name(decision.outcome);
  fields["code"] = code_name(decision.code);
  fields["action"] = decision.action;
  log_record(spdlog::level::warn, "call_ended", fields);
}

}  // namespace

CallReaper::CallReaper(bus::Bus& bus, const Clock& clock, ElectedConnection& connection,
                       ReaperMetrics& metrics, const ReaperOptions& options)
    : bus_(bus),
      clock_(clock),
      recorded_(connection),
      metrics_(metrics),
      options_(options),
      queue_(bus),
      retries_(bus, recorded_) {}

void CallReaper::begin_anew() {
  watched_.clear();
  retries_.begin_anew();
  searched_ = store::first_call_id(clock_.wall() - options_.window);
  again_ = searched_;
  held_ = asking_ = {};
  next_count_ = {};
}

Result<void> CallReaper::round(WallTime recorded) {
  RETURN_IF_ERROR(queue_.refresh());
  const auto now = clock_.wall();
  const auto upto = std::min(now, recorded) - options_.settle;
  ASSIGN_OR_RETURN(const auto searched, search(upto));
  RETURN_IF_ERROR(search_again());
  RETURN_IF_ERROR(search_old());
  RETURN_IF_ERROR(search_newly_held(upto));
  RETURN_IF_ERROR(look_at_retries(recorded));
  RETURN_IF_ERROR(look_at_due(recorded));
  if (searched) {
    RETURN_IF_ERROR(count_by_session());
  }
  metrics_.watched(watched_.size(), watched_.oldest(), now);
  return {};
}

Result<bool> CallReaper::search(WallTime upto) {
  const auto end = store::first_call_id(upto);
  const auto begun = clock_.monotonic();
  while (searched_ < end && clock_.monotonic() - begun < kMaxSearchTime) {
    RETURN_IF_ERROR(search_page(searched_, end));
  }
  return searched_ >= end;
}

/// A call may be stored long after its id was made: its gateway was slow, or its request was
/// repeated under an Idempotency-Key. The first search has passed it by then.
Result<void> CallReaper::search_again() {
  const auto window_begin = store::first_call_id(clock_.wall() - options_.window);
  if (again_ < window_begin || again_ >= searched_) again_ = window_begin;
  return again_ < searched_ ? search_page(again_, searched_) : Result<void>();
}

/// A call may wait for approval, or parked for an answer, for longer than others are searched for.
Result<void> CallReaper::search_old() {
  const auto oldest = clock_.wall() - options_.rules.longest_hold;
  if (!held_.all) {
    ASSIGN_OR_RETURN(const auto page, recorded_.held(held_.upto, kPage, oldest));
    watch_new(page);
    held_.searched(page, kPage);
  }
  if (!asking_.all) {
    const auto from = std::max(asking_.upto, store::first_call_id(oldest));
    const auto before = store::first_call_id(clock_.wall() - options_.window);
    ASSIGN_OR_RETURN(const auto page, recorded_.asking(from, before, kPage));
    watch_new(page);
    asking_.searched(page, kPage);
  }
  return {};
}

Result<void> CallReaper::search_newly_held(WallTime upto) {
  ASSIGN_OR_RETURN(const auto page, recorded_.newly_held(store::first_call_id(upto), kPage));
  watch_new(page);
  return {};
}

void CallReaper::watch_new(const std::vector<ReapFacts>& page) {
  for (const auto& facts : page)
    if (watched_.find(facts.request.call_id()) == nullptr) watch(facts, clock_.wall());
}

void CallReaper::OldSearch::searched(const std::vector<ReapFacts>& page, std::size_t limit) {
  all = page.size() < limit;
  if (!page.empty()) upto = page.back().request.call_id();
}

/// Continues from `at` by a page, or by a slice of time, which bounds what a query reads.
Result<void> CallReaper::search_page(std::string& at, const std::string& upto) {
  const auto end = std::min(upto, store::first_call_id(call_id_time(at) + kSearchSlice));
  ASSIGN_OR_RETURN(auto page, recorded_.incomplete(at, end, kPage));
  for (const auto& facts : page) {
    const auto* known = watched_.find(facts.request.call_id());
    // An event of a call from which none was expected before its limit.
    const bool news = known != nullptr && !known->begun && facts.last.has_value();
    if (known == nullptr || news) watch(facts, clock_.wall());
  }
  at = page.size() < kPage ? end : page.back().request.call_id();
  return {};
}

void CallReaper::watch(const ReapFacts& facts, WallTime look_at) {
  watched_.put(facts.request.call_id(),
               {.submitted_at = from_unix_us(facts.request.submitted_at_us()),
                .session_key = facts.request.session_key(),
                .pool = facts.request.pool(),
                .published = facts.published,
                .begun = facts.last.has_value(),
                .held_since = held(facts) ? std::optional(submitted_at(facts)) : std::nullopt,
                .limit = limit_of(facts, options_.rules),
                .republished_at = facts.republished_at},
               look_at);
}

/// Updates watched calls whose attempt has ended, and from now on watches those too young to be
/// searched.
Result<void> CallReaper::look_at_retries(WallTime recorded) {
  ASSIGN_OR_RETURN(const auto page, retries_.find(clock_.wall() - options_.rules.longest_hold));
  ASSIGN_OR_RETURN(const auto looked, look_at_all(page.calls(options_.rules), recorded));
  if (looked) retries_.found(page);
  return {};
}

Result<void> CallReaper::look_at_due(WallTime recorded) {
  const auto now = clock_.wall();
  std::vector<std::string> ids;
  for (auto& id : watched_.due(now, kLooksPerRound)) {
    const auto& call = *watched_.find(id);
    const auto later = now + options_.rules.silence;
    // Most of what waits in a long queue: no worker has it, and its limit has not passed.
    if (!call.begun && !call.held_since && (!call.limit || now < *call.limit) &&
        queue_.surely_queued(call)) {
      watched_.look_at(id, call.limit ? std::min(*call.limit, later) : later);
    } else {
      ids.push_back(std::move(id));
    }
  }
  // Those not looked at stay due.
  RETURN_IF_ERROR(look_at_all(ids, recorded));
  return {};
}

Result<bool> CallReaper::look_at_all(const std::vector<std::string>& ids, WallTime recorded) {
  for (std::size_t first = 0; first < ids.size(); first += kLooksPerQuery) {
    const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end =
        ids.begin() + static_cast<std::ptrdiff_t>(std::min(first + kLooksPerQuery, ids.size()));
    ReapRound round(options_.rules, recorded, clock_.monotonic());
    ASSIGN_OR_RETURN(auto page, recorded_.facts({begin, end}));
    std::set<std::string> gone(begin, end);
    for (auto& facts : page) {
      gone.erase(facts.request.call_id());
      const auto looked = look_at(round, std::move(facts));
      if (!looked || !*looked) return looked;
    }
    // Their partition was dropped, or this version cannot read them.
    for (const auto& id : gone) watched_.forget(id);
  }
  return true;
}

/// Calls completed since they were last looked at are forgotten first: one index look-up for each.
/// Of very many, only those that a worker may have got; those cancelled in their queue then count
/// until their limit.
Result<void> CallReaper::count_by_session() {
  if (clock_.monotonic() < next_count_) return {};
  next_count_ = clock_.monotonic() + options_.measure_every;
  const bool all = watched_.size() <= kAskForAll;
  const auto ids = watched_.where(
      [&](const WatchedCall& call) { return all || call.begun || !queue_.surely_queued(call); });
  for (std::size_t first = 0; first < ids.size(); first += kIdsPerQuery) {
    const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end =
        ids.begin() + static_cast<std::ptrdiff_t>(std::min(first + kIdsPerQuery, ids.size()));
    ASSIGN_OR_RETURN(const auto completed, recorded_.completed({begin, end}));
    for (const auto& id : completed) watched_.forget(id);
  }
  metrics_.sessions(incomplete_sessions(watched_.by_session()));
  const auto held = watched_.held();
  metrics_.approvals(held.calls, held.oldest, clock_.wall());
  return {};
}

Result<bool> CallReaper::look_at(ReapRound& round, ReapFacts facts) {
  const auto id = facts.request.call_id();
  if (const auto* known = watched_.find(id)) facts.republished_at = known->republished_at;
  ReapStep step = round.look_at(std::move(facts), clock_.monotonic(), clock_.wall());
  for (;;) {
    switch (step.kind) {
      case ReapStep::Kind::kAskQueueState:
        step = round.queue_state(queue_.state_of(round.facts().published));
        break;
      case ReapStep::Kind::kReadLog: {
        ASSIGN_OR_RETURN(auto last, last_in_stream(bus_, round.facts().request));
        step = round.read(std::move(last), clock_.monotonic());
        break;
      }
      case ReapStep::Kind::kForget: watched_.forget(id); return true;
      case ReapStep::Kind::kWatch: watch(round.facts(), step.look_at); return true;
      case ReapStep::Kind::kPublish:
      case ReapStep::Kind::kRequestApproval:
      case ReapStep::Kind::kComplete: {
        watch(round.facts(), step.look_at);
        RETURN_IF_ERROR(act(round, step));
        return true;
      }
      case ReapStep::Kind::kAskPostgres: return false;
    }
  }
}

Result<void> CallReaper::act(const ReapRound& round, const ReapStep& step) {
  const auto& id = round.facts().request.call_id();
  const Decision& decision = step.decision;
  const bool completes = step.kind == ReapStep::Kind::kComplete;
  auto done = completes                               ? complete(round)
              : step.kind == ReapStep::Kind::kPublish ? publish_again(round)
                                                      : request_approval(round);
  if (done) {
    spdlog::info("call {}: {} ({})", id, completes ? "completed" : "published", decision.action);
    metrics_.acted(decision.action);
    if (completes) {
      metrics_.completed(round.facts().request, decision.outcome);
      record_ended(round.facts().request, decision);
    }
    return {};
  }
  // Another writer was first, or the pool has no queue: the next look sees it.
  if (done.error().code == ErrorCode::kWrongLastSequence) return {};
  if (done.error().code == ErrorCode::kPoolUnavailable) {
    spdlog::warn("call {} cannot be published again: {}", id, done.error().message);
    watched_.look_at(id, clock_.wall() + options_.rules.silence);
    return {};
  }
  return done;
}

Result<void> CallReaper::publish_again(const ReapRound& round) {
  auto published = round.facts();
  ASSIGN_OR_RETURN(auto subject, queue_.subject_of(published.request));
  ASSIGN_OR_RETURN(auto request, recorded_.request(published.request.call_id()));
  ASSIGN_OR_RETURN(auto publication, round.publication(std::move(request), std::move(subject)));
  ASSIGN_OR_RETURN(auto stored, bus::answer_of<bus::PubAck>([&](auto handler) {
                     bus_.publish(std::move(publication), handler);
                   }));
  published.republished_at = clock_.wall();
  published.published.sequence = stored.sequence;
  // The next silence begins now.
  watch(published, *published.republished_at + options_.rules.silence);
  return {};
}

Result<void> CallReaper::request_approval(const ReapRound& round) {
  ASSIGN_OR_RETURN(auto request, recorded_.request(round.facts().request.call_id()));
  ASSIGN_OR_RETURN(auto publication, round.approval_request(request, clock_.wall()));
  RETURN_IF_ERROR(bus::answer_of<bus::PubAck>(
      [&](auto handler) { bus_.publish(std::move(publication), handler); }));
  return {};
}

Result<void> CallReaper::complete(const ReapRound& round) {
  ASSIGN_OR_RETURN(auto publication, round.completion(clock_.wall()));
  RETURN_IF_ERROR(bus::answer_of<bus::PubAck>(
      [&](auto handler) { bus_.publish(std::move(publication), handler); }));
  return {};
}

}  // namespace toolway::persistence::reaper

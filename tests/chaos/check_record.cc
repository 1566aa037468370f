#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tests/chaos/checker.h"

namespace toolway::chaos {
namespace {

/// Heartbeats take a number of the chain every 10 s from an attempt's start on, whatever else it
/// writes, and are not shown.
constexpr std::int64_t kAliveEvery = 9000000;

/// The numbers of an attempt that are not shown, against the time that it had for heartbeats.
class HiddenNumbers {
 public:
  /// `skipped`: right before an event of this time. False: there are too many.
  bool take(std::int64_t time_us, unsigned skipped) {
    // A clock may be set back.
    if (last_us_ != 0) elapsed_us_ += std::max<std::int64_t>(time_us - last_us_, 0);
    last_us_ = time_us;
    hidden_ += skipped;
    const bool fine = hidden_ <= elapsed_us_ / kAliveEvery;
    if (!fine) hidden_ = 0;
    return fine;
  }
  /// Before an event that a gateway wrote, by its own clock.
  void take(unsigned skipped) { hidden_ += skipped; }
  void begin_attempt() { elapsed_us_ = hidden_ = 0; }

 private:
  std::int64_t last_us_ = 0;
  std::int64_t elapsed_us_ = 0;
  std::int64_t hidden_ = 0;
};

bool same(const EventSeen& one, const EventSeen& other) {
  return one.id == other.id && one.digest == other.digest;
}

/// Where two lists diverge; nothing when they do not.
std::string difference(const std::vector<EventSeen>& record, const std::vector<EventSeen>& other) {
  const auto [here, there] =
      std::mismatch(record.begin(), record.end(), other.begin(), other.end(), same);
  if (here == record.end() && there == other.end()) return {};
  return fmt::format("{} events against {}; they diverge at {} against {}", record.size(),
                     other.size(), here == record.end() ? "the end" : here->id.text(),
                     there == other.end() ? "the end" : there->id.text());
}

/// The events of a gateway as Postgres counts them: a merged start has no row of its own.
std::vector<EventRow> rows_of(const std::vector<EventSeen>& events) {
  std::vector<EventRow> rows;
  for (const auto& event : events)
    if (event.id.number % 2 == 0)
      rows.push_back({event.id.incarnation, event.id.number / 2, event.call_id, event.type,
                      event.attempt, event.seq});
  return rows;
}

void check_chain(const std::string& session, const std::string& call,
                 const std::vector<const EventSeen*>& chain, Verdicts& verdicts) {
  const auto wrong = [&](Property property, const std::string& what) {
    verdicts.violated(property, {what, session, call});
  };
  verdicts.checked(Property::kChain);
  unsigned seq = 0;
  unsigned attempt = 0;
  HiddenNumbers hidden;
  bool completed = false;
  for (const auto* event : chain) {
    if (completed)
      wrong(Property::kChain,
            fmt::format("{} (seq {}) after the completion", event->type, event->seq));
    const bool by_gateway = event->type == "input_provided" || event->type == "cancel_requested";
    const auto skipped = event->seq > seq ? event->seq - seq - 1 : 0;
    if (by_gateway) hidden.take(skipped);
    if (event->seq <= seq || (!by_gateway && !hidden.take(event->time_us, skipped)))
      wrong(Property::kChain, fmt::format("seq {} follows {} ({})", event->seq, seq, event->type));
    if (event->attempt < attempt)
      wrong(Property::kChain, fmt::format("attempt {} follows {}", event->attempt, attempt));
    if (event->attempt != attempt) hidden.begin_attempt();
    seq = event->seq;
    attempt = event->attempt;
    completed = completed || event->type == "completed";
  }
  const auto completions = std::count_if(
      chain.begin(), chain.end(), [](const auto* event) { return event->type == "completed"; });
  verdicts.expect(Property::kOneCompletion, completions <= 1,
                  {fmt::format("{} completions in the record", completions), session, call});
}

/// The workload's tool that requires approval by one.
constexpr std::string_view kGuarded = "guarded";

void check_approval(const std::string& session, const std::string& call,
                    const std::vector<const EventSeen*>& chain, Verdicts& verdicts) {
  unsigned decisions = 0;
  bool held = false;
  bool approved = false;
  for (const auto* event : chain) {
    held = held || event->tool == kGuarded || event->type == "approval_requested";
    if (!held) continue;
    decisions += event->type == "approval_decided" ? 1 : 0;
    approved = approved || event->approved;
    if (event->type == "started")
      verdicts.expect(Property::kApproval, approved,
                      {"it started before it was approved", session, call});
  }
  if (!held) return;
  verdicts.expect(Property::kApproval, decisions <= 1,
                  {fmt::format("{} decisions", decisions), session, call});
}

void check_steps(const std::string& session, const std::string& call,
                 const std::vector<const EventSeen*>& chain, Verdicts& verdicts) {
  unsigned attempt = 0;
  std::uint64_t step = 0;
  for (const auto* event : chain) {
    if (event->attempt != attempt) step = 0;
    attempt = event->attempt;
    for (const auto next : event->steps) {
      verdicts.expect(
          Property::kSteps, next == step + 1,
          {fmt::format("attempt {}: step {} follows {}", attempt, next, step), session, call});
      step = next;
    }
    if (event->type == "completed" && event->outcome == "succeeded" && event->total_steps != 0)
      verdicts.expect(Property::kSteps, step == event->total_steps,
                      {fmt::format("attempt {} succeeded with {} steps, {} were reported", attempt,
                                   event->total_steps, step),
                       session, call});
  }
}

}  // namespace

void check_agreement(const SessionEnd& end, Verdicts& verdicts) {
  if (end.views.empty()) return;
  const auto& record = end.views.front().page;
  const auto expect = [&](const std::string& difference_found, const std::string& who,
                          const std::string& call = {}) {
    verdicts.expect(Property::kAgreement, difference_found.empty(),
                    {who + ": " + difference_found, end.session, call});
  };
  for (const auto& view : end.views) {
    expect(difference(record, view.page), view.gateway + " pages");
    expect(difference(record, view.replay), view.gateway + " stream from 0");
    for (const auto& call : end.calls) {
      const auto shown = view.calls.find(call.call_id);
      const auto& first = end.views.front().calls;
      if (shown == view.calls.end())
        expect("does not list the call", view.gateway, call.call_id);
      else if (shown->second.outcome != call.outcome)
        expect(fmt::format("outcome '{}', Postgres has '{}'", shown->second.outcome, call.outcome),
               view.gateway, call.call_id);
      else if (const auto other = first.find(call.call_id);
               other != first.end() && other->second.digest != shown->second.digest)
        expect("a different end than at " + end.views.front().gateway, view.gateway, call.call_id);
      else
        expect("", "");
    }
    for (const auto& [call, shown] : view.single) {
      const auto listed = view.calls.find(call);
      expect(listed != view.calls.end() && listed->second.digest == shown.digest
                 ? ""
                 : "shows the call differently than it lists it",
             view.gateway, call);
    }
  }
  const auto shown = rows_of(record);
  const auto equal = [](const EventRow& one, const EventRow& other) {
    return one.incarnation == other.incarnation && one.sequence == other.sequence &&
           one.call_id == other.call_id && one.type == other.type && one.attempt == other.attempt &&
           one.seq == other.seq;
  };
  const auto [here, there] =
      std::mismatch(shown.begin(), shown.end(), end.events.begin(), end.events.end(), equal);
  const bool agree = here == shown.end() && there == end.events.end();
  expect(
      agree
          ? ""
          : fmt::format(
                "gateway shows {} events, Postgres has {}; they diverge at sequence {} against {}",
                shown.size(), end.events.size(), here == shown.end() ? 0 : here->sequence,
                there == end.events.end() ? 0 : there->sequence),
      "Postgres");
}

void check_chains(const SessionEnd& end, Verdicts& verdicts) {
  if (end.views.empty()) return;
  std::map<std::string, std::vector<const EventSeen*>> chains;
  for (const auto& event : end.views.front().page) chains[event.call_id].push_back(&event);
  for (const auto& [call, chain] : chains) {
    check_chain(end.session, call, chain, verdicts);
    check_steps(end.session, call, chain, verdicts);
    check_approval(end.session, call, chain, verdicts);
    for (const auto* event : chain)
      verdicts.expect(Property::kPrivacy, event->owners.empty() || event->owners == end.user,
                      {fmt::format("a token of {} in an event of {}", event->owners, end.user),
                       end.session, call});
  }
}

std::vector<Broken> broken_attempts(const std::vector<EventSeen>& record) {
  struct Last {
    unsigned attempt = 0;
    std::string worker;
    std::int64_t time_us = 0;
    bool waits = false;  ///< for a retry, or for its cancelling: no attempt is broken
    std::string tool{};
  };
  std::map<std::string, Last> calls;
  std::vector<Broken> found;
  for (const auto& event : record) {
    auto& last = calls[event.call_id];
    const bool taken_over =
        event.attempt > last.attempt || (event.type == "completed" && event.outcome == "unknown");
    if (last.attempt != 0 && !last.waits && taken_over)
      found.push_back({last.worker, last.time_us, event.time_us, event.call_id, last.tool});
    if (!event.tool.empty()) last.tool = event.tool;
    last.attempt = event.attempt;
    last.time_us = event.time_us;
    last.waits = event.type == "retry_at" || event.type == "cancel_requested";
    if (!event.worker.empty()) last.worker = event.worker;
  }
  return found;
}

void see_workers(const std::vector<EventSeen>& record, LastSeen& seen) {
  std::map<std::string, std::pair<unsigned, std::string>> running;
  for (const auto& event : record) {
    auto& [attempt, worker] = running[event.call_id];
    if (!event.worker.empty()) worker = event.worker, attempt = event.attempt;
    // A completion may be another's: the worker that took over, or the reaper.
    if (worker.empty() || event.attempt != attempt || event.outcome == "unknown" ||
        event.outcome == "lost")
      continue;
    seen[worker] = std::max(seen[worker], event.time_us);
  }
}

std::vector<std::int64_t> recovery_times(const std::vector<Broken>& broken, const LastSeen& seen,
                                         const std::vector<std::int64_t>& kills_us) {
  std::vector<std::int64_t> times;
  for (const auto& attempt : broken) {
    const auto last = seen.find(attempt.worker);
    if (last == seen.end()) continue;
    const auto kill = std::lower_bound(kills_us.begin(), kills_us.end(), last->second);
    if (kill != kills_us.end() && *kill >= attempt.last_us && *kill < attempt.next_us)
      times.push_back(attempt.next_us - *kill);
  }
  std::sort(times.begin(), times.end());
  return times;
}

}  // namespace toolway::chaos

#include <fmt/format.h>

#include <map>
#include <set>
#include <unordered_map>

#include "tests/chaos/call_choice.h"
#include "tests/chaos/checker.h"

namespace toolway::chaos {
namespace {

/// All requests that carried one token: one, or those that repeat it with their key.
struct Requested {
  const Post* first = nullptr;
  std::set<std::string> accepted;  ///< call_ids
  unsigned unnamed = 0;            ///< were accepted, and their client has not learned the call_id
  unsigned unknown = 0;
};

/// A call that a model made, or a turn that begins by itself: check_turn_calls and check_turns
/// judge those.
bool is_made_by_turns(const CallRow& call) {
  return !call.parent.empty() || (call.tool == kTurnTool && call.token.empty());
}

std::map<std::string, Requested> by_token(const std::vector<Post>& posts) {
  std::map<std::string, Requested> requests;
  for (const auto& post : posts) {
    auto& request = requests[post.token];
    if (request.first == nullptr) request.first = &post;
    if (post.fate == Fate::kAccepted && post.call_id.empty()) ++request.unnamed;
    if (post.fate == Fate::kAccepted && !post.call_id.empty())
      request.accepted.insert(post.call_id);
    if (post.fate == Fate::kUnknown) ++request.unknown;
  }
  return requests;
}

}  // namespace

void check_requests(const Everything& all, Verdicts& verdicts) {
  auto requests = by_token(all.posts);
  std::map<std::string, std::vector<const CallRow*>> calls;
  std::unordered_map<std::string, const CallRow*> by_id;
  for (const auto& call : all.calls) {
    calls[call.token].push_back(&call);
    by_id[call.call_id] = &call;
  }
  for (auto& [token, request] : requests) {
    const auto& session = request.first->session;
    const auto found = calls.find(token);
    // Its client knows only that there is one.
    if (request.unnamed > 0 && request.accepted.empty())
      request.accepted.insert(found == calls.end() ? "" : found->second.front()->call_id);
    for (const auto& id : request.accepted) {
      const auto named = by_id.find(id);
      const bool there = named != by_id.end();
      verdicts.expect(
          Property::kOneCompletion, there && !named->second->outcome.empty(),
          {there ? "accepted, and not completed" : "accepted, and not recorded", session, id});
      if (there)
        verdicts.expect(Property::kAgreement,
                        named->second->token == token && named->second->user == request.first->user,
                        {"recorded with another request's arguments or user", session, id});
    }
    if (!request.first->key.empty())
      verdicts.expect(
          Property::kIdempotencyKey, request.accepted.size() <= 1,
          {fmt::format("{} calls for the key {}", request.accepted.size(), request.first->key),
           session, request.accepted.empty() ? std::string() : *request.accepted.begin()});
    const auto there = found == calls.end() ? 0 : found->second.size();
    const bool keyed = !request.first->key.empty();
    // Without a key each unknown request may have been one call more.
    const auto most =
        request.accepted.size() +
        (keyed ? (request.accepted.empty() && request.unknown > 0 ? 1 : 0) : request.unknown);
    const auto property =
        keyed && there > 1 ? Property::kIdempotencyKey : Property::kRefusedNeverRan;
    verdicts.expect(
        property, there <= most,
        {fmt::format("{} calls are recorded for {}, of which {} accepted and {} unknown", there,
                     token, request.accepted.size(), request.unknown),
         session, there == 0 ? std::string() : found->second.front()->call_id});
  }
  for (const auto& call : all.calls)
    verdicts.expect(Property::kRefusedNeverRan,
                    requests.contains(call.token) || is_made_by_turns(call),
                    {fmt::format("a call that no client asked for, token '{}'", call.token),
                     call.session, call.call_id});
}

void check_traces(const Everything& all, Verdicts& verdicts) {
  std::unordered_map<std::string, const CallRow*> calls;
  for (const auto& call : all.calls) calls[call.call_id] = &call;
  std::map<std::string, std::vector<const Trace*>> traces;
  for (const auto& trace : all.traces) traces[trace.call_id].push_back(&trace);
  for (const auto& [id, starts] : traces) {
    const auto found = calls.find(id);
    verdicts.expect(Property::kRefusedNeverRan, found != calls.end(),
                    {"a tool ran for a call that is not recorded", {}, id});
    if (found == calls.end()) continue;
    const auto rules = rules_of(found->second->tool);
    if (rules.idempotent) continue;
    std::set<unsigned> attempts;
    for (const auto* start : starts) attempts.insert(start->attempt);
    // A retry policy with codes allows attempts, each of which may start once.
    verdicts.expect(Property::kOneStart,
                    starts.size() == attempts.size() && starts.size() <= rules.attempts,
                    {fmt::format("{} started {} times, in {} attempts", found->second->tool,
                                 starts.size(), attempts.size()),
                     found->second->session, id});
  }
  for (const auto& call : all.calls) {
    if (!rules_of(call.tool).leaves_traces || call.outcome != "succeeded") continue;
    verdicts.expect(Property::kAgreement, traces.contains(call.call_id),
                    {call.tool + " succeeded and left no trace", call.session, call.call_id});
  }
}

void check_looks(const std::vector<Look>& looks, const std::vector<CallRow>& calls,
                 Verdicts& verdicts) {
  std::unordered_map<std::string, const CallRow*> by_id;
  for (const auto& call : calls) by_id[call.call_id] = &call;
  for (const auto& look : looks) {
    if (look.user != look.owner) {
      verdicts.expect(
          Property::kPrivacy,
          look.status != 200 && look.owners.find(look.owner) == std::string::npos,
          {fmt::format("{} asked for what is {}'s and got {}", look.user, look.owner, look.status),
           {},
           look.call_id});
      continue;
    }
    verdicts.expect(
        Property::kPrivacy, look.owners.empty() || look.owners == look.user,
        {fmt::format("{} was shown a token of {}", look.user, look.owners), {}, look.call_id});
    const auto found = by_id.find(look.call_id);
    if (look.outcome.empty() || found == by_id.end()) continue;
    verdicts.expect(Property::kAgreement, found->second->outcome == look.outcome,
                    {fmt::format("{} showed {}, but at the end it is {}", look.gateway,
                                 look.outcome, found->second->outcome),
                     found->second->session, look.call_id});
  }
}

void check_crowd(const std::vector<Trace>& crowd, const std::vector<CallRow>& calls,
                 Verdicts& verdicts) {
  for (const auto& call : calls)
    if (call.tool.ends_with("pair_again")) verdicts.checked(Property::kRunsAtOnce);
  for (const auto& trace : crowd)
    verdicts.violated(
        Property::kRunsAtOnce,
        {fmt::format("attempt {} began while as many ran as the limit allows", trace.attempt), "",
         trace.call_id});
}

}  // namespace toolway::chaos

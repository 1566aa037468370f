// Keys and policies: from when on each gateway must know what an operator did.
#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

#include "tests/chaos/checker.h"

namespace toolway::chaos {

const char* ruling_name(Ruling ruling) {
  switch (ruling) {
    case Ruling::kRuns: return "runs";
    case Ruling::kRefused: return "is refused";
    case Ruling::kHeld: return "is held";
  }
  return "";
}

namespace {

constexpr int kUnauthenticated = 401;
constexpr std::size_t kRulings = 3;

bool tells(int status) { return status != 0 && status != 429 && status != 503; }

void check_key_use(const KeyUse& use, const KeyLife& key, const Outages& outages,
                   Verdicts& verdicts) {
  if (!tells(use.status)) return;
  const auto settled = outages.settled(use.gateway, use.at_us);
  const auto ago = [&](std::int64_t since) { return static_cast<double>(use.at_us - since) / 1e6; };
  if (key.revoked_us != 0 && key.revoked_us <= settled)
    verdicts.expect(Property::kRevocation, use.status == kUnauthenticated,
                    {fmt::format("{} answered {} to key {}, which had been revoked {:.1f} s before",
                                 use.gateway, use.status, key.id, ago(key.revoked_us)),
                     key.id,
                     {}});
  const bool was_good = key.revoking_us == 0 || use.done_us < key.revoking_us;
  if (was_good && key.made_us <= settled)
    verdicts.expect(Property::kNewKey, use.status != kUnauthenticated,
                    {fmt::format("{} did not take key {}, which had been made {:.1f} s before",
                                 use.gateway, key.id, ago(key.made_us)),
                     key.id,
                     {}});
}

/// What a gateway's answer to a request for kBarredTool says of the policy; nothing: not at all.
std::optional<Ruling> ruling_of(const Post& post) {
  if (post.code == "permission_denied" || post.code == "tool_disabled") return Ruling::kRefused;
  if (post.fate != Fate::kAccepted) return std::nullopt;
  return post.held ? Ruling::kHeld : Ruling::kRuns;
}

/// What may be in force for a request: the last version that must be known, and those that came
/// after it.
std::set<Ruling> possible(const std::vector<PolicyPut>& puts, std::int64_t settled,
                          std::int64_t done_us) {
  std::set<Ruling> rulings;
  for (const auto& put : puts) {
    if (put.begun_us > done_us) break;
    if (put.acked_us != 0 && put.acked_us <= settled) rulings.clear();
    rulings.insert(put.ruling);
  }
  return rulings;
}

std::string names_of(const std::set<Ruling>& rulings) {
  std::string text;
  for (const auto ruling : rulings)
    text += fmt::format("{}{}", text.empty() ? "" : " or ", ruling_name(ruling));
  return text;
}

}  // namespace

void check_keys(const std::vector<KeyLife>& keys, const std::vector<KeyUse>& uses,
                const Outages& outages, Verdicts& verdicts) {
  std::map<std::string, const KeyLife*> by_id;
  for (const auto& key : keys) by_id[key.id] = &key;
  for (const auto& use : uses)
    if (const auto key = by_id.find(use.key_id); key != by_id.end())
      check_key_use(use, *key->second, outages, verdicts);
}

void check_policies(const std::vector<PolicyPut>& puts, const std::vector<Post>& posts,
                    const Outages& outages, Verdicts& verdicts) {
  for (const auto& post : posts) {
    // With a key it may be the answer to an earlier request.
    if (post.tool != kBarredTool || post.done_us == 0 || !post.key.empty()) continue;
    const auto ruling = ruling_of(post);
    if (!ruling) continue;
    const auto settled = outages.settled(post.gateway, post.at_us);
    const auto fine = possible(puts, settled, post.done_us);
    // What may have been decided in any way shows nothing.
    if (fine.size() == kRulings) continue;
    verdicts.expect(Property::kPolicy, fine.contains(*ruling),
                    {fmt::format("at {} {} {}, and by the policies of {:.1f} s before it {}",
                                 post.gateway, post.token, ruling_name(*ruling),
                                 static_cast<double>(post.at_us - settled) / 1e6, names_of(fine)),
                     post.session, post.call_id.empty() ? post.token : post.call_id});
  }
}

void check_refused_traces(const std::vector<Post>& posts, const std::vector<Trace>& traces,
                          Verdicts& verdicts) {
  // A token that was refused once may have been accepted with the same idempotency key later.
  std::map<std::string, bool> refused;
  for (const auto& post : posts) {
    const auto [it, first] = refused.emplace(post.token, true);
    it->second = it->second && post.fate == Fate::kRefused;
  }
  for (const auto& trace : traces)
    if (const auto found = refused.find(trace.token); found != refused.end())
      verdicts.expect(Property::kRefusedNeverRan, !found->second,
                      {trace.token + " was refused, and its tool ran", {}, trace.call_id});
}

}  // namespace toolway::chaos

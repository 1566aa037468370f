#include "tests/chaos/operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "base/pause.h"
#include "base/sha256.h"
#include "tests/chaos/users.h"

namespace toolway::chaos {
namespace {

/// What a verb says when what it did is in force, and the audit could not be told.
constexpr std::string_view kNotRecorded = "the audit has no record of it";

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

Operator::Operator(const Options& options, Fleet& fleet, KeyBook& book, History& history)
    : options_(options),
      fleet_(fleet),
      book_(book),
      history_(history),
      random_(options.seed + 7919),
      deeds_{.puts = {{.acked_us = 1}}},  // what was in force when the fleet started
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void Operator::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void Operator::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    switch (random_.between(0, 2)) {
      case 0: put_policy(); break;
      case 1: make_key(); break;
      default: revoke_key(); break;
    }
    pause(std::chrono::milliseconds(random_.between(200, 2500)), stop);
  }
}

std::string Operator::rule(Ruling ruling) {
  const auto name = fmt::format("v{}", ++versions_);
  switch (ruling) {
    case Ruling::kRuns: return fmt::format("{{name: {}, tools: chaos.none, refuse: off}}", name);
    case Ruling::kHeld:
      return fmt::format("{{name: {}, tools: {}, approval: always}}", name, kBarredTool);
    case Ruling::kRefused: break;
  }
  return fmt::format("{{name: {}, tools: {}, refuse: {}}}", name, kBarredTool,
                     random_.chance(0.5)
                         ? "turned off"
                         : "{message: turned off, code: tool_disabled, retry_after_s: 2}");
}

/// The policy as it was at first, with one rule more.
void Operator::put_policy() {
  static const std::vector<Ruling> kRulings{Ruling::kRuns, Ruling::kRefused, Ruling::kRefused,
                                            Ruling::kHeld};
  const auto file = fmt::format("{}/run/policy.yaml", options_.directory);
  PolicyPut put{.ruling = random_.pick(kRulings)};
  const auto text = text_of(options_.directory + "/tools/extensions.yaml") +
                    fmt::format("  - {}\n", rule(put.ruling));
  std::ofstream(file) << text;
  put.begun_us = now_us();
  const auto end = fleet_.verb("extensions", {"put", file});
  if (end.status == 0) put.acked_us = now_us();
  deeds_.puts.push_back(put);
  const bool told = end.status == 0 && end.output.find(kNotRecorded) == std::string::npos;
  if (told)
    deeds_.policies.push_back("sha256:" + sha256_hex(text));
  else
    ++deeds_.not_told;
  history_.note("operator", fmt::format("put policy {}, by which {} {}: {}", versions_, kBarredTool,
                                        ruling_name(put.ruling), end.status));
}

void Operator::make_key() {
  const auto holders = std::max(options_.key_holders, 1U);
  const auto user = key_holders_user(static_cast<unsigned>(random_.between(0, holders - 1)));
  const auto end = fleet_.verb("keys", {"create", "--user", user, "-o", "json"});
  const auto key = end.status == 0 ? read_made_key(end.output) : std::nullopt;
  if (key) book_.made(*key);
  if (key && end.output.find(kNotRecorded) == std::string::npos)
    deeds_.keys[key->id] = false;
  else
    ++deeds_.not_told;
  history_.note("operator", fmt::format("made key {}: {}", key ? key->id : "", end.status));
}

void Operator::revoke_key() {
  const auto key = book_.some_good(random_);
  if (!key) return make_key();
  book_.revoking(key->id, now_us());
  const auto end = fleet_.verb("keys", {"revoke", key->id});
  if (end.status == 0) book_.revoked(key->id, now_us());
  if (end.status == 0 && end.output.find(kNotRecorded) == std::string::npos) {
    if (const auto known = deeds_.keys.find(key->id); known != deeds_.keys.end())
      known->second = true;
  } else {
    // Revoked or not: nothing is said about it.
    deeds_.keys.erase(key->id);
    ++deeds_.not_told;
  }
  history_.note("operator", fmt::format("revoked key {}: {}", key->id, end.status));
}

}  // namespace toolway::chaos

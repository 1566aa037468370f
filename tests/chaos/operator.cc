#include "tests/chaos/operator.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/pause.h"

namespace toolway::chaos {
namespace {

/// What a verb says when what it did is in force, and the audit could not be told.
constexpr std::string_view kNotRecorded = "the audit has no record of it";

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

Operator::Operator(const Options& options, Fleet& fleet, History& history)
    : options_(options),
      fleet_(fleet),
      history_(history),
      random_(options.seed + 7919),
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
    pause(std::chrono::milliseconds(random_.between(200, 2000)), stop);
  }
}

/// The policy as it was, with one rule more that is about no call.
void Operator::put_policy() {
  const auto file = fmt::format("{}/run/policy.yaml", options_.directory);
  std::ofstream(file) << text_of(options_.directory + "/tools/extensions.yaml")
                      << fmt::format("  - {{name: v{}, tools: chaos.none, refuse: never called}}\n",
                                     ++versions_);
  const auto end = fleet_.verb("extensions", {"put", file});
  const bool told = end.status == 0 && end.output.find(kNotRecorded) == std::string::npos;
  told ? ++deeds_.policies : ++deeds_.not_told;
  history_.note("operator", fmt::format("put policy {}: {}", versions_, end.status));
}

void Operator::make_key() {
  const auto end = fleet_.verb("keys", {"create", "--user", "chaos", "-o", "json"});
  const auto brace = end.output.find('{');
  const auto json = parse_ordered_json(
      brace == std::string::npos ? std::string_view() : std::string_view(end.output).substr(brace));
  const bool told = end.status == 0 && json && json->contains("id") &&
                    end.output.find(kNotRecorded) == std::string::npos;
  if (told)
    deeds_.keys[(*json)["id"].get<std::string>()] = false;
  else
    ++deeds_.not_told;
  history_.note("operator", fmt::format("made a key: {}", end.status));
}

void Operator::revoke_key() {
  std::vector<std::string> good;
  for (const auto& [id, revoked] : deeds_.keys)
    if (!revoked) good.push_back(id);
  if (good.empty()) return make_key();
  const auto& id = good[random_.between(0, good.size() - 1)];
  const auto end = fleet_.verb("keys", {"revoke", id});
  if (end.status == 0 && end.output.find(kNotRecorded) == std::string::npos) {
    deeds_.keys[id] = true;
  } else {
    // Revoked or not: nothing is said about it.
    deeds_.keys.erase(id);
    ++deeds_.not_told;
  }
  history_.note("operator", fmt::format("revoked key {}: {}", id, end.status));
}

}  // namespace toolway::chaos

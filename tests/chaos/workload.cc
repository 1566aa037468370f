#include "tests/chaos/workload.h"

namespace toolway::chaos {

Workload::Workload(const Options& options, const std::vector<std::string>& gateways,
                   History& history) {
  const AgentParts parts{options, gateways, history, gossip_};
  for (unsigned i = 0; i < options.agents; ++i) {
    agents_.push_back(std::make_unique<Agent>(parts, i, options.seed * 1000 + i));
    followers_.push_back(
        std::make_unique<Follower>(parts, *agents_.back(), options.seed * 1000 + 500 + i));
  }
  for (const auto& agent : agents_)
    callers_.emplace_back([this, &agent = *agent] { agent.run(calls_end_); });
  for (const auto& follower : followers_)
    watchers_.emplace_back([this, &follower = *follower] { follower.run(stop_); });
}

void Workload::end_calls() {
  calls_end_ = true;
  callers_.clear();
}

void Workload::stop() {
  end_calls();
  stop_ = true;
  watchers_.clear();
}

std::vector<Watched> Workload::sessions() const {
  std::vector<Watched> all;
  for (const auto& agent : agents_)
    for (auto& session : agent->sessions()) all.push_back(std::move(session));
  return all;
}

}  // namespace toolway::chaos

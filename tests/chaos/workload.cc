#include "tests/chaos/workload.h"

namespace toolway::chaos {

Workload::Workload(const Options& options, const Entrance& entrance, const KeyBook& book,
                   History& history) {
  const AgentParts parts{options, entrance, history, gossip_};
  const auto follow = [&](Follower::Watch watch) {
    const auto seed = options.seed * 1000 + 500 + followers_.size();
    followers_.push_back(std::make_unique<Follower>(parts, std::move(watch), seed));
  };
  for (unsigned i = 0; i < options.agents; ++i) {
    agents_.push_back(std::make_unique<Agent>(parts, i, options.seed * 1000 + i));
    follow([agent = agents_.back().get()] { return agent->watched(); });
  }
  for (unsigned i = 0; i < options.mcp_agents; ++i) {
    mcp_agents_.push_back(std::make_unique<McpAgent>(parts, i, options.seed * 1000 + 300 + i));
    follow([agent = mcp_agents_.back().get()] { return agent->watched(); });
  }
  for (unsigned i = 0; options.with("auth") && i < options.key_holders; ++i) {
    key_holders_.push_back(
        std::make_unique<KeyHolder>(parts, book, i, options.seed * 1000 + 700 + i));
    follow([holder = key_holders_.back().get()] { return holder->watched(); });
  }
  for (unsigned i = 0; options.converses() && i < options.talkers; ++i) {
    talkers_.push_back(std::make_unique<Talker>(parts, i, options.seed * 1000 + 800 + i));
    follow([talker = talkers_.back().get()] { return talker->watched(); });
  }
  for (const auto& agent : agents_)
    callers_.emplace_back([this, &agent = *agent] { agent.run(calls_end_); });
  for (const auto& agent : mcp_agents_)
    callers_.emplace_back([this, &agent = *agent] { agent.run(calls_end_); });
  for (const auto& holder : key_holders_)
    callers_.emplace_back([this, &holder = *holder] { holder.run(calls_end_); });
  for (const auto& talker : talkers_)
    callers_.emplace_back([this, &talker = *talker] { talker.run(calls_end_); });
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

void Workload::say_last() {
  std::vector<std::jthread> saying;
  for (const auto& talker : talkers_)
    saying.emplace_back([&talker = *talker] { talker.say_last(); });
}

std::vector<Talk> Workload::talks() const {
  std::vector<Talk> all;
  for (const auto& talker : talkers_)
    all.insert(all.end(), talker->talks().begin(), talker->talks().end());
  return all;
}

std::vector<Watched> Workload::sessions() const {
  std::vector<Watched> all;
  for (const auto& agent : agents_)
    for (auto& session : agent->sessions()) all.push_back(std::move(session));
  for (const auto& agent : mcp_agents_)
    for (auto& session : agent->sessions()) all.push_back(std::move(session));
  for (const auto& talker : talkers_)
    for (auto& session : talker->sessions()) all.push_back(std::move(session));
  for (const auto& holder : key_holders_)
    for (auto& session : holder->sessions()) all.push_back(std::move(session));
  return all;
}

bool Workload::speaks_mcp(const Watched& session) const {
  for (const auto& agent : mcp_agents_)
    for (const auto& its : agent->sessions())
      if (its.session == session.session) return true;
  return false;
}

}  // namespace toolway::chaos

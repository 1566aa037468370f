#include "tests/simulation/network.h"

#include <map>

#include "bus/subject_filter.h"

namespace toolway::simulation {

Network::EarPtr Network::listen(Ear ear) {
  auto made = std::make_shared<Ear>(std::move(ear));
  ears_.push_back(made);
  return made;
}

std::vector<Network::EarPtr> Network::listeners(const std::string& subject) {
  std::vector<EarPtr> heard;
  std::map<std::string, std::vector<EarPtr>> groups;
  for (auto it = ears_.begin(); it != ears_.end();) {
    const auto ear = it->lock();
    if (!ear) {
      it = ears_.erase(it);
      continue;
    }
    ++it;
    const auto process = ear->process.lock();
    if (!process || !process->reachable() || !bus::subject_matches(ear->filter, subject)) continue;
    (ear->group.empty() ? heard : groups[ear->group]).push_back(ear);
  }
  for (auto& [name, members] : groups) {
    heard.push_back(members[world_.random().below(members.size())]);
  }
  return heard;
}

void Network::republish(const std::string& subject, const std::string& payload,
                        std::uint64_t sequence, Weather& weather) {
  for (const auto& ear : listeners(subject)) {
    const auto process = ear->process.lock();
    if (weather.strikes(Fault::kLiveDropped, 20)) {
      process->tell(bus::Connection::kGap);
      continue;
    }
    const unsigned connection = process->connection();
    process->after(weather.latency(), [=, weak = std::weak_ptr(ear)] {
      const auto still = weak.lock();
      if (!still) return;
      if (connection != still->process.lock()->connection()) return;
      still->hear(subject, payload, {}, sequence);
    });
  }
}

}  // namespace toolway::simulation

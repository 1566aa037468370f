#include "bus/in_memory_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bus/subject_filter.h"

namespace toolway::bus {

std::shared_ptr<Server> InMemoryCore::serve(std::string filter, std::string group,
                                            RequestHandler handler) {
  auto server = std::make_shared<Server>();
  server->filter = std::move(filter);
  server->group = std::move(group);
  server->handler = std::move(handler);
  servers_.push_back(server);
  return server;
}

void InMemoryCore::tell(Bus& bus, const std::string& subject, const std::string& payload) {
  const auto question = questions_.find(subject);
  if (question == questions_.end()) {
    hear(bus, subject, payload, {});
    return;
  }
  post_([handler = std::move(question->second.handler), payload] { handler(payload); });
  questions_.erase(question);
}

void InMemoryCore::request(Bus& bus, const std::string& subject, const std::string& payload,
                           AnswerHandler handler, MonotonicTime now) {
  const std::string reply = fmt::format("answer {}", ++last_question_);
  if (hear(bus, subject, payload, reply)) {
    questions_.emplace(reply, Question{std::move(handler), now + Bus::kAnswerWithin});
    return;
  }
  post_([handler = std::move(handler)] {
    handler(fail(ErrorCode::kNotFound, "no process answers on this subject"));
  });
}

MonotonicTime InMemoryCore::give_up(MonotonicTime now) {
  MonotonicTime soonest = MonotonicTime::max();
  for (auto it = questions_.begin(); it != questions_.end();) {
    if (it->second.until > now) {
      soonest = std::min(soonest, it->second.until);
      ++it;
      continue;
    }
    post_([handler = std::move(it->second.handler)] {
      handler(fail(ErrorCode::kTimeout, "no answer"));
    });
    it = questions_.erase(it);
  }
  return soonest;
}

bool InMemoryCore::shut_down() {
  if (questions_.empty()) return false;
  for (auto& [reply, question] : questions_) {
    post_([handler = std::move(question.handler)] {
      handler(fail(ErrorCode::kShuttingDown, "the bus is being closed"));
    });
  }
  questions_.clear();
  return true;
}

bool InMemoryCore::hear(Bus& bus, const std::string& subject, const std::string& payload,
                        const std::string& reply) {
  std::set<std::string> served;  // groups
  bool heard = false;
  for (auto it = servers_.begin(); it != servers_.end();) {
    const auto server = *it;
    const auto here = it++;
    if (!subject_matches(server->filter, subject)) continue;
    if (!server->group.empty()) {
      if (!served.insert(server->group).second) continue;
      servers_.splice(servers_.end(), servers_, here);  // the next one's turn
    }
    heard = true;
    auto request = std::make_shared<Request>(bus, reply);
    request->subject = subject;
    request->payload = payload;
    post_([server, request] { server->gate.run([&] { server->handler(std::move(*request)); }); });
  }
  return heard;
}

}  // namespace toolway::bus

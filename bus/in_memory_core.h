#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "bus/bus.h"
#include "bus/in_memory_clients.h"

namespace toolway::bus {

/// What an in-memory bus has of core NATS: who serves which subjects, and the questions
/// that are not answered yet. Guarded by the bus's mutex; handlers run as tasks, without it.
class InMemoryCore {
 public:
  /// `post` takes a task for the bus's thread.
  explicit InMemoryCore(std::function<void(std::function<void()>)> post) : post_(std::move(post)) {}

  std::shared_ptr<Server> serve(std::string filter, std::string group, RequestHandler handler);
  void remove(const std::shared_ptr<Server>& server) { servers_.remove(server); }

  /// As `Bus::tell`; on the subject of an answer it answers.
  void tell(Bus& bus, const std::string& subject, const std::string& payload);
  void request(Bus& bus, const std::string& subject, const std::string& payload,
               AnswerHandler handler, MonotonicTime now);

  /// Tells those whose questions were not answered in time; returns the time at which the next one
  /// expires.
  MonotonicTime give_up(MonotonicTime now);
  /// The bus ends: tells all that still wait. False: none does.
  bool shut_down();

 private:
  struct Question {
    AnswerHandler handler;
    MonotonicTime until;
  };
  /// Whether a subscriber receives it.
  bool hear(Bus& bus, const std::string& subject, const std::string& payload,
            const std::string& reply);

  std::function<void(std::function<void()>)> post_;
  std::list<std::shared_ptr<Server>> servers_;
  std::map<std::string, Question> questions_;  // by where the answer goes
  std::uint64_t last_question_ = 0;
};

}  // namespace toolway::bus

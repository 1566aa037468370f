#include "tools/messages/assemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace toolway::tools::messages {
namespace {

class Assembler {
 public:
  void add(Message message, std::size_t number) {
    if (message.role == Role::kResults) return take(std::move(message), number);
    close();
    add_ordered(std::move(message), number);
  }

  Assembled finish() {
    close();
    return std::move(made_);
  }

 private:
  /// Results wait for those that follow them.
  void take(Message message, std::size_t number) {
    for (CallResult& result : message.results) {
      const auto waiting = std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& one) {
        return one.first == result.call_id;
      });
      if (waiting == waiting_.end()) {
        repaired(fmt::format("message {}: the result {} belongs to no call before it", number,
                             of_call(result.call_id)),
                 "it was dropped");
        continue;
      }
      result.call_id = waiting->second;
      waiting_.erase(waiting);
      known_.push_back(std::move(result));
    }
    results_at_us_ = message.at_us;
  }

  void close() {
    const Message* open = made_.history.open();
    if (open == nullptr) return;
    for (const auto& [id, ours] : waiting_)
      repaired(fmt::format("message {}: {} has no result", open_number_,
                           id.empty() ? "a call without an id" : "the call " + id),
               "it was answered as unknown");
    Message results{.role = Role::kResults, .results = std::move(known_), .at_us = results_at_us_};
    known_.clear();
    waiting_.clear();
    results_at_us_ = 0;
    static_cast<void>(made_.history.append(std::move(results)));  // it is open, so it takes results
  }

  void add_ordered(Message message, std::size_t number) {
    open_number_ = number;
    const auto theirs = calls_of(message);
    static_cast<void>(made_.history.append(std::move(message)));  // nothing is open
    const auto ours = calls_of(made_.history.messages().back());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      if (ours[i].id != theirs[i].id)
        repaired(fmt::format("message {}: {}", number,
                             theirs[i].id.empty()
                                 ? fmt::format("a call of {} has no id", theirs[i].tool)
                                 : fmt::format("the id of call {} is used before, or not one that "
                                               "every API takes",
                                               theirs[i].id)),
                 fmt::format("it is {} now", ours[i].id));
      waiting_.emplace_back(theirs[i].id, ours[i].id);
    }
  }

  static std::string of_call(const std::string& id) {
    return id.empty() ? "without an id of a call" : "of " + id;
  }

  void repaired(std::string wrong, std::string done) {
    made_.repairs.push_back({std::move(wrong), std::move(done)});
  }

  Assembled made_;
  std::vector<std::pair<std::string, std::string>> waiting_;  // their ids and ours
  std::size_t open_number_ = 0;                               // of the message whose calls wait
  std::vector<CallResult> known_;
  std::int64_t results_at_us_ = 0;
};

}  // namespace

Assembled assemble(std::vector<Message> messages) {
  Assembler assembler;
  for (std::size_t i = 0; i < messages.size(); ++i) assembler.add(std::move(messages[i]), i + 1);
  return assembler.finish();
}

}  // namespace toolway::tools::messages

#include "tests/chaos/stream_match.h"

#include <fmt/format.h>

#include <algorithm>

namespace toolway::chaos {
namespace {

using Kind = RpcMessage::Kind;

/// Walks the messages of a stretch along the log.
class Walk {
 public:
  Walk(const RpcStretch& stretch, double& shown) : stretch_(stretch), shown_(shown) {
    for (const auto& message : stretch.messages)
      if (message.kind != Kind::kOther && !message.life) messages_.push_back(&message);
  }

  std::string along(const CallLog& log, std::size_t from) {
    for (auto at = from; at < log.size() && !over(); ++at)
      if (auto wrong = step(*log[at]); !wrong.empty()) return wrong;
    if (over()) return {};
    return fmt::format("{} is not in the call's log", name(*messages_[next_]));
  }

 private:
  static std::string name(const RpcMessage& message) {
    const auto at = message.at ? " of " + message.at->text() : std::string();
    if (message.kind == Kind::kProgress) return fmt::format("progress {}{}", message.progress, at);
    if (message.kind == Kind::kLog) return fmt::format("log \"{}\"{}", message.text, at);
    if (message.kind == Kind::kQuestion) return "question" + at;
    return "answer" + at;
  }

  /// What follows is open, or does not come from the log: it broke, it became a task, it was
  /// refused.
  bool over() const {
    if (next_ >= messages_.size()) return true;
    const auto& message = *messages_[next_];
    return message.kind == Kind::kAnswer && !message.reading && message.asks.empty();
  }

  std::string step(const EventSeen& event) {
    if (event.type == "progress") {
      if (stretch_.progress_token.empty() || event.progress <= shown_) return {};
      shown_ = event.progress;
      return expect(event, Kind::kProgress);
    }
    if (event.type == "log") return stretch_.logs ? expect(event, Kind::kLog) : std::string();
    if (event.type == "completed") return expect(event, Kind::kAnswer);
    if (event.type == "input_requested") return take_questions(event);
    return {};
  }

  std::string expect(const EventSeen& event, Kind kind) {
    const auto& message = *messages_[next_];
    const bool same = message.kind == kind && (kind != Kind::kAnswer || message.reading) &&
                      (kind != Kind::kProgress || message.progress == event.progress) &&
                      (kind != Kind::kLog || message.text == event.log);
    if (!same)
      return fmt::format("{} comes where {} ({}) is due", name(message), event.id.text(),
                         event.type);
    ++next_;
    if (message.at && *message.at != event.id)
      return fmt::format("{} has the id of another event than {}", name(message), event.id.text());
    return {};
  }

  /// What was answered before need not be asked.
  std::string take_questions(const EventSeen& event) {
    const auto of_event = [&event](const RpcMessage& message) {
      return !message.asks.empty() &&
             std::ranges::all_of(message.asks, [&event](const std::string& key) {
               return std::ranges::find(event.keys, key) != event.keys.end();
             });
    };
    while (next_ < messages_.size() && of_event(*messages_[next_])) {
      const auto& message = *messages_[next_++];
      if (message.at && *message.at != event.id)
        return fmt::format("{} has the id of another event than {}", name(message),
                           event.id.text());
      if (message.kind == Kind::kAnswer) break;
    }
    return {};
  }

  const RpcStretch& stretch_;
  double& shown_;
  std::vector<const RpcMessage*> messages_;
  std::size_t next_ = 0;
};

}  // namespace

std::string mismatch(const RpcStretch& stretch, const CallLog& log, std::size_t from,
                     double& shown) {
  Walk walk(stretch, shown);
  auto wrong = walk.along(log, from);
  // What only says that the call runs rises, too.
  for (const auto& message : stretch.messages)
    if (message.kind == Kind::kProgress) shown = std::max(shown, message.progress);
  return wrong;
}

std::string mismatch_anywhere(const RpcStretch& stretch, const CallLog& log) {
  std::string wrong = "nothing was asked";
  for (std::size_t at = 0; at < log.size(); ++at) {
    if (log[at]->type != "input_requested") continue;
    // What still waits is asked again.
    for (const auto from : {at + 1, at}) {
      double shown = -1;
      wrong = mismatch(stretch, log, from, shown);
      if (wrong.empty()) return {};
    }
  }
  return wrong;
}

}  // namespace toolway::chaos

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/chaos/mcp_checker.h"
#include "tests/chaos/stream_match.h"

namespace toolway::chaos {
namespace {

using Kind = RpcMessage::Kind;
using Stretches = std::vector<const RpcStretch*>;

bool streams_a_call(const RpcStretch& stretch) {
  return stretch.method == "tools/call" || stretch.method == "tasks/result";
}

class StreamCheck {
 public:
  StreamCheck(const SessionEnd& end, Verdicts& verdicts) : end_(end), verdicts_(verdicts) {
    if (!end.views.empty())
      for (const auto& event : end.views.front().page) logs_[event.call_id].push_back(&event);
    for (const auto& call : end.calls) by_token_[call.token] = call.call_id;
  }

  /// All stretches of one stream, in order.
  void judge(const Stretches& stream) {
    double risen = -1;
    double shown = -1;
    for (const auto* stretch : stream) {
      check_own(*stretch, risen);
      if (streams_a_call(*stretch)) check_log(*stretch, shown);
    }
  }

 private:
  std::string call_of(const RpcStretch& stretch) const {
    if (!stretch.call_id.empty()) return stretch.call_id;
    const auto found = by_token_.find(stretch.token);
    return found == by_token_.end() ? std::string() : found->second;
  }

  void wrong(Property property, const RpcStretch& stretch, const std::string& what) {
    verdicts_.violated(property,
                       {fmt::format("{} {} at {}, stream {}: {}", stretch.method, stretch.revision,
                                    stretch.gateway, stretch.stream, what),
                        end_.session, call_of(stretch)});
  }

  /// What can be judged without the record. `risen`: the progress that the stream had last.
  void check_own(const RpcStretch& stretch, double& risen) {
    bool answered = false;
    std::set<std::string> asked;
    for (const auto& message : stretch.messages) {
      verdicts_.checked(Property::kRpcStream);
      if (answered)
        wrong(Property::kRpcStream, stretch,
              fmt::format("{} after the answer",
                          message.method.empty() ? "an answer" : message.method));
      if (auto stray = stray_of(stretch, message); !stray.empty())
        wrong(Property::kRpcStream, stretch, stray);
      if (message.kind == Kind::kProgress) {
        if (message.progress <= risen)
          wrong(Property::kRpcStream, stretch,
                fmt::format("progress {} follows {}", message.progress, risen));
        risen = std::max(risen, message.progress);
      }
      for (const auto& key : message.asks)
        verdicts_.expect(Property::kQuestions, asked.insert(key).second,
                         {fmt::format("stream {} asks {} twice", stretch.stream, key), end_.session,
                          call_of(stretch)});
      verdicts_.expect(Property::kPrivacy, message.owners.empty() || message.owners == stretch.user,
                       {fmt::format("{} was shown a token of {}", stretch.user, message.owners),
                        end_.session, call_of(stretch)});
      answered = answered || message.kind == Kind::kAnswer;
    }
  }

  /// Why a message does not belong there; empty: it does.
  std::string stray_of(const RpcStretch& stretch, const RpcMessage& message) const {
    if (!message.token.empty() && !stretch.token.empty() && message.token != stretch.token)
      return fmt::format("a message of {}, on the stream of {}", message.token, stretch.token);
    if (message.kind == Kind::kAnswer && message.id != stretch.request_id)
      return fmt::format("an answer to {}, on the stream of {}", message.id, stretch.request_id);
    if (message.kind == Kind::kProgress &&
        (message.progress_token != stretch.progress_token || stretch.progress_token.empty()))
      return fmt::format("progress of {}, where {} was asked for", message.progress_token,
                         stretch.progress_token);
    if (message.kind == Kind::kLog && !stretch.logs) return "a log that was not asked for";
    const auto call = call_of(stretch);
    if (!message.call_id.empty() && !call.empty() && message.call_id != call)
      return fmt::format("a message of call {}", message.call_id);
    return {};
  }

  void check_log(const RpcStretch& stretch, double& shown) {
    const auto log = logs_.find(call_of(stretch));
    // What was refused has none.
    if (log == logs_.end()) return;
    const bool resumed = !stretch.after.empty();
    const auto property = resumed ? Property::kRpcResume : Property::kRpcStream;
    verdicts_.checked(property);
    std::string differs;
    if (stretch.goes_on) {
      differs = mismatch_anywhere(stretch, log->second);
    } else {
      const auto after = parse_event_id(stretch.after).value_or(EventId{});
      const auto first = std::ranges::find_if(
          log->second, [&after](const EventSeen* event) { return after < event->id; });
      differs = mismatch(stretch, log->second,
                         static_cast<std::size_t>(first - log->second.begin()), shown);
    }
    if (!differs.empty())
      wrong(property, stretch, (resumed ? "after " + stretch.after + ": " : "") + differs);
  }

  const SessionEnd& end_;
  Verdicts& verdicts_;
  std::map<std::string, CallLog> logs_;
  std::map<std::string, std::string> by_token_;
};

}  // namespace

void check_streams(const SessionEnd& end, const Stretches& stretches, Verdicts& verdicts) {
  std::map<std::string, Stretches> streams;
  for (const auto* stretch : stretches) streams[stretch->stream].push_back(stretch);
  StreamCheck check(end, verdicts);
  for (auto& [name, stream] : streams) {
    std::ranges::stable_sort(stream, {}, [](const auto* stretch) { return stretch->at_us; });
    check.judge(stream);
  }
}

}  // namespace toolway::chaos

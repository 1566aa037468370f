#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/chaos/mcp_checker.h"

namespace toolway::chaos {
namespace {

/// Whether only errors of the protocol are failures there.
bool is_modern(const std::string& revision) { return revision == "2026-07-28"; }

class TaskCheck {
 public:
  TaskCheck(const SessionEnd& end, Verdicts& verdicts) : end_(end), verdicts_(verdicts) {
    for (const auto& call : end.calls) outcomes_[call.call_id] = call.outcome;
  }

  void judge(const TaskLook& look) {
    if (look.error != 0) return judge_error(look);
    verdicts_.expect(Property::kPrivacy, look.owners.empty() || look.owners == look.user,
                     {fmt::format("{} was shown a token of {}", look.user, look.owners),
                      end_.session, look.call_id});
    const auto& status = look.task.status;
    if (status.empty()) return;
    verdicts_.checked(Property::kTasks);
    if (is_final(status)) {
      const auto found = outcomes_.find(look.call_id);
      const auto due =
          status_of(found == outcomes_.end() ? "" : found->second, is_modern(look.revision));
      if (due != status) wrong(look, fmt::format("{}, but at the end it is {}", status, due));
      auto& since = final_since_[look.call_id];
      since = since == 0 ? look.done_us : std::min(since, look.done_us);
    } else {
      open_.push_back(&look);
    }
  }

  void judge_time() {
    for (const auto* look : open_) {
      const auto since = final_since_.find(look->call_id);
      if (since != final_since_.end() && since->second < look->at_us)
        wrong(*look, fmt::format("{}, after it was shown at its end", look->task.status));
    }
  }

 private:
  void judge_error(const TaskLook& look) {
    verdicts_.checked(Property::kTasks);
    const bool ended = look.method == "tasks/cancel" && look.said == "the task has ended";
    if (!ended) wrong(look, fmt::format("error {}, {}", look.error, look.said));
  }

  void wrong(const TaskLook& look, const std::string& what) {
    verdicts_.violated(Property::kTasks, {fmt::format("{} {} at {}: {}", look.method, look.revision,
                                                      look.gateway, what),
                                          end_.session, look.call_id});
  }

  const SessionEnd& end_;
  Verdicts& verdicts_;
  std::map<std::string, std::string> outcomes_;
  std::map<std::string, std::int64_t> final_since_;
  std::vector<const TaskLook*> open_;
};

}  // namespace

void check_faces(const SessionEnd& end, const McpSeen& seen, Verdicts& verdicts) {
  if (end.views.empty()) return;
  auto readings = std::map<std::string, Reading>();
  for (const auto& [call, shown] : end.views.front().calls) readings[call] = shown.reading;
  const auto judge = [&](const std::string& call, const Reading& reading, const std::string& who) {
    const auto found = readings.find(call);
    if (found == readings.end()) return;
    const auto differs = difference(found->second, reading);
    verdicts.expect(Property::kFaces, differs.empty(),
                    {fmt::format("{}: {}", who, differs), end.session, call});
    // REST does not show a result as text: the first face that does says what it is.
    if (found->second.bytes == 0) found->second.bytes = reading.bytes;
  };
  for (const auto* stretch : seen.stretches)
    for (const auto& message : stretch->messages)
      if (message.reading)
        judge(message.call_id, *message.reading,
              fmt::format("{} {} at {}", stretch->method, stretch->revision, stretch->gateway));
  const auto judge_look = [&](const TaskLook& look) {
    if (look.task.reading)
      judge(look.call_id, *look.task.reading,
            fmt::format("{} {} at {}", look.method, look.revision, look.gateway));
  };
  for (const auto* look : seen.looks) judge_look(*look);
  for (const auto& look : seen.at_the_end) judge_look(look);
}

void check_tasks(const SessionEnd& end, const McpSeen& seen, Verdicts& verdicts) {
  TaskCheck check(end, verdicts);
  for (const auto* look : seen.looks) check.judge(*look);
  for (const auto& look : seen.at_the_end) check.judge(look);
  check.judge_time();
  std::map<std::string, std::set<std::string>> listed;
  for (const auto& look : seen.at_the_end)
    if (look.method == "tasks/list") {
      const bool first = listed[look.gateway].insert(look.call_id).second;
      verdicts.expect(Property::kTasks, first,
                      {look.gateway + " lists a task twice", end.session, look.call_id});
    }
  for (const auto& [gateway, ids] : listed)
    for (const auto& call : end.calls)
      verdicts.expect(Property::kTasks, ids.contains(call.call_id),
                      {gateway + " does not list the task", end.session, call.call_id});
}

void check_mcp_session(const SessionEnd& end, const McpSeen& seen, Verdicts& verdicts) {
  check_streams(end, seen.stretches, verdicts);
  check_faces(end, seen, verdicts);
  check_tasks(end, seen, verdicts);
}

}  // namespace toolway::chaos

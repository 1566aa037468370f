#include "tools/executors/mock/recorded_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/mutex.h"
#include "tools/matching/arguments_digest.h"
#include "tools/matching/when.h"

namespace toolway::tools::executors::mock {
namespace {

/// With how many recorded calls of the tool a call without a match is compared.
constexpr std::size_t kMaxCompared = 200;

std::chrono::milliseconds scaled(std::chrono::milliseconds time, double speed) {
  if (speed <= 0) return std::chrono::milliseconds(0);
  return std::chrono::milliseconds(std::llround(static_cast<double>(time.count()) / speed));
}

}  // namespace

RecordedAnswers::RecordedAnswers(std::string origin, std::vector<RecordedFile::Line> recordings,
                                 double speed, std::shared_ptr<KnownSecrets> secrets)
    : origin_(std::move(origin)), secrets_(std::move(secrets)) {
  for (auto& [line, recording] : recordings) {
    MockAnswer answer{.at = fmt::format("{}:{}", origin_, line),
                      .delay = scaled(recording.duration, speed),
                      .has_templates = false};
    for (auto& report : recording.progress) {
      answer.progress.push_back({scaled(report.after, speed), std::move(report.report)});
    }
    if (recording.end) {
      answer.result = std::move(*recording.end);
    } else {
      answer.end = MockEnd::kError;
      answer.error = std::move(recording.end.error());
    }
    auto& series = by_tool_[recording.tool][matching::arguments_digest(recording.arguments)];
    series.recorded.push_back({line, std::move(recording.arguments), std::move(answer)});
  }
}

std::optional<MockChoice> RecordedAnswers::choose(const std::string& name, const Json& given,
                                                  std::vector<MockCandidate>& candidates) {
  const auto tool = by_tool_.find(name);
  if (tool == by_tool_.end()) return std::nullopt;
  const Json arguments = secrets_->look().json(given);
  if (const auto found = tool->second.find(matching::arguments_digest(arguments));
      found != tool->second.end()) {
    const MutexLock lock(mutex_);
    auto& series = found->second;
    const auto& next =
        series.recorded[std::min<std::size_t>(series.given, series.recorded.size() - 1)].answer;
    return MockChoice{&next, next.delay, ++series.given};
  }
  std::size_t compared = 0;
  for (const auto& [digest, series] : tool->second) {
    if (++compared > kMaxCompared) break;
    candidates.push_back({series.recorded.front().answer.at,
                          matching::differences(series.recorded.front().arguments, arguments)});
  }
  return std::nullopt;
}

std::vector<Mistake> RecordedAnswers::check(const model::Spec& spec) const {
  std::vector<Mistake> mistakes;
  const auto tool = by_tool_.find(spec.qualified_name());
  if (tool == by_tool_.end()) return mistakes;
  const auto input = schema::compile_schema(spec.input_schema).value_or(nullptr);
  const auto output = spec.output_schema.is_null()
                          ? nullptr
                          : schema::compile_schema(spec.output_schema).value_or(nullptr);
  const bool aggregates = spec.multi_step && spec.result.aggregate != model::Aggregate::kLast;
  for (const auto& [digest, series] : tool->second) {
    for (const auto& [line, arguments, answer] : series.recorded) {
      const auto check = [&, line = line](const auto& schema, const Json& value,
                                          std::string_view what) {
        if (!schema) return;
        const auto wrong = schema->validate(value);
        if (wrong.empty()) return;
        mistakes.push_back({origin_,
                            fmt::format("{} not match the schema of {} (any more): {}", what,
                                        tool->first, schema::describe(wrong)),
                            line});
      };
      check(input, arguments, "the recorded arguments do");
      if (answer.end == MockEnd::kResult && !aggregates)
        check(output, answer.result, "the recorded result does");
    }
  }
  std::stable_sort(mistakes.begin(), mistakes.end(),
                   [](const auto& a, const auto& b) { return a.line < b.line; });
  return mistakes;
}

std::vector<std::string> RecordedAnswers::tools() const {
  std::vector<std::string> names;
  for (const auto& [name, recorded] : by_tool_) names.push_back(name);
  return names;
}

}  // namespace toolway::tools::executors::mock

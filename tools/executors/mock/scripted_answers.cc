#include "tools/executors/mock/scripted_answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/mutex.h"
#include "tools/matching/tool_pattern.h"
#include "tools/templates/double_braces.h"

namespace toolway::tools::executors::mock {
namespace {

constexpr std::size_t kMaxCandidates = 3;

bool has_templates(const Json& value) {
  if (!value.is_structured())
    return value.is_string() && value.get_ref<const std::string&>().find("{{") != std::string::npos;
  return std::any_of(value.begin(), value.end(),
                     [](const Json& inside) { return has_templates(inside); });
}

}  // namespace

void keep_nearest(std::vector<MockCandidate>& candidates) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.why.size() < b.why.size(); });
  if (candidates.size() > kMaxCandidates) candidates.resize(kMaxCandidates);
}

std::vector<std::string> unknown_arguments(const OrderedJson& schema,
                                           const std::vector<std::string>& pointers) {
  if (!schema.is_object() ||
      schema.value("additionalProperties", OrderedJson(true)) != OrderedJson(false))
    return {};
  if (schema.contains("patternProperties") || schema.contains("$ref") || schema.contains("allOf"))
    return {};
  return templates::not_among(schema, pointers);
}

ScriptedAnswers::ScriptedAnswers(MockScript script)
    : script_(std::move(script)), given_(script_.answers.size()), random_(script_.seed) {}

bool ScriptedAnswers::covers(const std::string& name) const {
  return matching::matches_tool(script_.tool, name);
}

std::chrono::milliseconds ScriptedAnswers::draw(const MockAnswer& answer) {
  if (answer.longest_delay <= answer.delay) return answer.delay;
  // Not std::uniform_int_distribution, whose numbers differ between libraries.
  const auto span = static_cast<std::uint64_t>((answer.longest_delay - answer.delay).count()) + 1;
  return answer.delay + std::chrono::milliseconds(random_() % span);
}

std::optional<MockChoice> ScriptedAnswers::choose(const std::string&, const Json& arguments,
                                                  std::vector<MockCandidate>& candidates) {
  const MutexLock lock(mutex_);
  const auto& answers = script_.answers;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::size_t at =
        script_.order == MockOrder::kRoundRobin ? (next_ + i) % answers.size() : i;
    auto why = matching::mismatches(answers[at].when, arguments);
    if (answers[at].times != 0 && given_[at] >= answers[at].times) {
      why.push_back(fmt::format("it was given {} times, the limit", given_[at]));
    }
    if (!why.empty()) {
      candidates.push_back({answers[at].at, std::move(why)});
      continue;
    }
    next_ = at + 1;
    return MockChoice{&answers[at], draw(answers[at]), ++given_[at]};
  }
  return std::nullopt;
}

std::vector<Mistake> ScriptedAnswers::check(const model::Spec& spec) const {
  std::vector<Mistake> mistakes;
  const auto name = spec.qualified_name();
  if (!covers(name)) return mistakes;
  const auto add = [&](std::size_t i, std::string what) {
    mistakes.push_back({script_.origin, std::move(what), script_.result_lines[i]});
  };
  const auto output = spec.output_schema.is_null()
                          ? nullptr
                          : schema::compile_schema(spec.output_schema).value_or(nullptr);
  const bool aggregates = spec.multi_step && spec.result.aggregate != model::Aggregate::kLast;
  for (std::size_t i = 0; i < script_.answers.size(); ++i) {
    const auto& answer = script_.answers[i];
    if (output && !aggregates && answer.end == MockEnd::kResult && !has_templates(answer.result)) {
      if (const auto wrong = output->validate(answer.result); !wrong.empty()) {
        add(i, fmt::format("the result does not match the output schema of {}: {}", name,
                           schema::describe(wrong)));
      }
    }
    for (const auto& argument : unknown_arguments(spec.input_schema, script_.named[i])) {
      add(i, fmt::format("{} has no argument `{}`", name, argument));
    }
    // Of a pattern, some tools may report and others not.
    if (script_.tool == name && !answer.progress.empty() && !spec.multi_step) {
      add(i, fmt::format("{} is not multi_step: its progress would not reach any client", name));
    }
  }
  return mistakes;
}

}  // namespace toolway::tools::executors::mock

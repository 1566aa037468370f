#include "tools/executors/mock/mock_reader.h"

#include <fmt/format.h>

#include <limits>
#include <optional>

#include "tools/matching/tool_pattern.h"
#include "tools/matching/when_reader.h"
#include "tools/specs/bounds.h"
#include "tools/specs/fields.h"
#include "tools/specs/trees.h"
#include "tools/templates/double_braces.h"

namespace toolway::tools::executors::mock {
namespace {

constexpr std::size_t kMaxReports = 10'000;
constexpr Range<std::int64_t> kDelay{0, specs::kMaxLimit.count()};

/// Reads one entry of `mocks`; remembers the answers' lines besides.
class ScriptReader {
 public:
  ScriptReader(std::string_view origin, Mistakes& mistakes)
      : origin_(origin), mistakes_(mistakes) {}

  std::optional<MockScript> read(const specs::Located& entry, int line) {
    const auto before = mistakes_.count();
    if (!entry.is_map()) {
      mistakes_.add(line, "a mock must be a mapping: `tool`, and `answers` or one answer");
      return std::nullopt;
    }
    specs::Fields fields(entry, "a mock", mistakes_);
    script_ = {.tool = {},
               .origin = std::string(origin_),
               .line = line,
               .answers = {},
               .result_lines = {},
               .named = {}};
    fields.required_text("tool", script_.tool);
    if (!script_.tool.empty() && !matching::valid_tool_pattern(script_.tool)) {
      mistakes_.add(
          fields.line_of("tool"),
          fmt::format("`tool` must be namespace.name, a pattern such as web.*, or \"*\", not {}",
                      in_quotes(script_.tool)));
    }
    read_order(fields);
    std::int64_t seed = 1;
    fields.whole("seed", seed, {0, std::numeric_limits<std::int64_t>::max()});
    script_.seed = static_cast<std::uint64_t>(seed);
    read_answers(fields);
    return mistakes_.count() == before ? std::optional(std::move(script_)) : std::nullopt;
  }

 private:
  void read_order(specs::Fields& fields) {
    std::string order = "sequence";
    fields.text("order", order);
    if (order == "round_robin")
      script_.order = MockOrder::kRoundRobin;
    else if (order != "sequence")
      mistakes_.add(fields.line_of("order"), "`order` must be sequence or round_robin");
  }

  void read_answers(specs::Fields& fields) {
    const auto* answers = fields.find("answers");
    if (answers == nullptr) {
      read_answer(fields);
      return fields.nothing_else();
    }
    fields.nothing_else();
    if (!answers->value->is_list() || answers->value->members.empty()) {
      return mistakes_.add(answers->line, "`answers` must be a list of answers");
    }
    for (const auto& item : answers->value->members) {
      if (!item.value.is_map()) {
        mistakes_.add(
            item.line,
            "an answer must be a mapping: `when`, and `result`, `error`, `crash` or `hang`");
        continue;
      }
      specs::Fields inside(item.value, "an answer", mistakes_);
      read_answer(inside);
      inside.nothing_else();
    }
  }

  void read_answer(specs::Fields& fields) {
    MockAnswer answer{.at = fmt::format("{}:{}", origin_, fields.line())};
    std::vector<std::string> named;
    if (const auto* when = fields.map("when")) answer.when = matching::read_when(*when, mistakes_);
    read_delay(fields, answer);
    if (const auto* progress = fields.find("progress")) read_progress(*progress, answer, named);
    const int line = read_end(fields, answer, named);
    std::int64_t times = 0;
    if (fields.find("times") != nullptr) fields.whole("times", times, {1, 1'000'000'000});
    answer.times = static_cast<std::uint64_t>(times);
    script_.answers.push_back(std::move(answer));
    script_.result_lines.push_back(line);
    script_.named.push_back(std::move(named));
  }

  void read_delay(specs::Fields& fields, MockAnswer& answer) {
    const auto* field = fields.find("delay_ms");
    if (field == nullptr) return;
    if (!field->value->is_list()) {
      fields.milliseconds("delay_ms", answer.delay, kDelay);
      answer.longest_delay = answer.delay;
      return;
    }
    const auto bounds = Json(specs::to_json(*field->value));
    const auto right = [](const Json& bound) {
      return bound.is_number_integer() && bound >= kDelay.least && bound <= kDelay.most;
    };
    if (bounds.size() != 2 || !right(bounds[0]) || !right(bounds[1]) || bounds[0] > bounds[1]) {
      return mistakes_.add(field->line,
                           "`delay_ms` must be milliseconds, or a range such as [20, 80]");
    }
    answer.delay = std::chrono::milliseconds(bounds[0].get<std::int64_t>());
    answer.longest_delay = std::chrono::milliseconds(bounds[1].get<std::int64_t>());
  }

  void read_progress(const specs::NamedMember& field, MockAnswer& answer,
                     std::vector<std::string>& named) {
    if (!field.value->is_list() || field.value->members.size() > kMaxReports) {
      return mistakes_.add(
          field.line, fmt::format("`progress` must be a list of at most {} reports", kMaxReports));
    }
    for (const auto& item : field.value->members) {
      if (!item.value.is_map()) {
        mistakes_.add(item.line,
                      "a report must be a mapping, such as {after_ms: 100, progress: 1, total: 3}");
        continue;
      }
      specs::Fields fields(item.value, "a report", mistakes_);
      MockReport report{.after = answer.progress.empty() ? std::chrono::milliseconds(0)
                                                         : answer.progress.back().after};
      const auto before = report.after;
      fields.milliseconds("after_ms", report.after, kDelay);
      if (report.after < before) {
        mistakes_.add(
            fields.line_of("after_ms"),
            "`after_ms` is less than that of the report before: each counts from the call's beginning");
      }
      report.report.progress = static_cast<double>(answer.progress.size() + 1);
      fields.number("progress", report.report.progress, {0, 1e15});
      fields.number("total", report.report.total, {0, 1e15});
      fields.text("message", report.report.message);
      fields.text("step", report.report.step);
      if (const auto* data = fields.find("data"))
        report.report.data = Json(specs::to_json(*data->value));
      check_templates(report.report.message, fields.line_of("message"), named);
      check_templates(report.report.data, fields.line_of("data"), named);
      fields.nothing_else();
      answer.progress.push_back(std::move(report));
    }
  }

  /// Returns the line of what is given.
  int read_end(specs::Fields& fields, MockAnswer& answer, std::vector<std::string>& named) {
    int line = fields.line();
    unsigned ends = 0;
    if (const auto* result = fields.find("result")) {
      ++ends;
      line = result->line;
      answer.result = Json(specs::to_json(*result->value));
      check_templates(answer.result, line, named);
    }
    if (const auto* error = fields.find("error")) {
      ++ends;
      line = error->line;
      answer.end = MockEnd::kError;
      if (const auto* map = fields.map("error")) read_error(*map, answer.error, named);
    }
    if (const auto* crash = fields.find("crash")) {
      ++ends;
      line = crash->line;
      const auto& said = crash->value->scalar;
      answer.end = said == "worker" ? MockEnd::kWorkerCrash : MockEnd::kToolCrash;
      if (said != "worker" && said != "tool" && said != OrderedJson(true))
        mistakes_.add(line, "`crash` must be tool or worker");
    }
    if (const auto* hang = fields.find("hang")) {
      ++ends;
      line = hang->line;
      answer.end = MockEnd::kHang;
      if (hang->value->scalar != OrderedJson(true)) mistakes_.add(line, "`hang` must be true");
    }
    if (ends == 0)
      mistakes_.add(
          fields.line(),
          "an answer has none of `result`, `error`, `crash`, `hang`: it must say how the call ends");
    if (ends > 1)
      mistakes_.add(line, "an answer must have only one of `result`, `error`, `crash`, `hang`");
    return line;
  }

  void read_error(const specs::Located& map, model::ToolError& error,
                  std::vector<std::string>& named) {
    specs::Fields fields(map, "`error`", mistakes_);
    fields.required_text("code", error.code);
    if (fields.find("code") != nullptr && error.code.empty())
      mistakes_.add(fields.line_of("code"), "`code` must name the error, such as not_found");
    error.message = fmt::format("a mock's error, {}", error.code);
    fields.text("message", error.message);
    fields.flag("retryable", error.retryable);
    if (fields.find("retry_after_ms") != nullptr) {
      std::chrono::milliseconds after{0};
      fields.milliseconds("retry_after_ms", after, kDelay);
      error.retry_after = after;
    }
    if (const auto* details = fields.find("details"))
      error.details = Json(specs::to_json(*details->value));
    check_templates(error.message, fields.line_of("message"), named);
    check_templates(error.details, fields.line_of("details"), named);
    fields.nothing_else();
  }

  void check_templates(const Json& value, int line, std::vector<std::string>& named) {
    for (auto& mistake : templates::double_brace_mistakes(value, named))
      mistakes_.add(line, std::move(mistake));
  }

  const std::string_view origin_;
  Mistakes& mistakes_;
  MockScript script_;
};

void read_document(const specs::Located& top, std::string_view origin, Mistakes& mistakes,
                   MockDocument& document) {
  if (top.shape == specs::Located::Shape::kScalar && top.scalar.is_null()) return;
  if (!top.is_map())
    return mistakes.add(top.line, "the file must be a mapping: `mocks:` with a list of mocks");
  specs::Fields fields(top, "the file", mistakes);
  const auto* mocks = fields.find("mocks");
  fields.nothing_else();
  if (mocks == nullptr) return mistakes.add(top.line, "the file has no `mocks`");
  if (!mocks->value->is_list()) return mistakes.add(mocks->line, "`mocks` must be a list");
  ScriptReader reader(origin, mistakes);
  for (const auto& item : mocks->value->members) {
    if (auto script = reader.read(item.value, item.line))
      document.scripts.push_back(*std::move(script));
  }
}

}  // namespace

MockDocument read_mocks(std::string_view text, std::string_view origin) {
  MockDocument document;
  Mistakes mistakes(origin);
  if (const auto tree = specs::read_tree(text, mistakes))
    read_document(*tree, origin, mistakes, document);
  document.mistakes = std::move(mistakes).take();
  return document;
}

}  // namespace toolway::tools::executors::mock

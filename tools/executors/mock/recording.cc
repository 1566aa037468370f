#include "tools/executors/mock/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/json.h"
#include "base/mistake.h"
#include "base/try.h"
#include "tools/matching/arguments_digest.h"
#include "tools/matching/tool_pattern.h"
#include "tools/specs/bounds.h"

namespace toolway::tools::executors::mock {
namespace {

/// What is kept may itself be nested as deep as JSON from outside may be.
constexpr std::size_t kDepth = kMaxJsonDepth + 8;

tl::unexpected<Error> wrong(std::string what) {
  return fail(ErrorCode::kInvalidSpec, std::move(what));
}

bool whole(const Json& value, std::string_view name, std::chrono::milliseconds& to) {
  const auto found = value.find(name);
  if (found == value.end()) return true;
  if (!found->is_number_unsigned() || *found > specs::kMaxLimit.count()) return false;
  to = std::chrono::milliseconds(found->get<std::int64_t>());
  return true;
}

std::string text_or(const Json& value, std::string_view name) {
  const auto found = value.find(name);
  return found != value.end() && found->is_string() ? found->get<std::string>() : std::string();
}

double number_or(const Json& value, std::string_view name) {
  const auto found = value.find(name);
  return found != value.end() && found->is_number() ? found->get<double>() : 0;
}

Result<model::ToolError> read_error(const Json& value) {
  if (!value.is_object() || text_or(value, "code").empty())
    return wrong("`error` must be an object with a `code`");
  model::ToolError error(text_or(value, "code"), text_or(value, "message"));
  error.retryable = value.contains("retryable") && value["retryable"] == true;
  if (value.contains("retry_after_ms")) {
    std::chrono::milliseconds after{0};
    if (!whole(value, "retry_after_ms", after))
      return wrong("`retry_after_ms` must be whole milliseconds");
    error.retry_after = after;
  }
  if (value.contains("details")) error.details = value["details"];
  return error;
}

Json error_document(const model::ToolError& error) {
  Json made{{"code", error.code}, {"message", error.message}};
  if (error.retryable) made["retryable"] = true;
  if (error.retry_after) made["retry_after_ms"] = error.retry_after->count();
  if (!error.details.is_null()) made["details"] = error.details;
  return made;
}

Json report_document(const MockReport& report) {
  Json made{{"after_ms", report.after.count()}, {"progress", report.report.progress}};
  if (report.report.total != 0) made["total"] = report.report.total;
  if (!report.report.message.empty()) made["message"] = report.report.message;
  if (!report.report.step.empty()) made["step"] = report.report.step;
  if (!report.report.data.is_null()) made["data"] = report.report.data;
  return made;
}

}  // namespace

std::string to_line(const Recording& recording, const templates::Redaction& redaction) {
  const Json arguments = redaction.json(recording.arguments);
  OrderedJson line{{"tool", recording.tool},
                   {"digest", matching::arguments_digest(arguments)},
                   {"arguments", OrderedJson(arguments)}};
  if (!recording.progress.empty()) {
    OrderedJson reports = OrderedJson::array();
    for (const auto& report : recording.progress)
      reports.push_back(OrderedJson(redaction.json(report_document(report))));
    line["progress"] = std::move(reports);
  }
  if (recording.end) {
    line["result"] = OrderedJson(redaction.json(*recording.end));
  } else {
    line["error"] = OrderedJson(redaction.json(error_document(recording.end.error())));
  }
  line["duration_ms"] = recording.duration.count();
  return to_text(line);
}

Result<Recording> recording_of_line(std::string_view line) {
  auto parsed = parse_json(line, kDepth);
  if (!parsed) return wrong(parsed.error().message);
  const Json& value = *parsed;
  if (!value.is_object()) return wrong("a recorded call must be an object");
  for (const auto& [name, inside] : value.items()) {
    constexpr std::string_view kKnown[] = {"tool",   "digest", "arguments",  "progress",
                                           "result", "error",  "duration_ms"};
    if (std::find(std::begin(kKnown), std::end(kKnown), name) == std::end(kKnown)) {
      return wrong(fmt::format("unknown field `{}`; a recorded call has {}", name,
                               "tool, digest, arguments, progress, result or error, duration_ms"));
    }
  }
  Recording recording{.tool = text_or(value, "tool"),
                      .arguments = value.value("arguments", Json::object())};
  if (!matching::valid_tool_pattern(recording.tool) ||
      recording.tool.find('*') != std::string::npos) {
    return wrong("`tool` must be namespace.name");
  }
  if (!recording.arguments.is_object()) return wrong("`arguments` must be an object");
  if (value.contains("digest") &&
      value["digest"] != matching::arguments_digest(recording.arguments)) {
    return wrong("`digest` is not that of `arguments`; after changing them, leave it out");
  }
  if (!whole(value, "duration_ms", recording.duration))
    return wrong("`duration_ms` must be whole milliseconds");
  if (value.contains("progress")) {
    if (!value["progress"].is_array()) return wrong("`progress` must be a list of reports");
    for (const auto& report : value["progress"]) {
      MockReport read;
      if (!report.is_object() || !whole(report, "after_ms", read.after)) {
        return wrong("a report must be an object, with `after_ms` in whole milliseconds");
      }
      read.report = {.progress = number_or(report, "progress"),
                     .total = number_or(report, "total"),
                     .message = text_or(report, "message"),
                     .step = text_or(report, "step"),
                     .data = report.value("data", Json())};
      if (!recording.progress.empty() && read.after < recording.progress.back().after) {
        return wrong("`after_ms` of a report is less than that of the one before");
      }
      recording.progress.push_back(std::move(read));
    }
  }
  if (value.contains("result") == value.contains("error"))
    return wrong("a recorded call must have either `result` or `error`");
  if (value.contains("result")) {
    recording.end = value["result"];
  } else {
    ASSIGN_OR_RETURN(auto error, read_error(value["error"]));
    recording.end = tl::unexpected(std::move(error));
  }
  return recording;
}

RecordedFile read_recordings(std::string_view text, std::string_view origin) {
  RecordedFile file;
  Mistakes mistakes(origin);
  int number = 0;
  while (!text.empty()) {
    ++number;
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    auto recording = recording_of_line(line);
    if (recording)
      file.recordings.push_back({number, *std::move(recording)});
    else
      mistakes.add(number, recording.error().message);
  }
  file.mistakes = std::move(mistakes).take();
  return file;
}

}  // namespace toolway::tools::executors::mock

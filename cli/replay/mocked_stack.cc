#include "cli/replay/mocked_stack.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/os/file_io.h"
#include "base/try.h"
#include "cli/bench/figures/memory.h"
#include "cli/terminal/progress_line.h"
#include "tools/builtin/builtin.h"

namespace toolway::cli::replay {
namespace {

using client::cell;

Result<std::vector<std::string>> builtin_names() {
  ASSIGN_OR_RETURN(const auto registry, tools::builtin::builtin_registry({.root = "."}));
  std::vector<std::string> names;
  for (const auto& tool : registry->list()) names.push_back(tool->spec().qualified_name());
  return names;
}

void copy_field(const OrderedJson& from, OrderedJson& to, const char* name) {
  const auto value = from.value(name, OrderedJson());
  if (!value.is_null() && value != "") to[name] = value;
}

}  // namespace

std::string specs_text(const OrderedJson& tools, const std::vector<std::string>& builtin) {
  OrderedJson specs = OrderedJson::array();
  for (const auto& tool : tools) {
    const auto name = cell(tool, "namespace") + "." + cell(tool, "name");
    if (std::find(builtin.begin(), builtin.end(), name) != builtin.end()) continue;
    // A mock answers in its place, so any kind will do that needs no program.
    OrderedJson spec = {{"kind", "template"}, {"implementation_config", {{"text", "mocked"}}}};
    for (const char* field : {"name", "namespace", "description", "input_schema", "output_schema",
                              "topic", "category", "dangerous", "idempotent", "multi_step"})
      copy_field(tool, spec, field);
    const auto limits = tool.value("limits", OrderedJson::object());
    for (const auto& limit : limits.items())
      if (!limit.value().is_null()) spec["limits"][limit.key()] = limit.value();
    specs.push_back(std::move(spec));
  }
  return to_text(OrderedJson{{"tools", std::move(specs)}});
}

std::string answers_text(std::span<const RecordedCall> calls) {
  std::string lines;
  for (const auto& call : calls) {
    OrderedJson line = {{"tool", call.tool},
                        {"arguments", call.arguments},
                        {"duration_ms", std::llround(call.ending.ran_ms)}};
    if (call.ending.error_code.empty())
      line["result"] = OrderedJson(call.ending.result);
    else
      line["error"] = {{"code", call.ending.error_code}, {"message", "as recorded"}};
    lines += to_text(line) + "\n";
  }
  return lines;
}

Result<std::unique_ptr<MockedStack>> MockedStack::start(const RecordedSession& session,
                                                        const ReplayOptions& options,
                                                        process::StopSignals& signals) {
  ASSIGN_OR_RETURN(const auto directory, os::make_temporary_directory("toolway-replay"));
  std::unique_ptr<MockedStack> made(new MockedStack(directory));
  ASSIGN_OR_RETURN(const auto builtin, builtin_names());
  stack::StackOptions stack;
  if (const auto text = specs_text(session.tools, builtin); text != R"({"tools":[]})") {
    stack.specs = {directory + "/specs.json"};
    RETURN_IF_ERROR(os::write_whole_file(stack.specs.front(), text));
  }
  stack.mocks = {.files = options.mocks, .speed = options.mock_speed, .only = true, .record = {}};
  if (options.mocks.empty()) {
    stack.mocks.files = {directory + "/answers.ndjson"};
    RETURN_IF_ERROR(os::write_whole_file(stack.mocks.files.front(), answers_text(session.calls)));
  }
  const terminal::ProgressLine line;
  stack.progress = [&line](const std::string& text) { line("replay: " + text + " …"); };
  ASSIGN_OR_RETURN(made->own_, stack::OwnStack::start(std::move(stack), signals));
  line.clear();
  return made;
}

MockedStack::~MockedStack() {
  own_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

double MockedStack::resident_kb() const {
  std::int64_t sum = 0;
  const auto pids = own_->stack().description()["pids"];
  for (const char* role : {"gateway", "worker", "collector"}) {
    for (const auto& pid : pids.value(role, OrderedJson::array()))
      sum += bench::figures::resident_kb(pid.get<int>());
  }
  return static_cast<double>(sum);
}

void MockedStack::abandon() {
  own_->abandon();
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

}  // namespace toolway::cli::replay

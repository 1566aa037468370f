#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/awaiting.h"
#include "tests/support/temp_dir.h"
#include "tools/executors/command/command_kind.h"
#include "tools/model/local_context.h"
#include "tools/model/registry.h"

namespace toolway::test {

/// Runs command tools for real: in bubblewrap, the way a worker runs them.
class CommandTest : public ::testing::Test {
 protected:
  void SetUp() override { use({}); }

  /// Restarts with other options; the directory is the test's own.
  void use(tools::executors::command::CommandOptions options) {
    options.sandbox.directory = directory_.path() / "commands";
    auto made = tools::executors::command::make_command_kind(std::move(options));
    ASSERT_TRUE(made) << made.error().message;
    kind_ = *made;
  }

  static tools::model::Spec spec_of(const std::string& implementation,
                                    const std::string& schema = "{}") {
    tools::model::Spec spec;
    spec.name = "tested";
    spec.kind = tools::model::Kind::kCommand;
    spec.implementation = *parse_ordered_json(implementation);
    auto properties = *parse_ordered_json(schema);
    OrderedJson required = OrderedJson::array();
    for (const auto& [name, value] : properties.items()) required.push_back(name);
    spec.input_schema = {{"type", "object"}, {"properties", properties}, {"required", required}};
    return spec;
  }

  tools::model::RegisteredToolPtr tool(tools::model::Spec spec) {
    auto made = kind_->make(std::move(spec));
    if (!made) throw std::logic_error(made.error().message);
    auto registered = tools::model::register_tool(*made);
    if (!registered) throw std::logic_error(registered.error().message);
    return *registered;
  }

  tools::model::Execution run(tools::model::Spec spec, const Json& arguments = Json::object()) {
    tools::model::ProgressTo progress(
        [this](tools::model::ProgressReport report) { reports_.push_back(std::move(report)); });
    return tool(std::move(spec))->run(arguments, context_, progress);
  }

  tools::model::Execution run(const std::string& implementation) {
    return run(spec_of(implementation));
  }

  /// A Python program, in the sandbox.
  tools::model::Execution python(const std::string& program, const std::string& more = "") {
    return run(spec_of(python_config(program, more)));
  }
  static std::string python_config(const std::string& program, const std::string& more = "") {
    OrderedJson words = {"/usr/bin/python3", "-c"};
    std::string escaped;
    for (const char c : program) escaped.append(c == '{' || c == '}' ? 2 : 1, c);
    words.push_back(escaped);
    return "{\"argv\": " + to_text(words) + (more.empty() ? "" : ", " + more) + "}";
  }

  static std::string text_of(const tools::model::Execution& result) {
    if (!result) return result.error().code + ": " + result.error().message;
    return result->is_string() ? result->get<std::string>() : to_text(*result);
  }
  static std::string code_of(const tools::model::Execution& result) {
    return result ? "succeeded" : result.error().code;
  }

  TempDir directory_;
  std::shared_ptr<tools::executors::command::CommandKind> kind_;
  tools::model::LocalContext context_;
  std::vector<tools::model::ProgressReport> reports_;
};

}  // namespace toolway::test

#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "tests/paths.h"
#include "tests/support/awaiting.h"
#include "tests/support/temp_dir.h"
#include "tools/executors/python/python_kind.h"
#include "tools/model/local_context.h"
#include "tools/model/registry.h"

namespace toolway::tools::executors::python {

inline std::string sample_directory() {
  return std::string(TOOLWAY_SOURCE_DIR) + "/tests/support/python";
}

/// Runs the functions of tests/support/python with real interpreters.
class PythonTest : public testing::Test {
 protected:
  PythonOptions options() {
    PythonOptions made;
    made.path = {sample_directory()};
    if (const char* other = std::getenv("TOOLWAY_TEST_PYTHON")) made.interpreter = other;
    return made;
  }
  void use(PythonOptions with) {
    auto made = make_python_kind(std::move(with));
    ASSERT_TRUE(made) << made.error().message;
    kind_ = std::move(*made);
  }

  model::Spec spec(const std::string& function, const std::string& module = "sample_tools") {
    model::Spec made{.name = "tool",
                     .ns = "python",
                     .input_schema = {{"type", "object"}},
                     .kind = model::Kind::kPython};
    made.implementation = {{"module", module}, {"function_name", function}};
    return made;
  }
  std::shared_ptr<const model::Tool> tool(model::Spec with) {
    if (!kind_) use(options());
    auto made = kind_->make(std::move(with));
    EXPECT_TRUE(made) << made.error().message;
    return made ? *made : nullptr;
  }

  model::Execution run(const std::string& function, const Json& arguments = Json::object()) {
    return run(tool(spec(function)), arguments);
  }
  model::Execution run(const std::shared_ptr<const model::Tool>& made,
                       const Json& arguments = Json::object()) {
    model::LocalContext local;
    local.secrets = {{"token", "xyzzy"}};
    return run(made, arguments, local);
  }
  model::Execution run(const std::shared_ptr<const model::Tool>& made, const Json& arguments,
                       model::LocalContext& local) {
    reports_.clear();
    model::ProgressTo progress([this](model::ProgressReport report) {
      reports_.push_back(report);
      if (on_report_) on_report_(report);
    });
    auto end = made->execute(arguments, local, progress);
    logged_ = local.logged();
    return end;
  }
  /// `code: message`, or the result.
  static std::string said(const model::Execution& execution) {
    return execution ? to_text(*execution)
                     : execution.error().code + ": " + execution.error().message;
  }
  std::string log() const {
    std::string all;
    for (const auto& [level, message] : logged_)
      all += std::to_string(static_cast<int>(level)) + " " + message + "\n";
    return all;
  }
  static bool alive(const Json& pid) {
    std::ifstream file("/proc/" + std::to_string(pid.get<int>()) + "/stat");
    std::string text;
    std::getline(file, text);
    return !text.empty() && text.find(") Z") == std::string::npos;
  }
  static bool ends(const Json& pid) {
    const auto until = std::chrono::steady_clock::now() + test::kPatience;
    while (alive(pid)) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::yield();
    }
    return true;
  }
  /// Our own children, including dead ones that were never waited for.
  static std::string children() {
    std::string all;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      std::ifstream file(task.path() / "children");
      std::string some;
      std::getline(file, some);
      all += some;
    }
    return all;
  }

  std::shared_ptr<model::ToolKind> kind_;
  std::vector<model::ProgressReport> reports_;
  std::function<void(const model::ProgressReport&)> on_report_;
  std::vector<std::pair<model::LogLevel, std::string>> logged_;
};

}  // namespace toolway::tools::executors::python

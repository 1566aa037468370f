#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <sstream>

#include "tests/support/temp_dir.h"
#include "tools/executors/mock/mocks.h"
#include "tools/model/local_context.h"
#include "tools/model/registry.h"

namespace toolway::tools::executors::mock {

/// Mocks over files of the test's own, with time that passes at once and is written down.
class MockTest : public testing::Test {
 protected:
  using Body = std::function<model::Execution(const Json&, model::ToolContext&, model::Progress&)>;

  /// What a real tool would be.
  class RealTool final : public model::Tool {
   public:
    RealTool(model::Spec spec, Body body) : spec_(std::move(spec)), body_(std::move(body)) {}
    const model::Spec& spec() const override { return spec_; }
    model::Execution execute(const Json& arguments, model::ToolContext& context,
                             model::Progress& progress) const override {
      return body_(arguments, context, progress);
    }

   private:
    const model::Spec spec_;
    const Body body_;
  };

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(directory_ / name, std::ios::binary) << text;
    return directory_ / name;
  }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(directory_ / name).rdbuf();
    return text.str();
  }

  std::shared_ptr<Mocks> mocks(MockOptions options) {
    MockEffects effects{.pause =
                            [this](std::chrono::milliseconds time, const std::stop_token& stop) {
                              pauses_.push_back(time.count());
                              if (on_pause_) on_pause_();
                              return !stop.stop_requested();
                            },
                        .hang = [this] { hung_ = true; },
                        .end_process = [this] { ended_ = true; }};
    auto made = Mocks::create(std::move(options), std::move(effects));
    EXPECT_TRUE(made) << made.error().message;
    return made ? *made : nullptr;
  }
  std::shared_ptr<Mocks> script(const std::string& text) {
    return mocks({.files = {write("mocks.yaml", text)}});
  }

  static model::Spec spec(model::Kind kind = model::Kind::kPython) {
    return {
        .name = "tool",
        .ns = "test",
        .input_schema = *parse_ordered_json(
            R"({"type": "object", "properties": {"q": {"type": "string", "default": "none"}}})"),
        .output_schema = *parse_ordered_json(R"({"type": ["object", "string", "integer"]})"),
        .kind = kind,
        .multi_step = true};
  }

  /// Runs the mocked tool the one way in which tools are run.
  model::Execution run(const Mocks& over, const Json& arguments = Json::object(),
                       model::Spec of = spec()) {
    auto tool = over.instead_of(of);
    EXPECT_TRUE(tool);
    if (!tool) return Json();
    return run(**model::register_tool(std::move(tool), model::SchemaChecks::kByRun), arguments);
  }
  model::Execution run(const model::RegisteredTool& tool, const Json& arguments) {
    reports_.clear();
    pauses_.clear();
    model::ProgressTo progress(
        [this](model::ProgressReport report) { reports_.push_back(std::move(report)); });
    auto end = tool.run(arguments, context_, progress);
    return end;
  }
  static std::string said(const model::Execution& execution) {
    return execution ? to_text(*execution)
                     : execution.error().code + ": " + execution.error().message;
  }

  const test::TempDir directory_;
  model::LocalContext context_;
  std::vector<model::ProgressReport> reports_;
  std::vector<std::int64_t> pauses_;  ///< milliseconds
  std::function<void()> on_pause_;
  bool hung_ = false;
  bool ended_ = false;
};

}  // namespace toolway::tools::executors::mock

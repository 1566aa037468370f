// How a tool is run, whatever its kind.
#include <fmt/format.h>

#include <mutex>

#include "tools/registry.h"

namespace toolway::tools {
namespace {

tl::unexpected<ToolError> refuse(ErrorCode code, std::string message) {
  return tl::unexpected(ToolError(std::string(code_name(code)), std::move(message)));
}

/// Passes reports on, and keeps what the result will be made of.
class Collecting final : public Progress {
 public:
  Collecting(Progress& next, const ResultForm& form) : next_(next), form_(form) {}

  void report(ProgressReport report) override {
    keep(report);
    next_.report(std::move(report));
  }

  Execution aggregate(Json result) {
    const std::scoped_lock lock(mutex_);
    if (bytes_ > form_.max_bytes) {
      return refuse(ErrorCode::kResultTooLarge,
                    fmt::format("the tool's reports have {} bytes, and its result is made of them; {} are allowed",
                                bytes_, form_.max_bytes));
    }
    if (form_.aggregate == Aggregate::kSteps) return Json{{"steps", std::move(kept_)}, {"result", std::move(result)}};
    if (!result.is_null()) kept_.push_back(std::move(result));
    return std::move(kept_);
  }

 private:
  void keep(const ProgressReport& report) {
    const bool steps = form_.aggregate == Aggregate::kSteps;
    if (!steps && report.data.is_null()) return;
    Json kept = report.data;
    if (steps) kept = {{"step", report.step}, {"message", report.message}, {"data", report.data}};
    const std::scoped_lock lock(mutex_);
    // Over the cap the sum alone is kept: it says by how much.
    bytes_ += to_text(kept).size();
    if (bytes_ <= form_.max_bytes) kept_.push_back(std::move(kept));
  }

  Progress& next_;
  const ResultForm& form_;
  std::mutex mutex_;
  Json kept_ = Json::array();  // under mutex_
  std::size_t bytes_ = 0;      // under mutex_
};

}  // namespace

Execution RegisteredTool::run(const Json& arguments, ToolContext& context, Progress& progress) const {
  // Native tools check as they read their arguments.
  if (spec().kind != Kind::kNative) {
    if (const auto wrong = input->validate(arguments); !wrong.empty()) {
      return refuse(ErrorCode::kInvalidArguments, describe(wrong));
    }
  }
  const bool collects = spec().multi_step && spec().result.aggregate != Aggregate::kLast;
  Execution result = Json();
  if (collects) {
    Collecting collecting(progress, spec().result);
    result = tool->execute(arguments, context, collecting);
    if (result) result = collecting.aggregate(std::move(*result));
  } else {
    result = tool->execute(arguments, context, progress);
  }
  if (!result || !output || spec().kind == Kind::kNative) return result;
  if (const auto wrong = output->validate(*result); !wrong.empty()) {
    return refuse(ErrorCode::kInvalidResult,
                  "the tool's result is not what its output schema says: " + describe(wrong));
  }
  return result;
}

}  // namespace toolway::tools

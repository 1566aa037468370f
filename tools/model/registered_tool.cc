// How a tool is run, whatever its kind.
#include <fmt/format.h>

#include <exception>
#include <optional>

#include "base/mutex.h"
#include "tools/model/readable.h"
#include "tools/model/registry.h"

namespace toolway::tools::model {
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
    const MutexLock lock(mutex_);
    const bool steps = form_.aggregate == Aggregate::kSteps;
    if (steps || !result.is_null()) add(to_text(result).size());
    const std::size_t bytes = bytes_ + (steps ? kAroundSteps : kAroundBlocks);
    if (bytes > form_.max_bytes) {
      return refuse(
          ErrorCode::kResultTooLarge,
          fmt::format(
              "the result, which is made of the tool's reports, has {} bytes; the limit is {}",
              bytes, form_.max_bytes));
    }
    if (steps) return Json{{"steps", std::move(kept_)}, {"result", std::move(result)}};
    if (!result.is_null()) kept_.push_back(std::move(result));
    return std::move(kept_);
  }

 private:
  // What the text of a result has besides its parts, each counted with a comma.
  static constexpr std::size_t kAroundBlocks = std::string_view("[").size();
  static constexpr std::size_t kAroundSteps = std::string_view(R"({"result":"steps":[})").size();

  void keep(const ProgressReport& report) {
    const bool steps = form_.aggregate == Aggregate::kSteps;
    if (!steps && report.data.is_null()) return;
    Json kept = report.data;
    if (steps) kept = {{"step", report.step}, {"message", report.message}, {"data", report.data}};
    const std::size_t size = to_text(kept).size();
    const MutexLock lock(mutex_);
    add(size);
    // Over the cap only the sum is kept, to say by how much.
    if (bytes_ <= form_.max_bytes) {
      kept_.push_back(std::move(kept));
    } else {
      kept_ = Json::array();
    }
  }

  void add(std::size_t size) REQUIRES(mutex_) { bytes_ += size + 1; }

  Progress& next_;
  const ResultForm& form_;
  Mutex mutex_;
  Json kept_ GUARDED_BY(mutex_) = Json::array();
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
};

/// Native tools see to their own exceptions; no other kind's may end the worker either.
Execution execute(const Tool& tool, const Json& arguments, ToolContext& context,
                  Progress& progress) {
  try {
    return tool.execute(arguments, context, progress);
  } catch (const std::exception& error) {
    return refuse(ErrorCode::kToolThrew, readable(error.what()));
  } catch (...) {
    return refuse(ErrorCode::kToolThrew,
                  fmt::format("tool '{}' threw something that is not a std::exception",
                              tool.spec().qualified_name()));
  }
}

}  // namespace

Execution RegisteredTool::run(const Json& given, ToolContext& context, Progress& progress) const {
  std::optional<Json> with_integers;
  if (checks == SchemaChecks::kByRun) {
    if (const auto wrong = input->validate(given); !wrong.empty()) {
      return refuse(ErrorCode::kInvalidArguments, schema::describe(wrong));
    }
    with_integers = input->with_integers(given);
  }
  const Json& arguments = with_integers ? *with_integers : given;
  const bool collects = spec().multi_step && spec().result.aggregate != Aggregate::kLast;
  Execution result = Json();
  if (collects) {
    Collecting collecting(progress, spec().result);
    result = execute(*tool, arguments, context, collecting);
    if (result) result = collecting.aggregate(std::move(*result));
  } else {
    result = execute(*tool, arguments, context, progress);
  }
  // A native tool's type is its schema; what it is aggregated to is not.
  if (!result || !output || (checks == SchemaChecks::kByTool && !collects)) return result;
  if (const auto wrong = output->validate(*result); !wrong.empty()) {
    return refuse(ErrorCode::kInvalidResult,
                  "the tool's result does not match its output schema: " + schema::describe(wrong));
  }
  return result;
}

}  // namespace toolway::tools::model

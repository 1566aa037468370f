#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "tools/model/registry.h"
#include "tools/native/native.h"

/// Tools that misbehave in every way a worker must survive. Namespace `sample`.
namespace toolway::tools::samples {

struct Throws {
  static constexpr native::ToolInfo info{.name = "throws", .ns = "sample", .idempotent = true};
  struct Args {
    std::string message = "out of cheese";
    bool standard = true;  ///< false: throws an int
    static constexpr auto fields = std::to_array<native::Field>(
        {{.name = "message", .has_default = true}, {.name = "standard", .has_default = true}});
  };
  Result<Json> run(const Args& args, model::ToolContext&) const {
    if (!args.standard) throw 42;
    throw std::runtime_error(args.message);
  }
};
BOOST_DESCRIBE_STRUCT(Throws::Args, (), (message, standard))

/// Hangs until it is cancelled, then says so.
struct Hangs {
  static constexpr native::ToolInfo info{.name = "hangs", .ns = "sample", .idempotent = true};
  Result<Json> run(model::ToolContext& context) const {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait(lock, context.cancellation(), [] { return false; });
    return fail(ErrorCode::kCancelled, "it was told to stop");
  }
};

/// Reports once, so that a test knows it runs, and then hangs until it is cancelled.
struct ReportsThenHangs {
  static constexpr native::ToolInfo info{
      .name = "reports_then_hangs", .ns = "sample", .idempotent = true};
  Result<Json> run(model::ToolContext& context, model::Progress& progress) const {
    progress.report({.progress = 1, .total = 2, .message = "half way"});
    return Hangs().run(context);
  }
};

/// Takes its time, whatever it is told.
struct IgnoresCancellation {
  static constexpr native::ToolInfo info{
      .name = "ignores_cancellation", .ns = "sample", .idempotent = true};
  struct Args {
    std::int64_t ms = 0;
    static constexpr auto fields =
        std::to_array<native::Field>({{.name = "ms", .minimum = 0, .maximum = 60000}});
  };
  Result<Json> run(const Args& args, model::ToolContext&) const {
    std::this_thread::sleep_for(std::chrono::milliseconds(args.ms));
    return Json{{"waited_ms", args.ms}};
  }
};
BOOST_DESCRIBE_STRUCT(IgnoresCancellation::Args, (), (ms))

/// Returns a string of that many bytes: more than any result may have, by default.
struct TooLarge {
  static constexpr native::ToolInfo info{.name = "too_large", .ns = "sample", .idempotent = true};
  struct Args {
    std::int64_t bytes = 2 * 1024 * 1024;
    static constexpr auto fields = std::to_array<native::Field>(
        {{.name = "bytes", .has_default = true, .minimum = 0, .maximum = 64 * 1024 * 1024}});
  };
  struct Output {
    std::string text;
  };
  Result<Output> run(const Args& args, model::ToolContext&) const {
    return Output{std::string(static_cast<std::size_t>(args.bytes), 'x')};
  }
};
BOOST_DESCRIBE_STRUCT(TooLarge::Args, (), (bytes))
BOOST_DESCRIBE_STRUCT(TooLarge::Output, (), (text))

/// Not idempotent: its Started must be acknowledged before it runs.
struct Counts {
  static constexpr native::ToolInfo info{.name = "counts", .ns = "sample"};
  explicit Counts(std::shared_ptr<std::atomic<int>> count) : runs(std::move(count)) {}
  Result<Json> run(model::ToolContext&) const { return Json{{"runs", ++*runs}}; }
  std::shared_ptr<std::atomic<int>> runs;
};

/// Fails in its own words.
struct FailsItsWay {
  static constexpr native::ToolInfo info{
      .name = "fails_its_way", .ns = "sample", .idempotent = true};
  model::ToolResult<Json> run(model::ToolContext&) const {
    model::ToolError error("quota_exceeded", "the daily quota is used up");
    error.retryable = true;
    error.retry_after = std::chrono::milliseconds(1500);
    error.details = {{"used", 100}, {"limit", 100}};
    return tl::unexpected(error);
  }
};

/// Returns text that is not UTF-8.
struct NotUtf8 {
  static constexpr native::ToolInfo info{.name = "not_utf8", .ns = "sample", .idempotent = true};
  Result<Json> run(model::ToolContext&) const { return Json{{"text", "\xff\xfe"}}; }
};

/// All of the above; `runs` counts the executions of `sample.counts`.
inline std::shared_ptr<const model::Registry> sample_registry(
    std::shared_ptr<std::atomic<int>> runs = std::make_shared<std::atomic<int>>(0)) {
  auto registry = std::make_shared<model::Registry>();
  for (auto& tool :
       {native::make_native_tool<Throws>(), native::make_native_tool<Hangs>(),
        native::make_native_tool<ReportsThenHangs>(),
        native::make_native_tool<IgnoresCancellation>(), native::make_native_tool<TooLarge>(),
        native::make_native_tool<Counts>(std::move(runs)), native::make_native_tool<FailsItsWay>(),
        native::make_native_tool<NotUtf8>()}) {
    if (auto added = registry->add(tool); !added) throw std::logic_error(added.error().message);
  }
  return registry;
}

}  // namespace toolway::tools::samples

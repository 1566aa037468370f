#include "tools/builtin/bench_tools.h"

#include <algorithm>

#include "base/pause.h"
#include "base/try.h"
#include "tools/native/native.h"

namespace toolway::tools::builtin {
namespace {

struct Echo {
  static constexpr native::ToolInfo info{.name = "echo",
                                         .ns = "bench",
                                         .description = "Returns its payload.",
                                         .topic = "Echo",
                                         .category = "benchmark",
                                         .idempotent = true};
  struct Args {
    std::string payload;
    static constexpr auto fields = std::to_array<native::Field>(
        {{.name = "payload", .description = "What is returned.", .has_default = true}});
  };
  struct Output {
    std::string payload;
  };
  Result<Output> run(const Args& args, model::ToolContext&) const { return Output{args.payload}; }
};
BOOST_DESCRIBE_STRUCT(Echo::Args, (), (payload))
BOOST_DESCRIBE_STRUCT(Echo::Output, (), (payload))

struct Stream {
  static constexpr native::ToolInfo info{.name = "stream",
                                         .ns = "bench",
                                         .description =
                                             "Publishes `chunks` progress reports that carry the "
                                             "payload, then returns how many.",
                                         .topic = "Stream",
                                         .category = "benchmark",
                                         .idempotent = true};
  struct Args {
    std::string payload;
    std::int64_t chunks = 10;
    static constexpr auto fields = std::to_array<native::Field>(
        {{.name = "payload", .description = "Data of every report.", .has_default = true},
         {.name = "chunks",
          .description = "How many reports.",
          .has_default = true,
          .minimum = 0,
          .maximum = 10000}});
  };
  struct Output {
    std::int64_t chunks = 0;
  };
  model::ToolResult<Output> run(const Args& args, model::ToolContext& context,
                                model::Progress& progress) const {
    const auto cancelled = context.cancellation();
    for (std::int64_t chunk = 1; chunk <= args.chunks; ++chunk) {
      if (cancelled.stop_requested()) {
        return tl::unexpected(model::ToolError("cancelled", "stopped before the last report"));
      }
      model::ProgressReport report{.progress = static_cast<double>(chunk),
                                   .total = static_cast<double>(args.chunks)};
      if (!args.payload.empty()) report.data = args.payload;
      progress.report(std::move(report));
    }
    return Output{args.chunks};
  }
};
BOOST_DESCRIBE_STRUCT(Stream::Args, (), (payload, chunks))
BOOST_DESCRIBE_STRUCT(Stream::Output, (), (chunks))

struct Work {
  static constexpr native::ToolInfo info{
      .name = "work",
      .ns = "bench",
      .description =
          "Waits for `wait_ms`, publishing `chunks` progress reports on the way, and "
          "returns `result_bytes` bytes.",
      .topic = "Work",
      .category = "benchmark",
      .idempotent = true};
  struct Args {
    std::string payload;
    std::int64_t wait_ms = 0;
    std::int64_t result_bytes = 0;
    std::int64_t chunks = 0;
    static constexpr auto fields = std::to_array<native::Field>(
        {{.name = "payload", .description = "Carried, never read.", .has_default = true},
         {.name = "wait_ms",
          .description = "How long it takes.",
          .has_default = true,
          .minimum = 0,
          .maximum = 3'600'000},
         {.name = "result_bytes",
          .description = "Size of the result.",
          .has_default = true,
          .minimum = 0,
          .maximum = 16'777'216},
         {.name = "chunks",
          .description = "How many reports.",
          .has_default = true,
          .minimum = 0,
          .maximum = 10000}});
  };
  struct Output {
    std::string data;
  };
  model::ToolResult<Output> run(const Args& args, model::ToolContext& context,
                                model::Progress& progress) const {
    const auto cancelled = context.cancellation();
    const auto steps = std::max<std::int64_t>(args.chunks, 1);
    for (std::int64_t step = 1; step <= steps; ++step) {
      if (!pause(std::chrono::microseconds(args.wait_ms * 1000 / steps), cancelled))
        return tl::unexpected(model::ToolError("cancelled", "stopped before it ended"));
      if (args.chunks > 0)
        progress.report(
            {.progress = static_cast<double>(step), .total = static_cast<double>(steps)});
    }
    return Output{std::string(static_cast<std::size_t>(args.result_bytes), 'x')};
  }
};
BOOST_DESCRIBE_STRUCT(Work::Args, (), (payload, wait_ms, result_bytes, chunks))
BOOST_DESCRIBE_STRUCT(Work::Output, (), (data))

struct WorkOnce : Work {
  static constexpr native::ToolInfo info{
      .name = "work_once",
      .ns = "bench",
      .description = "As `work`, but a call of it never runs twice.",
      .topic = "Work, once",
      .category = "benchmark"};
};

struct Ask {
  static constexpr native::ToolInfo info{
      .name = "ask",
      .ns = "bench",
      .description = "Asks its question, and returns what was done with it.",
      .topic = "Ask",
      .category = "benchmark",
      .idempotent = true};
  struct Args {
    std::string question = "Continue?";
    static constexpr auto fields = std::to_array<native::Field>(
        {{.name = "question", .description = "What is asked.", .has_default = true}});
  };
  struct Output {
    std::string action;  ///< accept, decline or cancel
  };
  model::ToolResult<Output> run(const Args& args, model::ToolContext& context,
                                model::Progress&) const {
    const Json form{{"type", "object"}, {"properties", {{"comment", {{"type", "string"}}}}}};
    model::Question question{.key = "question",
                             .method = "elicitation/create",
                             .params = {{"message", args.question}, {"requestedSchema", form}}};
    ASSIGN_OR_RETURN(const auto answers, context.ask({std::move(question)}, {}));
    return Output{answers.front().value("action", "")};
  }
};
BOOST_DESCRIBE_STRUCT(Ask::Args, (), (question))
BOOST_DESCRIBE_STRUCT(Ask::Output, (), (action))

}  // namespace

std::vector<std::shared_ptr<const model::Tool>> bench_tools() {
  return {native::make_native_tool<Echo>(), native::make_native_tool<Stream>(),
          native::make_native_tool<Work>(), native::make_native_tool<WorkOnce>(),
          native::make_native_tool<Ask>()};
}

}  // namespace toolway::tools::builtin

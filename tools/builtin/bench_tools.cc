#include "tools/builtin/bench_tools.h"

#include "tools/native.h"

namespace toolway::tools {
namespace {

struct Echo {
  static constexpr ToolInfo info{.name = "echo",
                                 .ns = "bench",
                                 .description = "Returns its payload.",
                                 .topic = "Echo",
                                 .category = "benchmark",
                                 .idempotent = true};
  struct Args {
    std::string payload;
    static constexpr auto fields = std::to_array<Field>(
        {{.name = "payload", .description = "What is returned.", .has_default = true}});
  };
  struct Output {
    std::string payload;
  };
  Result<Output> run(const Args& args, ToolContext&) const { return Output{args.payload}; }
};
BOOST_DESCRIBE_STRUCT(Echo::Args, (), (payload))
BOOST_DESCRIBE_STRUCT(Echo::Output, (), (payload))

struct Stream {
  static constexpr ToolInfo info{.name = "stream",
                                 .ns = "bench",
                                 .description = "Publishes `chunks` progress reports that carry the "
                                                "payload, then returns how many.",
                                 .topic = "Stream",
                                 .category = "benchmark",
                                 .idempotent = true};
  struct Args {
    std::string payload;
    std::int64_t chunks = 10;
    static constexpr auto fields = std::to_array<Field>(
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
  ToolResult<Output> run(const Args& args, ToolContext& context, Progress& progress) const {
    const auto cancelled = context.cancellation();
    for (std::int64_t chunk = 1; chunk <= args.chunks; ++chunk) {
      if (cancelled.stop_requested()) {
        return tl::unexpected(ToolError("cancelled", "stopped before the last report"));
      }
      ProgressReport report{.progress = static_cast<double>(chunk),
                            .total = static_cast<double>(args.chunks)};
      if (!args.payload.empty()) report.data = args.payload;
      progress.report(std::move(report));
    }
    return Output{args.chunks};
  }
};
BOOST_DESCRIBE_STRUCT(Stream::Args, (), (payload, chunks))
BOOST_DESCRIBE_STRUCT(Stream::Output, (), (chunks))

}  // namespace

std::vector<std::shared_ptr<const Tool>> bench_tools() {
  return {make_native_tool<Echo>(), make_native_tool<Stream>()};
}

}  // namespace toolway::tools

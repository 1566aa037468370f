#include <time.h>

#include <cstdio>
#include <string>
#include <vector>

#include "monitoring/metric_names.h"
#include "monitoring/otlp/metric_json.h"
#include "monitoring/otlp/otlp.h"
#include "monitoring/otlp/span_json.h"

/// CPU time that tracing takes from a call's threads, and from the thread that sends.
namespace {

using namespace toolway;
using namespace toolway::monitoring;

double cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/// As a worker makes it for an attempt.
toolway::monitoring::Span attempt_span(const toolway::TraceContext& context,
                                       const toolway::TraceContext& parent) {
  return {
      .name = "execute_tool time.get_current_time",
      .context = context,
      .parent = parent,
      .link = {},
      .start = toolway::from_unix_us(1'795'212'072'000'000),
      .end = toolway::from_unix_us(1'795'212'072'000'130),
      .attributes = {{"gen_ai.operation.name", std::string("execute_tool")},
                     {"gen_ai.tool.name", std::string("time.get_current_time")},
                     {"gen_ai.tool.type", std::string("function")},
                     {"gen_ai.tool.call.id", std::string("01a1fafa-5826-7735-bf92-0fb1326b9e31")},
                     {"gen_ai.conversation.id", std::string("session-4711")},
                     {"toolway.call.id", std::string("01a1fafa-5826-7735-bf92-0fb1326b9e31")},
                     {"toolway.tool.kind", std::string("native")},
                     {"toolway.pool", std::string("native")},
                     {"toolway.worker.id", std::string("6d7ad6f58feca7d53b352ef42784ab0e")},
                     {"toolway.attempt", std::int64_t{1}},
                     {"toolway.outcome", std::string("succeeded")}},
      .error_type = {}};
}

template <typename Work>
void measure(const char* what, int times, Work work) {
  const double begin = cpu_ns();
  for (int i = 0; i < times; ++i) work();
  std::printf("%-58s %9.0f ns\n", what, (cpu_ns() - begin) / times);
}

}  // namespace

int main() {
  const auto metrics = toolway::monitoring::make_registry("worker");
  // No receiver listens there; what is sent is lost, on the thread that sends.
  const auto tracer = toolway::monitoring::otlp::start_otlp({.endpoint = "http://127.0.0.1:9",
                                                             .process = "worker",
                                                             .root_probability = 0.01,
                                                             .spans_per_second = 1'000'000,
                                                             .flush = std::chrono::milliseconds(1)},
                                                            *metrics);
  if (!tracer) return 1;
  const auto parent = toolway::TraceContext::root(true);
  const auto silent = toolway::TraceContext::root(false);
  measure("start: a root, 1 % sampled", 1'000'000, [&] { (void)(*tracer)->start({}); });
  measure("start: below one that is not sampled", 1'000'000,
          [&] { (void)(*tracer)->start(silent); });
  measure("start, build and end: sampled", 20'000,
          [&] { (*tracer)->end(attempt_span((*tracer)->start(parent), parent)); });
  const std::vector<toolway::monitoring::Span> batch(512, attempt_span(parent.child(), parent));
  const toolway::monitoring::otlp::NamedTexts resource{{"service.name", "toolway-worker"}};
  std::size_t bytes = 0;
  measure("encoding a batch of 512 spans, on the sending thread", 50,
          [&] { bytes = toolway::monitoring::otlp::spans_json(resource, batch).size(); });
  std::printf("%-58s %9zu bytes\n", "a span of it", bytes / batch.size());
  for (int tool = 0; tool < 1000; ++tool) {
    const auto name = "farm.some_tool_name_" + std::to_string(tool);
    metrics->histogram(toolway::monitoring::kRun, {.tool = name, .pool = "native"})
        .observe(std::chrono::milliseconds(1));
    metrics
        ->counter(toolway::monitoring::kCallsCompleted,
                  {.tool = name, .pool = "native", .outcome = "succeeded"})
        .add();
  }
  measure("encoding the metrics of 1,000 tools, each minute", 10, [&] {
    (void)toolway::monitoring::otlp::metrics_json(resource, metrics->snapshot(),
                                                  {.start = {}, .now = toolway::from_unix_us(1)});
  });
}

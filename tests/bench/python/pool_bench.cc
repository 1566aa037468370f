// How many calls a second the pool of interpreters runs, without a bus:
// `python_pool_bench [seconds] [function]`, for 1, 2 and 4 threads.
#include <fmt/format.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "tests/paths.h"
#include "tools/executors/python/python_kind.h"
#include "tools/model/local_context.h"

namespace {

using namespace toolway;
using namespace toolway::tools;
using Clock = std::chrono::steady_clock;

double cpu_seconds(int who) {
  rusage used{};
  getrusage(static_cast<__rusage_who>(who), &used);
  const auto seconds = [](const timeval& time) {
    return double(time.tv_sec) + double(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void measure(unsigned threads, double seconds, const std::string& function) {
  const double pythons = cpu_seconds(RUSAGE_CHILDREN);
  const double ours = cpu_seconds(RUSAGE_SELF);
  std::atomic<std::uint64_t> calls = 0;
  std::atomic<std::uint64_t> failed = 0;
  {
    toolway::tools::executors::python::PythonOptions options;
    options.path = {std::string(TOOLWAY_SOURCE_DIR) + "/tests/support/python"};
    options.warm = options.processes = threads;
    auto kind = make_python_kind(options);
    if (!kind) return fmt::print("{}\n", kind.error().message);
    toolway::tools::model::Spec spec{.name = "bench",
                                     .input_schema = {{"type", "object"}},
                                     .kind = toolway::tools::model::Kind::kPython};
    spec.implementation = {{"module", "sample_tools"}, {"function_name", function}};
    const auto tool = (*kind)->make(spec);
    if (!tool) return fmt::print("{}\n", tool.error().message);
    const auto until = Clock::now() + std::chrono::duration<double>(seconds);
    std::vector<std::jthread> running;
    for (unsigned i = 0; i < threads; ++i) {
      running.emplace_back([&] {
        toolway::tools::model::ProgressTo nobody({});
        while (Clock::now() < until) {
          toolway::tools::model::LocalContext context;
          if (!(*tool)->execute(Json::object(), context, nobody)) ++failed;
          ++calls;
        }
      });
    }
  }
  const double each = 1e6 / double(std::max<std::uint64_t>(calls, 1));
  fmt::print(
      "{} threads: {:.0f} calls/s, {:.1f} us CPU per call here, {:.1f} us in Python, {} failed\n",
      threads, double(calls) / seconds, (cpu_seconds(RUSAGE_SELF) - ours) * each,
      (cpu_seconds(RUSAGE_CHILDREN) - pythons) * each, failed.load());
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 5;
  const std::string function = argc > 2 ? argv[2] : "noop";
  for (const unsigned threads : {1U, 2U, 4U}) measure(threads, seconds, function);
}

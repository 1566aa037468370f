// What running a command costs, next to bubblewrap alone and to a bare process:
// `command_bench [rounds] [threads]`. Rounds of all three are interleaved, since machines are busy.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tools/executors/command/command_kind.h"
#include "tools/model/local_context.h"
#include "tools/model/registry.h"

namespace {

using namespace toolway;
using namespace toolway::tools;
using Clock = std::chrono::steady_clock;

double timed(const std::function<bool()>& what) {
  const auto begin = Clock::now();
  if (!what()) {
    fmt::print(stderr, "it failed\n");
    std::exit(1);
  }
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

bool run_child(toolway::os::ChildOptions options) {
  auto child = toolway::os::Child::start(options);
  return child && (*child)->wait(std::chrono::milliseconds::max())->status == 0;
}

void say(const char* name, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  fmt::print("{:34} p50 {:6.2f} ms   p90 {:6.2f} ms   min {:6.2f} ms\n", name,
             times[times.size() / 2], times[times.size() * 9 / 10], times.front());
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 200;
  const int threads = argc > 2 ? std::atoi(argv[2]) : 4;
  const auto directory =
      std::filesystem::temp_directory_path() / fmt::format("toolway-command-bench-{}", getpid());
  toolway::tools::executors::command::CommandOptions options;
  options.sandbox.directory = directory;
  auto kind = toolway::tools::executors::command::make_command_kind(options);
  if (!kind) return 1;
  fmt::print("{}\n", (*kind)->status().describe());
  toolway::tools::model::Spec spec;
  spec.name = "nothing";
  spec.kind = toolway::tools::model::Kind::kCommand;
  spec.input_schema = {{"type", "object"}};
  spec.implementation = {{"argv", {"/bin/true"}}};
  const auto tool = *toolway::tools::model::register_tool(*(*kind)->make(spec));
  const auto ours = [&] {
    toolway::tools::model::LocalContext context;
    toolway::tools::model::ProgressTo progress({});
    return tool->run(toolway::Json::object(), context, progress).has_value();
  };

  // The same user; without arguments that a sandbox could do without, and with those that ours has.
  const auto user = geteuid() == 0 ? std::optional<uid_t>(options.sandbox.user) : std::nullopt;
  const toolway::os::ChildOptions bare{.argv = {"/bin/true"}, .environment = {}, .user = user};
  const toolway::os::ChildOptions least{
      .argv = {"bwrap", "--unshare-user", "--unshare-all", "--die-with-parent", "--ro-bind", "/usr",
               "/usr", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64", "--",
               "/usr/bin/true"},
      .environment = {},
      .directory = std::string(1, '/'),
      .user = user};
  auto same = least;
  const auto sandbox = *toolway::tools::executors::command::Sandbox::create(options.sandbox);
  // What the worker passes in files is left out: the filter, the environment, the held start.
  const auto launch =
      sandbox->prepare("default", {.argv = {"/bin/true"}, .environment = {}, .directory = "/"});
  same.argv.clear();
  for (std::size_t i = 0; i < launch->child.argv.size(); ++i) {
    const auto& word = launch->child.argv[i];
    if (word == "--json-status-fd" || word == "--block-fd" || word == "--seccomp" ||
        word == "--args")
      ++i;
    else
      same.argv.push_back(word);
  }
  std::vector<double> times[4];
  for (int i = 0; i < rounds; ++i) {
    times[0].push_back(timed([&] { return run_child(bare); }));
    times[1].push_back(timed([&] { return run_child(least); }));
    times[2].push_back(timed([&] { return run_child(same); }));
    times[3].push_back(timed(ours));
  }
  say("a process", times[0]);
  say("bubblewrap, fewest arguments", times[1]);
  say("bubblewrap, our arguments", times[2]);
  say("a command tool", times[3]);

  std::atomic<int> left{rounds * 2};
  const auto begin = Clock::now();
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < threads; ++i)
      workers.emplace_back([&] {
        while (left-- > 0) ours();
      });
  }
  const auto seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  fmt::print("{:34} {:.0f}/s with {} threads\n", "command tools", rounds * 2 / seconds, threads);
  std::error_code ignored;
  std::filesystem::remove_all(directory, ignored);
  return 0;
}

#include "cli/bench/results/run_facts.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "base/try.h"
#include "cli/bench/results/machine.h"
#include "cli/bench/results/store.h"

namespace toolway::cli::bench::results {
namespace {

/// `2026-11-21T22:05:00.123Z`
std::string now_text() {
  const auto now =
      std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const auto count = now.time_since_epoch().count();
  const std::time_t seconds = count / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  return fmt::format("{}.{:03}Z", text.data(), count % 1000);
}

}  // namespace

OrderedJson facts_before_run(OrderedJson options) {
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
  return {{"started_at", now_text()},
          {"program", program_facts(program)},
          {"machine", machine_facts()},
          {"options", std::move(options)}};
}

OrderedJson stack_facts(const stack::StackOptions& stack) {
  return {{"settings", stack.settings},
          {"durability", name_of(stack.durability)},
          {"otlp", !stack.otlp.empty()},
          {"trace_sample", stack.trace_sample ? OrderedJson(*stack.trace_sample) : OrderedJson()},
          {"log_level", stack.log_level}};
}

Result<void> write_text(const std::string& file, const std::string& text) {
  if (file.empty() || (std::ofstream(file) << text)) return {};
  return fail(ErrorCode::kInvalidRequest, fmt::format("cannot write {}", file));
}

Result<std::string> keep_in_store(const options::ScenarioOptions& options, const std::string& name,
                                  const OrderedJson& result) {
  RETURN_IF_ERROR(write_text(options.json, result.dump(1) + "\n"));
  const auto directory = options.store.value_or(options::kStore);
  if (directory.empty()) return {};
  const ResultStore store(directory);
  if (const auto last = store.last(name)) {
    fmt::print("\ncompared with the last run, of {}:\n",
               last->value("started_at", "an unknown time"));
    for (const auto& line : compare(*last, result)) fmt::print("  {}\n", line);
  }
  auto kept = store.keep(name, result["started_at"].get<std::string>(), result);
  if (kept) fmt::print("\nkept: {}\n", *kept);
  return kept;
}

}  // namespace toolway::cli::bench::results

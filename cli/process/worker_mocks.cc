#include "cli/process/worker_mocks.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/try.h"

namespace toolway::cli::process {

std::vector<std::string> arguments_of(const MockFlags& flags) {
  std::vector<std::string> arguments;
  for (const auto& file : flags.files) arguments.insert(arguments.end(), {"--mock", file});
  if (!flags.files.empty())
    arguments.insert(arguments.end(), {"--mock-speed", fmt::format("{}", flags.speed)});
  if (flags.only) arguments.emplace_back("--mock-only");
  if (!flags.record.empty()) arguments.insert(arguments.end(), {"--record", flags.record});
  return arguments;
}

Result<std::shared_ptr<const tools::executors::mock::Mocks>> make_worker_mocks(
    const MockFlags& flags, const tools::model::Registry& natives,
    std::shared_ptr<const tools::model::Secrets> secrets) {
  if (!flags.any()) return nullptr;
  ASSIGN_OR_RETURN(auto mocks,
                   tools::executors::mock::Mocks::create(
                       {.files = flags.files,
                        .speed = flags.speed,
                        .unmocked = flags.only ? tools::executors::mock::Unmocked::kRefused
                                               : tools::executors::mock::Unmocked::kRun,
                        .record = flags.record,
                        .secrets = std::move(secrets)}));
  std::vector<tools::model::Spec> specs;
  for (const auto& tool : natives.list()) specs.push_back(tool->spec());
  if (const auto mistakes = mocks->check(specs); !mistakes.empty()) {
    std::string lines;
    for (const auto& mistake : mistakes) lines += (lines.empty() ? "" : "\n") + mistake.text();
    return fail(ErrorCode::kInvalidSpec, std::move(lines));
  }
  for (const auto& line : mocks->warnings()) spdlog::warn("{}", line);
  return mocks;
}

}  // namespace toolway::cli::process

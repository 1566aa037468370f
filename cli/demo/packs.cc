#include "cli/demo/packs.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "base/os/file_io.h"
#include "base/try.h"
#include "local/leftover.h"

namespace toolway::cli::demo {

namespace fs = std::filesystem;

std::vector<DemoPack> demo_packs() {
  return {web_search_in_demo(), ethereum_in_demo(), filesystem_in_demo(), mocks_in_demo()};
}

Result<std::string> DemoStage::serve(const std::string& name) {
  const auto ready = directory + "/" + name + ".url";
  const auto log = directory + "/" + name + ".log";
  ASSIGN_OR_RETURN(auto started, local::ChildProcess::start(
                                     {.argv = {stack.python, packs + "/" + name + "/server.py",
                                               "--port", "0", "--ready-file", ready},
                                      .log_file = log}));
  servers.push_back(std::move(started));
  for (const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
       !fs::exists(ready);) {
    if (servers.back()->poll() || std::chrono::steady_clock::now() > deadline) {
      return fail(ErrorCode::kTimeout,
                  fmt::format("the server of pack {} did not start; its log ends:\n{}", name,
                              local::tail(log)));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return os::read_file(ready);
}

Result<void> DemoStage::secret(const std::string& name, const std::string& value) {
  const auto secrets = directory + "/secrets";
  std::error_code error;
  fs::create_directories(secrets, error);
  if (error)
    return fail(ErrorCode::kInternal,
                fmt::format("cannot create {}: {}", secrets, error.message()));
  stack.secrets_directory = secrets;
  return os::write_whole_file(secrets + "/" + name, value);
}

}  // namespace toolway::cli::demo

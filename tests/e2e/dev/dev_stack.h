#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/json.h"
#include "cli/client/http_client.h"
#include "local/child_process.h"
#include "tests/support/temp_dir.h"

namespace toolway::cli {

/// Looks again every 10 ms, for what another process does without telling us.
template <typename Condition>
bool wait_for(Condition condition, std::chrono::milliseconds timeout = std::chrono::seconds(30)) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  do {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  } while (std::chrono::steady_clock::now() < deadline);
  return false;
}

std::string text_of(const std::string& file);

/// A field of /proc/PID/status that counts KiB, such as `VmRSS:`; 0 when there is none.
std::int64_t status_kb(int pid, const std::string& field);

/// `toolway dev` as a person starts it, and what its ready file says.
class Dev {
 public:
  using Environment = std::map<std::string, std::string>;
  explicit Dev(const test::TempDir& dir, std::vector<std::string> more = {},
               Environment environment = {});

  /// The ready file; null while there is none.
  Json ready() const;
  std::string url() const { return ready().value("http", ""); }
  /// Of the first process of a role; 0 while unknown.
  int pid_of(const std::string& role) const;
  std::string log() const { return text_of(log_); }
  bool says(const std::string& text) const { return log().find(text) != std::string::npos; }

  std::unique_ptr<local::ChildProcess> process;

 private:
  std::string ready_file_;
  std::string log_;
};

/// One call to its end, in session `e2e` of user `e2e`.
struct CallSeen {
  std::string call_id;
  std::string outcome;  ///< or why there is none
};
CallSeen call_and_wait(const std::string& url);

/// The call as `GET` shows it; null when it does not.
OrderedJson shown_call(const std::string& url, const std::string& call_id);

/// A client verb, or another one that ends by itself.
struct Ran {
  int status = -1;
  std::string output;  ///< both streams
  OrderedJson json() const;
};
Ran run_toolway(const test::TempDir& dir, const std::vector<std::string>& arguments,
                Dev::Environment environment = {});

}  // namespace toolway::cli

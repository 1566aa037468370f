#include "cli/stack/fleet_process.h"

#include <csignal>
#include <filesystem>

#include "base/os/file_io.h"
#include "base/try.h"
#include "cli/client/http_client.h"
#include "cli/terminal/exit_code.h"

namespace toolway::cli::stack {

ErrorCode code_of_end(const std::optional<int>& status) {
  return status == terminal::kExitUsage || status == terminal::kExitRefused
             ? ErrorCode::kInvalidRequest
             : ErrorCode::kTimeout;
}

Result<void> FleetProcess::start(Time now) {
  std::error_code ignored;
  std::filesystem::remove(plan_.ready_file, ignored);
  auto argv = plan_.argv;
  argv.insert(argv.end(), {plan_.role == "gateway" ? "--http" : "--metrics", plan_.listen,
                           "--ready-file", plan_.ready_file});
  ready_ = false;
  after_end_ = AfterEnd::kStartLater;
  started_at_ = now;
  ASSIGN_OR_RETURN(child_, local::ChildProcess::start({.argv = std::move(argv),
                                                       .environment = plan_.environment,
                                                       .log_file = plan_.log_file}));
  end_seen_ = false;
  return {};
}

bool FleetProcess::check_ready() {
  if (after_end_ != AfterEnd::kStartLater) return false;  // on its way out, whatever its file says
  if (ready_ || end_seen_ || !std::filesystem::exists(plan_.ready_file)) return ready_;
  const auto text = os::read_file(plan_.ready_file);
  if (!text) return false;
  const auto said = parse_json(*text);
  if (!said || !said->is_object() || !said->contains("http")) return false;
  url_ = said->at("http").get<std::string>();
  // It comes back at the same address, so that no client has to look for it again.
  plan_.listen = url_.substr(std::string_view("http://").size());
  auto client = client::HttpClient::create({.url = url_, .timeout = std::chrono::seconds(2)});
  if (!client) return false;
  const auto answer = (*client)->request("GET", "/readyz");
  ready_ = answer && answer->ok();
  return ready_;
}

void FleetProcess::end_gently(AfterEnd after) {
  after_end_ = after;
  ready_ = false;
  if (child_) child_->signal(SIGTERM);
}

std::optional<int> FleetProcess::died() {
  if (end_seen_ || !child_) return std::nullopt;
  const auto status = child_->poll();
  if (status) {
    end_seen_ = true;
    ready_ = false;
  }
  return status;
}

}  // namespace toolway::cli::stack

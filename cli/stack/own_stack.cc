#include "cli/stack/own_stack.h"

#include <sys/stat.h>

#include <filesystem>

#include "base/os/file_io.h"
#include "base/try.h"

namespace toolway::cli::stack {

Result<std::unique_ptr<OwnStack>> OwnStack::start(StackOptions options,
                                                  process::StopSignals& signals) {
  ASSIGN_OR_RETURN(const auto directory, os::make_temporary_directory("toolway"));
  // As root, Postgres runs as another user, which has to pass through.
  chmod(directory.c_str(), 0711);
  std::unique_ptr<OwnStack> own(new OwnStack(directory, signals));
  options.data = directory;
  options.http = "127.0.0.1:0";
  // A benchmark opens any number of sessions, all of one user.
  options.gateway_options.insert(options.gateway_options.end(),
                                 {"--user-sessions", "0", "--user-session-rate", "0",
                                  "--user-sessions-mib", "0", "--user-sessions-per-day", "0"});
  ASSIGN_OR_RETURN(own->stack_, Stack::start(std::move(options), signals));
  return own;
}

OwnStack::~OwnStack() {
  std::string postgres;
  if (stack_) {
    stack_->stop(signals_);
    postgres = stack_->where("postgres");
  }
  stack_.reset();
  remove_data(postgres);
}

void OwnStack::abandon() {
  stack_->kill_all();
  remove_data(stack_->where("postgres"));
}

void OwnStack::remove_data(const std::string& postgres) const {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
  // Elsewhere when its user cannot reach our directory.
  if (!postgres.empty()) std::filesystem::remove_all(postgres, ignored);
}

}  // namespace toolway::cli::stack

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <atomic>

#include "base/log.h"
#include "base/mutex.h"
#include "base/os/wake_fd.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/client/interruption.h"
#include "cli/mcp_serve/bridge.h"
#include "cli/mcp_serve/change_listener.h"
#include "cli/mcp_serve/exchange.h"
#include "cli/mcp_serve/line_source.h"
#include "cli/mcp_serve/parameter_headers.h"
#include "cli/mcp_serve/verbs.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/report.h"

namespace toolway::cli::mcp_serve {
namespace {

/// Standard output: one line at a time. Thread-safe.
class Output {
 public:
  explicit Output(const os::WakeFd& gone) : gone_(gone) {}

  void write(const std::string& line) {
    const MutexLock lock(mutex_);
    if (broken_ || write_line(STDOUT_FILENO, line)) return;
    broken_ = true;
    gone_.call();
  }
  bool broken() const { return broken_; }

 private:
  const os::WakeFd& gone_;
  Mutex mutex_;
  std::atomic<bool> broken_ = false;
};

Result<Reached> reach(const client::ClientContext& context, const ServeOptions& options,
                      const Clock& clock) {
  Reached reached{
      .clock = clock, .http = context.http, .patience = std::chrono::seconds(options.patience_s)};
  reached.http.patience = {};  // a client that waits for a call is not a person
  if (!options.session.empty()) reached.path += "/" + percent_encoded(options.session);
  ASSIGN_OR_RETURN(reached.http.engine, tools::http::HttpEngine::start());
  // What is wrong with the command line, or the token, is said now.
  RETURN_IF_ERROR(client::HttpClient::create(reached.http));
  return reached;
}

}  // namespace

int serve(const client::ClientContext& context, const ServeOptions& options, const Clock& clock) {
  start_logging("mcp serve", options.log_level);
  // Before any thread: it takes the signals.
  const client::Interruption interruption("interrupted; the calls that run go on");
  const auto reached = reach(context, options, clock);
  if (!reached) return terminal::report_error(context.view, reached.error());
  const os::WakeFd gone;
  Output output(gone);
  const std::function<void(const std::string&)> write = [&output](const std::string& line) {
    output.write(line);
  };
  SessionBoard board;
  ParameterHeaders parameters;
  const Exchange exchange(*reached, board, parameters, write);
  Result<void> read;
  {
    const ChangeListener changes(
        *reached, board, {.write = write, .tools_changed = [&parameters] { parameters.forget(); }});
    Bridge bridge([&exchange](const std::string& text, const ClientLine& line,
                              std::stop_token stop) { exchange.run(text, line, std::move(stop)); },
                  write);
    read = read_lines(
        STDIN_FILENO, gone.get(),
        {.line = [&bridge](std::string line) { bridge.take(std::move(line)); },
         .too_long =
             [&write] {
               write(error_line(std::nullopt, kParseError,
                                fmt::format("the line has more than {} bytes", kMaxLine)));
             }});
    if (read && !output.broken()) bridge.finish();
  }
  if (!read) return terminal::report_error(context.view, read.error());
  if (output.broken()) spdlog::warn("nothing reads standard output any more");
  return output.broken() ? terminal::kExitInternal : terminal::kExitOk;
}

}  // namespace toolway::cli::mcp_serve

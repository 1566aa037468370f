#include "tools/executors/command/command_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/os/wake_fd.h"
#include "base/try.h"
#include "tools/executors/command/error_lines.h"
#include "tools/executors/command/sandbox_end.h"
#include "tools/process/process_tree.h"
#include "tools/process/shortage.h"

namespace toolway::tools::executors::command {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;
using Why = CommandEnd::Why;

/// After the command has ended: how long another process may still hold its output open.
constexpr Milliseconds kDrain{500};
constexpr Milliseconds kBoundsEvery{500};

/// stdin in a file of memory: nothing to write while it runs, and no broken pipe.
os::FileDescriptor input_file(const std::string& text) {
  os::FileDescriptor file(memfd_create("toolway-stdin", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file || (!text.empty() &&
                write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())))
    return {};
  fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
  return os::FileDescriptor(
      open(fmt::format("/proc/self/fd/{}", file.get()).c_str(), O_RDONLY | O_CLOEXEC));
}

/// One run, step by step.
class Running {
 public:
  explicit Running(CommandRun run) : run_(std::move(run)), errors_(run_.on_error_line) {}

  Result<CommandEnd> operator()() {
    RETURN_IF_ERROR(start());
    const std::stop_callback wake(run_.cancelled, [this] { cancel_.call(); });
    while (!done()) step();
    finish();
    if (end_.why == Why::kNoSandbox && refused_.empty() && end_.error_tail.starts_with("bwrap: ") &&
        process::tells_shortage(end_.error_tail)) {
      // bubblewrap's words, which are the system's: the command has not begun.
      return fail(ErrorCode::kOverloaded,
                  "the command's sandbox cannot be made: " + end_.error_tail);
    }
    return std::move(end_);
  }

 private:
  Result<void> start() {
    const auto wrong = [] {
      return fail(os::is_shortage(errno) ? ErrorCode::kOverloaded : ErrorCode::kInternal,
                  fmt::format("cannot start a command: {}", std::strerror(errno)));
    };
    int out[2];
    int err[2];
    if (!cancel_ || pipe2(out, O_CLOEXEC) != 0) return wrong();
    output_.reset(out[0]);
    os::FileDescriptor output_end(out[1]);
    if (pipe2(err, O_CLOEXEC) != 0) return wrong();
    error_.reset(err[0]);
    os::FileDescriptor error_end(err[1]);
    fcntl(output_.get(), F_SETFL, O_NONBLOCK);
    fcntl(error_.get(), F_SETFL, O_NONBLOCK);
    auto& launch = run_.launch;
    os::FileDescriptor input;
    if (run_.input) {
      input = input_file(*run_.input);
      if (!input) return wrong();
      launch.child.files.emplace_back(0, input.get());
    }
    launch.child.files.emplace_back(1, output_end.get());
    launch.child.files.emplace_back(2, error_end.get());
    ASSIGN_OR_RETURN(child_, os::Child::start(launch.child));
    for (auto* theirs :
         {&launch.arguments, &launch.seccomp, &launch.status_end, &launch.release_end})
      theirs->reset();
    next_check_ = Clock::now() + kBoundsEvery;
    return {};
  }

  bool done() const { return ended_ && !output_ && !error_ && !run_.launch.status; }

  /// Waits for whatever comes next, and deals with it.
  void step() {
    std::array<pollfd, 5> watched{{{output_.get(), POLLIN, 0},
                                   {error_.get(), POLLIN, 0},
                                   {run_.launch.status.get(), POLLIN, 0},
                                   {ended_ ? -1 : child_->pidfd(), POLLIN, 0},
                                   {stopping_ || ended_ ? -1 : cancel_.get(), POLLIN, 0}}};
    poll(watched.data(), watched.size(), patience());
    if (watched[2].revents != 0) read_status();
    if (watched[0].revents != 0) drain(output_, true);
    if (watched[1].revents != 0) drain(error_, false);
    if (watched[4].revents != 0) cancel();
    const auto now = Clock::now();
    if (!ended_ && stopping_ && now >= *stopping_) {
      end_.by_signal = true;
      kill();
    }
    if (!ended_ && run_.within_bounds && now >= next_check_) check_bounds(now);
    if (!ended_ && (watched[3].revents != 0 || child_->pidfd() < 0)) reap(watched[3].revents != 0);
    // Without a sandbox, a process that left the process tree may hold them forever.
    if (ended_ && now >= give_up_) close_all();
  }

  int patience() const {
    auto until = Clock::time_point::max();
    if (ended_)
      until = give_up_;
    else if (stopping_)
      until = *stopping_;
    if (!ended_ && run_.within_bounds) until = std::min(until, next_check_);
    if (!ended_ && child_->pidfd() < 0) until = std::min(until, Clock::now() + Milliseconds(5));
    if (until == Clock::time_point::max()) return -1;
    const auto left = std::chrono::ceil<Milliseconds>(until - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
  }

  void read_status() {
    std::array<char, 1024> piece;
    const auto length = read(run_.launch.status.get(), piece.data(), piece.size());
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (length <= 0) return run_.launch.status.reset();
    if (status_.size() < 8192) status_.append(piece.data(), static_cast<std::size_t>(length));
    if (run_.launch.release) release();
  }

  /// bubblewrap has made its namespaces and waits: bound them, and let it continue.
  void release() {
    const auto init = number_after("\"child-pid\":");
    if (!init) return;
    if (const int error = limit_processes(*init, run_.processes, run_.user); error != 0) {
      run_.launch.release.reset();
      refused_ =
          fmt::format("the number of its processes cannot be limited: {}", std::strerror(error));
      return kill();
    }
    [[maybe_unused]] const auto written = write(run_.launch.release.get(), "1", 1);
    run_.launch.release.reset();
  }

  /// A whole number in what bubblewrap says of its state, when all its digits are there.
  std::optional<int> number_after(std::string_view name) const {
    auto at = status_.find(name);
    if (at == std::string::npos) return std::nullopt;
    at = status_.find_first_not_of(' ', at + name.size());
    const auto end = at == std::string::npos ? at : status_.find_first_not_of("0123456789", at);
    int number = 0;
    if (end == std::string::npos ||
        std::from_chars(status_.data() + at, status_.data() + end, number).ec != std::errc()) {
      return std::nullopt;
    }
    return number;
  }

  void drain(os::FileDescriptor& file, bool is_output) {
    std::array<char, 64 * 1024> piece;
    const auto length = read(file.get(), piece.data(), piece.size());
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (length <= 0) return file.reset();
    const std::string_view text(piece.data(), static_cast<std::size_t>(length));
    if (!is_output) return errors_.add(text);
    output_bytes_ += text.size();
    if (output_bytes_ > run_.max_output_bytes) {
      if (end_.why == Why::kExited) stop_for(Why::kTooMuchOutput);
    } else if (run_.on_output) {
      run_.on_output(text);
    }
  }

  void cancel() {
    end_.why = Why::kCancelled;
    stopping_ = Clock::now() + run_.kill_grace;
    if (run_.sandboxed)
      terminate_sandboxed(child_->pid());
    else
      process::terminate_tree(*child_);
  }

  void check_bounds(Clock::time_point now) {
    next_check_ = now + kBoundsEvery;
    if (!run_.within_bounds()) stop_for(Why::kOutOfBounds);
  }

  void stop_for(Why why) {
    end_.why = why;
    if (!ended_) kill();
    close_all();
  }

  void kill() {
    if (run_.sandboxed)
      kill_sandbox(*child_);
    else
      process::kill_tree(*child_, std::chrono::milliseconds::max());
    note_end();
  }

  void reap(bool has_ended) {
    // What it has left behind, while its number is still its own; in a sandbox the kernel does
    // this.
    if (has_ended && !run_.sandboxed) child_->signal_group(SIGKILL);
    if (child_->wait(Milliseconds(0))) note_end();
  }

  void note_end() {
    ended_ = child_->wait(Milliseconds(0));
    give_up_ = Clock::now() + kDrain;
  }

  void close_all() {
    output_.reset();
    error_.reset();
    run_.launch.status.reset();
  }

  void finish() {
    end_.error_tail = errors_.finish();
    if (!refused_.empty()) {
      end_.why = Why::kNoSandbox;
      end_.error_tail = refused_;
      return;
    }
    end_.exit_code = ended_->signal != 0 ? 128 + ended_->signal : ended_->status;
    if (end_.why == Why::kCancelled) {
      const int code = number_after("\"exit-code\":").value_or(end_.exit_code);
      end_.by_signal = end_.by_signal || code == 128 + SIGTERM;
    }
    if (!run_.sandboxed || end_.why != Why::kExited) return;
    // bubblewrap says so when the command has run; otherwise the words are its own.
    if (const auto code = number_after("\"exit-code\":")) {
      end_.exit_code = *code;
    } else {
      end_.why = end_.error_tail.find("bwrap: execvp ") != std::string::npos ? Why::kNotStarted
                                                                             : Why::kNoSandbox;
    }
  }

  CommandRun run_;
  ErrorLines errors_;
  std::unique_ptr<os::Child> child_;
  os::FileDescriptor output_, error_;
  const os::WakeFd cancel_;
  std::string status_;
  std::string refused_;
  std::size_t output_bytes_ = 0;
  std::optional<Clock::time_point> stopping_;  // since it was asked to: when it is killed
  Clock::time_point next_check_, give_up_;
  std::optional<os::ChildEnd> ended_;
  CommandEnd end_;
};

}  // namespace

Result<CommandEnd> run_command(CommandRun run) { return Running(std::move(run))(); }

}  // namespace toolway::tools::executors::command

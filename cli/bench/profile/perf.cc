#include "cli/bench/profile/perf.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>

#include "base/os/file_io.h"
#include "base/os/find_program.h"
#include "base/try.h"

namespace toolway::cli::bench::profile {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kHeaviest = 10;
constexpr int kOrderTimeout = 5'000;  // ms
constexpr int kTurn = 50;             // ms

std::string log_of(const std::filesystem::path& directory, const std::string& name) {
  return (directory / (name + ".log")).string();
}

/// What `perf script` says of a recording.
Result<std::string> script_of(const std::filesystem::path& recording) {
  const auto text = recording.string() + ".txt";
  ASSIGN_OR_RETURN(auto child,
                   local::ChildProcess::start({.argv = {"perf", "script", "-i", recording.string(),
                                                        "-F", "ip,sym", "--no-inline"},
                                               .log_file = text}));
  if (child->wait(seconds(60)) != 0)
    return fail(ErrorCode::kTimeout, "perf script did not end well within a minute");
  return os::read_file(text);
}

}  // namespace

std::optional<double> parse_count(std::string_view stat) {
  while (!stat.empty()) {
    const auto line = stat.substr(0, stat.find('\n'));
    stat.remove_prefix(std::min(stat.size(), line.size() + 1));
    double count = 0;
    const auto* const last = line.data() + line.size();
    const auto [end, error] = std::from_chars(line.data(), last, count);
    if (error == std::errc() && end != last && *end == ',') return count;
  }
  return std::nullopt;
}

std::string refusal_of(std::string_view printed) {
  constexpr std::string_view kError = "Error:";
  if (const auto at = printed.find(kError); at != std::string_view::npos)
    printed.remove_prefix(at + kError.size());
  const auto begin = printed.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return "it does not say why";
  printed.remove_prefix(begin);
  return std::string(printed.substr(0, printed.find('\n')));
}

Result<std::unique_ptr<Perf>> Perf::start(std::vector<std::string> argv,
                                          const std::filesystem::path& directory,
                                          const std::string& name) {
  if (os::find_program(argv.front()).empty())
    return fail(ErrorCode::kNotFound, "perf is not installed");
  const auto pipe = [&](const char* what) { return (directory / (name + what)).string(); };
  const auto orders = pipe(".orders");
  const auto answers = pipe(".answers");
  if (mkfifo(orders.c_str(), 0600) != 0 || mkfifo(answers.c_str(), 0600) != 0)
    return fail(ErrorCode::kInternal, "cannot create a pipe in " + directory.string());
  std::unique_ptr<Perf> perf(new Perf());
  // For both, so that no open waits for perf's.
  perf->orders_.reset(open(orders.c_str(), O_RDWR | O_CLOEXEC));
  perf->answers_.reset(open(answers.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  argv.insert(argv.begin() + 2,
              {"--delay=-1", fmt::format("--control=fifo:{},{}", orders, answers)});
  const auto log = log_of(directory, name);
  ASSIGN_OR_RETURN(perf->child_,
                   local::ChildProcess::start({.argv = std::move(argv), .log_file = log}));
  // It takes orders once it is attached.
  if (perf->disable()) return perf;
  return fail(ErrorCode::kPermissionDenied, refusal_of(os::read_file(log).value_or("")));
}

bool Perf::order(std::string_view word) {
  if (write(orders_.get(), word.data(), word.size()) < 0) return false;
  for (int waited = 0; waited < kOrderTimeout; waited += kTurn) {
    pollfd answer{.fd = answers_.get(), .events = POLLIN, .revents = 0};
    std::array<char, 64> text{};
    if (poll(&answer, 1, kTurn) == 1) return read(answers_.get(), text.data(), text.size()) > 0;
    if (child_->poll()) return false;
  }
  return false;
}

bool Perf::finish() {
  child_->signal(SIGINT);
  return child_->wait(seconds(60)).has_value();
}

PerfWatch::PerfWatch(const Pids& pids, std::filesystem::path directory)
    : directory_(std::move(directory)) {
  const auto families = with_children(pids);
  for (const auto& role : kRoles)
    if (const auto found = families.find(role.name); found != families.end())
      add(role, fmt::format("{}", fmt::join(found->second, ",")));
}

void PerfWatch::add(const Role& role, const std::string& pids) {
  const std::string count = std::string(role.name) + ".count";
  auto counting = Perf::start({"perf", "stat", "-x,", "-e", "raw_syscalls:sys_enter", "-o",
                               (directory_ / count).string(), "-p", pids},
                              directory_, count);
  if (counting)
    counting_[role.name] = *std::move(counting);
  else
    note("system calls", counting.error());
  if (!role.ours) return;
  const std::string stacks = std::string(role.name) + ".stacks";
  // Without frame pointers: unwound from copies of the stack.
  auto sampling =
      Perf::start({"perf", "record", "-q", "-F", "499", "-e", "cpu-clock", "--call-graph",
                   "dwarf,8192", "-o", (directory_ / stacks).string(), "-p", pids},
                  directory_, stacks);
  if (sampling)
    sampling_[role.name] = *std::move(sampling);
  else
    note("stacks", sampling.error());
}

void PerfWatch::note(const std::string& what, const Error& error) {
  const auto text =
      fmt::format("{} are not shown: {}{}", what, error.message,
                  error.code == ErrorCode::kNotFound
                      ? "; Debian has it in the package linux-perf"
                      : "; run this as root: no other user may look into Toolway's processes");
  if (std::ranges::find(seen_.missing, text) == seen_.missing.end()) seen_.missing.push_back(text);
}

void PerfWatch::begin() {
  for (auto* all : {&counting_, &sampling_})
    for (auto& [role, perf] : *all) perf->enable();
}

void PerfWatch::end() {
  for (auto* all : {&counting_, &sampling_})
    for (auto& [role, perf] : *all) perf->disable();
  for (auto* all : {&counting_, &sampling_})
    for (auto& [role, perf] : *all) perf->finish();
}

Seen PerfWatch::result() {
  for (const auto& [role, perf] : counting_) {
    const auto text = os::read_file(directory_ / (role + ".count"));
    if (const auto count = parse_count(text.value_or("")))
      seen_.system_calls[role] = *count;
    else
      note("system calls", {ErrorCode::kInternal, "perf stat counted nothing of " + role, {}});
  }
  for (const auto& [role, perf] : sampling_) {
    const auto script = script_of(directory_ / (role + ".stacks"));
    if (script)
      seen_.stacks[role] = fold_stacks(*script, kHeaviest);
    else
      note("stacks", script.error());
  }
  return std::move(seen_);
}

}  // namespace toolway::cli::bench::profile

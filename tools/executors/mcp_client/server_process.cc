#include "tools/executors/mcp_client/server_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "base/try.h"
#include "tools/process/process_tree.h"

namespace toolway::tools::executors::mcp_client {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSandboxPatience{5'000};

struct Pipe {
  os::FileDescriptor read, write;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return fail(ErrorCode::kOverloaded,
                fmt::format("cannot create a pipe: {}", std::strerror(errno)));
  Pipe made;
  made.read.reset(ends[0]);
  made.write.reset(ends[1]);
  return made;
}

std::string home_directory() {
  std::array<char, 16 * 1024> memory;
  passwd entry{};
  passwd* found = nullptr;
  if (getpwuid_r(geteuid(), &entry, memory.data(), memory.size(), &found) != 0 || found == nullptr)
    return "/";
  return entry.pw_dir;
}

using Variables = std::vector<std::pair<std::string, std::string>>;

Result<Variables> environment_of(const StdioServer& server, const model::Secrets& secrets,
                                 std::string home) {
  Variables variables{
      {"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"HOME", std::move(home)}, {"LANG", "C.UTF-8"}};
  for (const auto& [name, text] : server.environment) {
    ASSIGN_OR_RETURN(auto value, text.render(secrets));
    std::erase_if(variables, [&](const auto& one) { return one.first == name; });
    variables.emplace_back(name, std::move(value));
  }
  return variables;
}

/// What to do about a program that was not found.
std::string what_is_missing(const os::ChildOptions& options) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(options.directory, ignored))
    return fmt::format(": `cwd` {} is not a directory", options.directory);
  if (options.argv.front().find('/') != std::string::npos) return {};
  for (const auto& variable : options.environment) {
    if (variable.starts_with("PATH="))
      return fmt::format(" in its {}; give the program's path, or `env: {{PATH: ...}}`", variable);
  }
  return {};
}

/// A whole number after `name` in what bubblewrap says of itself.
std::optional<int> number_after(std::string_view text, std::string_view name) {
  auto at = text.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  at = text.find_first_not_of(' ', at + name.size());
  if (at == std::string_view::npos ||
      text.find_first_not_of("0123456789", at) == std::string_view::npos)
    return std::nullopt;
  int number = 0;
  if (std::from_chars(text.data() + at, text.data() + text.size(), number).ec != std::errc())
    return std::nullopt;
  return number;
}

}  // namespace

Result<std::unique_ptr<ServerProcess>> ServerProcess::start(const ServerConfig& server,
                                                            const model::Secrets& secrets,
                                                            const command::Sandbox* sandbox) {
  const auto& stdio = *server.stdio;
  ASSIGN_OR_RETURN(auto variables,
                   environment_of(stdio, secrets, sandbox == nullptr ? home_directory() : "/tmp"));
  std::unique_ptr<ServerProcess> process(new ServerProcess);
  os::ChildOptions options;
  if (sandbox != nullptr) {
    ASSIGN_OR_RETURN(
        process->launch_,
        sandbox->prepare(stdio.sandbox,
                         {.argv = stdio.command,
                          .environment = std::move(variables),
                          .directory = stdio.directory.empty() ? "/tmp" : stdio.directory}));
    options = process->launch_.child;
  } else {
    options.argv = stdio.command;
    for (const auto& [name, value] : variables) options.environment.push_back(name + "=" + value);
    options.directory = stdio.directory.empty() ? "/" : stdio.directory;
    options.in_own_domain = true;
  }
  auto in = make_pipe();
  auto out = make_pipe();
  auto err = make_pipe();
  for (const auto* pipe : {&in, &out, &err}) RETURN_IF_ERROR(*pipe);
  process->input_ = std::move(in->write);
  process->output_ = std::move(out->read);
  process->errors_ = std::move(err->read);
  for (const auto* ours : {&process->input_, &process->output_, &process->errors_})
    fcntl(ours->get(), F_SETFL, O_NONBLOCK);
  options.files.insert(options.files.end(),
                       {{0, in->read.get()}, {1, out->write.get()}, {2, err->write.get()}});
  auto child = os::Child::start(options);
  if (!child) {
    if (child.error().code == ErrorCode::kNotFound && sandbox == nullptr)
      child.error().message += what_is_missing(options);
    return tl::unexpected(std::move(child).error());
  }
  process->child_ = *std::move(child);
  if (sandbox != nullptr) {
    RETURN_IF_ERROR(process->confine(*sandbox->find(stdio.sandbox), sandbox->user()));
  }
  return process;
}

/// bubblewrap waits until its processes are bounded.
Result<void> ServerProcess::confine(const command::SandboxProfile& profile,
                                    std::optional<uid_t> user) {
  for (auto* theirs :
       {&launch_.arguments, &launch_.seccomp, &launch_.status_end, &launch_.release_end})
    theirs->reset();
  if (!launch_.release) return {};
  std::string status;
  const auto until = std::chrono::steady_clock::now() + kSandboxPatience;
  while (status.size() < 8192) {
    if (const auto init = number_after(status, "\"child-pid\":")) {
      if (const int error = command::limit_processes(*init, profile.processes, user); error != 0) {
        return fail(
            ErrorCode::kSandboxUnavailable,
            fmt::format("the number of its processes cannot be limited: {}", std::strerror(error)));
      }
      [[maybe_unused]] const auto written = write(launch_.release.get(), "1", 1);
      launch_.release.reset();
      return {};
    }
    const auto left = std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now());
    pollfd watched{launch_.status.get(), POLLIN, 0};
    if (left.count() <= 0 || poll(&watched, 1, static_cast<int>(left.count())) <= 0) break;
    std::array<char, 1024> piece;
    const auto length = read(launch_.status.get(), piece.data(), piece.size());
    if (length <= 0 && errno != EINTR && errno != EAGAIN) break;
    if (length > 0) status.append(piece.data(), static_cast<std::size_t>(length));
  }
  return fail(ErrorCode::kSandboxUnavailable, "bubblewrap could not make the sandbox");
}

ServerProcess::~ServerProcess() {
  if (child_ && !child_->wait(milliseconds(0))) process::kill_tree(*child_, milliseconds(2'000));
}

void ServerProcess::end(milliseconds patience) {
  input_.reset();
  if (child_->wait(patience)) return;
  process::terminate_tree(*child_);
  if (child_->wait(patience)) return;
  process::kill_tree(*child_, patience);
}

std::string ServerProcess::how_it_ended(milliseconds patience) {
  pollfd watched{child_->pidfd(), POLLIN, 0};
  // Before its number is free for others: the group may have members left.
  if (poll(&watched, 1, static_cast<int>(patience.count())) > 0) child_->signal_group(SIGKILL);
  const auto end = child_->wait(milliseconds(0));
  if (!end) return {};
  return end->signal != 0 ? fmt::format("was killed by signal {}", end->signal)
                          : fmt::format("exited with status {}", end->status);
}

}  // namespace toolway::tools::executors::mcp_client

#include "tools/executors/python/interpreter.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/json.h"
#include "base/try.h"
#include "tools/executors/python/python_host.h"
#include "tools/model/readable.h"
#include "tools/process/process_tree.h"
#include "tools/process/shortage.h"

namespace toolway::tools::executors::python {
namespace {

constexpr std::size_t kPrinted = 4096;

tl::unexpected<Error> system_error(const char* what) {
  return fail(os::is_shortage(errno) ? ErrorCode::kOverloaded : ErrorCode::kInternal,
              fmt::format("cannot start an interpreter: {}: {}", what, std::strerror(errno)));
}

std::string_view bootstrap() {
  for (const auto& file : python_host_files()) {
    if (file.module == "bootstrap") return file.text;
  }
  return {};
}

std::vector<std::string> environment_of(const PythonOptions& options) {
  std::vector<std::string> variables = options.environment;
  for (const std::string standard : {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"}) {
    const auto name = standard.substr(0, standard.find('=') + 1);
    const bool given = std::any_of(variables.begin(), variables.end(), [&](const auto& variable) {
      return variable.starts_with(name);
    });
    if (!given) variables.push_back(standard);
  }
  return variables;
}

}  // namespace

Result<os::FileDescriptor> make_host_file() {
  std::string text;
  for (const auto& file : python_host_files()) {
    text += fmt::format("{} {}\n{}", file.module, file.text.size(), file.text);
  }
  os::FileDescriptor file(memfd_create("toolway-python-host", MFD_CLOEXEC));
  if (!file || write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return system_error("memfd_create");
  }
  return file;
}

Result<std::unique_ptr<Interpreter>> Interpreter::start(const PythonOptions& options,
                                                        const os::FileDescriptor& host) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    return system_error("socketpair");
  os::FileDescriptor theirs(sockets[1]);
  std::unique_ptr<Interpreter> made(new Interpreter);
  if (!made->wake_) return system_error("eventfd");
  made->socket_ = os::FileDescriptor(sockets[0]);
  int pipes[2];
  if (pipe2(pipes, O_CLOEXEC) != 0) return system_error("pipe2");
  made->out_ = os::FileDescriptor(pipes[0]);
  const os::FileDescriptor out(pipes[1]);
  if (pipe2(pipes, O_CLOEXEC) != 0) return system_error("pipe2");
  made->err_ = os::FileDescriptor(pipes[0]);
  const os::FileDescriptor err(pipes[1]);
  // Only our ends: the interpreter's reads and writes wait.
  for (const int file : {made->socket(), made->out(), made->err()})
    fcntl(file, F_SETFL, O_NONBLOCK);

  const Json first{{"path", options.path},
                   {"memory_limit", options.memory_limit},
                   {"recycle_above", options.recycle_above}};
  const std::string frame = encode_frame(FrameKind::kOptions, to_text(first));
  if (send(made->socket(), frame.data(), frame.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(frame.size())) {
    return system_error("send");
  }
  auto child = os::Child::start({
      // -B: a file of the same size, changed in the same second, must not meet its old compilation.
      .argv = {options.interpreter, "-B", "-s", "-c", std::string(bootstrap())},
      .environment = environment_of(options),
      .files = {{3, theirs.get()}, {1, out.get()}, {2, err.get()}, {4, host.get()}},
      .limits = {{RLIMIT_CORE, 0}},
      .in_own_domain = true,
  });
  RETURN_IF_ERROR(child);
  made->child_ = std::move(*child);
  return made;
}

Interpreter::~Interpreter() {
  if (child_) kill();
}

std::optional<os::ChildEnd> Interpreter::kill() {
  if (!end_) end_ = process::kill_tree(*child_, std::chrono::seconds(1));
  return end_;
}

std::optional<os::ChildEnd> Interpreter::kill_after(std::chrono::milliseconds patience) {
  if (!end_) {
    // Not waited for yet: its group is killed while no other process can have its number.
    pollfd watched{child_->pidfd(), POLLIN, 0};
    poll(&watched, 1, static_cast<int>(patience.count()));
  }
  return kill();
}

bool Interpreter::read_some(int file, std::string& text) {
  char bytes[4096];
  const auto count = read(file, bytes, sizeof bytes);
  if (count > 0) text.append(bytes, static_cast<std::size_t>(count));
  if (text.size() > kPrinted) text.erase(0, text.size() - kPrinted);
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

Result<bool> Interpreter::ready() {
  char* const space = inbox_.space();
  const auto count = recv(socket(), space, inbox_.room(), 0);
  if (count > 0) inbox_.came(static_cast<std::size_t>(count));
  Frame frame{};
  const auto state = inbox_.next(0, frame);
  if (state == Inbox::State::kFrame && frame.kind == FrameKind::kHello) {
    version_ = std::string(frame.payload);
    printed_.clear();
    return true;
  }
  read_some(out(), printed_);
  read_some(err(), printed_);
  if (state == Inbox::State::kIncomplete && count < 0 && (errno == EAGAIN || errno == EINTR))
    return false;
  if (state == Inbox::State::kIncomplete && count > 0) return false;
  for (int i = 0; i < 64 && read_some(err(), printed_); ++i) {
    pollfd more{err(), POLLIN, 0};
    if (poll(&more, 1, 200) <= 0) break;
  }
  const auto end = kill();
  std::string said = printed_;
  while (!said.empty() && said.back() == '\n') said.pop_back();
  if (const auto line = said.rfind('\n'); line != std::string::npos) said.erase(0, line + 1);
  if (said.empty() && end) {
    said = end->signal != 0 ? fmt::format("killed by signal {}", end->signal)
                            : fmt::format("it ended with status {}", end->status);
  }
  return fail(process::tells_shortage(said) ? ErrorCode::kOverloaded : ErrorCode::kInternal,
              model::readable(std::move(said)));
}

bool Interpreter::waits_for_call() {
  pollfd files[] = {{socket(), POLLIN, 0}, {out(), POLLIN, 0}, {err(), POLLIN, 0}};
  if (poll(files, 3, 0) <= 0) return true;
  if (files[0].revents != 0) return false;
  std::string ignored;
  for (const auto& file : {files[1], files[2]}) {
    for (int i = 0; i < 64 && file.revents != 0; ++i) {
      ignored.clear();
      if (!read_some(file.fd, ignored)) return false;
      if (ignored.empty()) break;
    }
  }
  return true;
}

void Interpreter::hang_up() { shutdown(socket(), SHUT_WR); }

}  // namespace toolway::tools::executors::python

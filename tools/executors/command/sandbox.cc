#include "tools/executors/command/sandbox.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/try.h"
#include "tools/executors/command/orphaned_sandboxes.h"
#include "tools/executors/command/sandbox_etc.h"
#include "tools/executors/command/seccomp_filter.h"

namespace toolway::tools::executors::command {
namespace {

namespace fs = std::filesystem;

constexpr int kStatus = 3;
constexpr int kRelease = 4;
constexpr int kArguments = 5;
constexpr int kSeccomp = 6;

void append(std::vector<std::string>& to, std::initializer_list<std::string> words) {
  to.insert(to.end(), words.begin(), words.end());
}

/// One entry of a root directory as the sandbox's own.
void show(std::vector<std::string>& arguments, const fs::path& outside, const std::string& inside) {
  std::error_code error;
  if (fs::is_symlink(outside, error)) {
    append(arguments, {"--symlink", fs::read_symlink(outside, error), inside});
  } else if (fs::exists(outside, error)) {
    append(arguments, {"--ro-bind", outside, inside});
  }
}

void show_machine(std::vector<std::string>& arguments, const std::vector<std::string>& etc) {
  append(arguments, {"--ro-bind", "/usr", "/usr"});
  for (const char* name : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"})
    show(arguments, name, name);
  arguments.insert(arguments.end(), etc.begin(), etc.end());
}

void show_image(std::vector<std::string>& arguments, const fs::path& rootfs) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(rootfs, error)) {
    const auto name = entry.path().filename().string();
    if (name == "proc" || name == "dev" || name == "tmp" || name == "sys" || name == "workspace")
      continue;
    show(arguments, entry.path(), fmt::format("/{}", name));
  }
}

os::FileDescriptor file_of_words(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text.append(word.c_str(), word.size() + 1);
  os::FileDescriptor file(memfd_create("toolway-arguments", MFD_CLOEXEC));
  if (file && (write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
               lseek(file.get(), 0, SEEK_SET) != 0)) {
    file.reset();
  }
  return file;
}

bool make_pipe(os::FileDescriptor& reads, os::FileDescriptor& writes) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  reads.reset(ends[0]);
  writes.reset(ends[1]);
  return true;
}

/// This thread's real user, which prlimit compares, for as long as it lives.
class RealUser {
 public:
  explicit RealUser(uid_t user) {
    // The system calls themselves: the library's would ask all threads to follow.
    syscall(SYS_setresgid, user, -1, -1);
    syscall(SYS_setresuid, user, -1, -1);
  }
  ~RealUser() {
    if (syscall(SYS_setresuid, 0, -1, -1) != 0 || syscall(SYS_setresgid, gid_, -1, -1) != 0)
      std::abort();
  }
  RealUser(const RealUser&) = delete;
  RealUser& operator=(const RealUser&) = delete;

 private:
  const gid_t gid_ = getgid();
};

}  // namespace

Result<std::shared_ptr<const Sandbox>> Sandbox::create(SandboxOptions options) {
  std::shared_ptr<Sandbox> made(new Sandbox(std::move(options)));
  RETURN_IF_ERROR(write_sandbox_etc(made->options_.directory));
  if (auto program = make_seccomp_program()) {
    made->seccomp_ = std::move(*program);
  } else {
    made->no_seccomp_ = program.error().message;
  }
  for (const auto& [name, profile] : made->options_.configuration.profiles) {
    if (profile.isolation == SandboxProfile::Isolation::kNone) continue;
    std::error_code error;
    if (!profile.rootfs.empty() && !fs::is_directory(profile.rootfs, error)) {
      return fail(
          ErrorCode::kInvalidSpec,
          fmt::format("sandbox profile '{}': rootfs {} is not a directory", name, profile.rootfs));
    }
    made->prepared_[name] = made->arguments_of(profile);
  }
  made->prepared_[""] = made->arguments_of({});
  return made;
}

std::vector<std::string> Sandbox::arguments_of(const SandboxProfile& profile) const {
  std::vector<std::string> arguments{options_.program};
  const auto mark = sandbox_mark(options_.directory);
  arguments.insert(arguments.end(), mark.begin(), mark.end());
  // --unshare-all only tries to make a user namespace; --unshare-user insists.
  append(arguments, {"--unshare-user", "--unshare-all"});
  if (profile.network) arguments.emplace_back("--share-net");
  append(arguments, {"--disable-userns", "--new-session", "--die-with-parent", "--cap-drop", "ALL",
                     "--clearenv", "--uid", "1000", "--gid", "1000", "--hostname", "sandbox"});
  if (profile.rootfs.empty()) {
    show_machine(arguments, etc_arguments(options_.directory, profile.network));
  } else {
    show_image(arguments, profile.rootfs);
  }
  for (const auto& [outside, inside] : profile.read_only)
    append(arguments, {"--ro-bind", outside, inside});
  const auto bytes = std::to_string(profile.tmp_bytes);
  append(arguments,
         {"--proc", "/proc", "--dev", "/dev", "--size", bytes, "--tmpfs", "/dev/shm",
          "--remount-ro", "/dev", "--size", bytes, "--perms", "1777", "--tmpfs", "/tmp"});
  append(arguments,
         {"--json-status-fd", std::to_string(kStatus), "--block-fd", std::to_string(kRelease)});
  if (seccomp_) append(arguments, {"--seccomp", std::to_string(kSeccomp)});
  append(arguments, {"--args", std::to_string(kArguments), "--remount-ro", "/", "--"});
  return arguments;
}

const SandboxProfile* Sandbox::find(std::string_view profile) const {
  const auto found = options_.configuration.profiles.find(profile);
  return found == options_.configuration.profiles.end() ? nullptr : &found->second;
}

std::optional<uid_t> Sandbox::user() const {
  return geteuid() == 0 ? std::optional(options_.user) : std::nullopt;
}

std::size_t Sandbox::kill_orphans() const {
  return kill_orphaned_sandboxes(options_.directory, user().value_or(geteuid()));
}

Result<Sandbox::Launch> Sandbox::prepare(const std::string& name,
                                         const SandboxedCommand& command) const {
  const auto prepared = prepared_.find(name);
  if (prepared == prepared_.end()) {
    return fail(ErrorCode::kNotFound, fmt::format("there is no sandbox profile '{}'", name));
  }
  // Not on the command line, where every user of this machine could read them.
  std::vector<std::string> own;
  for (const auto& [variable, value] : command.environment)
    append(own, {"--setenv", variable, value});
  if (!command.workspace.empty()) append(own, {"--bind", command.workspace, "/workspace"});
  append(own, {"--chdir", command.directory});

  Launch launch;
  launch.arguments = file_of_words(own);
  // Opened again for each: who shares an open file shares the position in it.
  if (seccomp_)
    launch.seccomp.reset(
        open(fmt::format("/proc/self/fd/{}", seccomp_.get()).c_str(), O_RDONLY | O_CLOEXEC));
  if (!launch.arguments || (seccomp_ && !launch.seccomp) ||
      !make_pipe(launch.status, launch.status_end) ||
      !make_pipe(launch.release_end, launch.release)) {
    return fail(os::is_shortage(errno) ? ErrorCode::kOverloaded : ErrorCode::kInternal,
                fmt::format("cannot prepare a sandbox: {}", std::strerror(errno)));
  }
  fcntl(launch.status.get(), F_SETFL, O_NONBLOCK);
  auto& child = launch.child;
  child.argv.reserve(prepared->second.size() + command.argv.size());
  child.argv = prepared->second;
  child.argv.insert(child.argv.end(), command.argv.begin(), command.argv.end());
  child.directory.push_back('/');
  child.files = {{kStatus, launch.status_end.get()},
                 {kRelease, launch.release_end.get()},
                 {kArguments, launch.arguments.get()}};
  if (seccomp_) child.files.emplace_back(kSeccomp, launch.seccomp.get());
  const auto* profile = find(name);
  child.limits = limits_of(profile == nullptr ? SandboxProfile{} : *profile);
  child.user = user();
  return launch;
}

std::vector<os::ChildOptions::Limit> limits_of(const SandboxProfile& profile) {
  return {{RLIMIT_CORE, 0},
          {RLIMIT_DATA, profile.memory_bytes},
          {RLIMIT_AS, profile.address_space_bytes},
          {RLIMIT_NOFILE, profile.open_files},
          {RLIMIT_FSIZE, profile.file_bytes},
          {RLIMIT_CPU, profile.cpu_seconds},
          {RLIMIT_MEMLOCK, 64 << 10},
          {RLIMIT_MSGQUEUE, 0},
          {RLIMIT_STACK, 8 << 20}};
}

int limit_processes(pid_t init, std::uint64_t processes, std::optional<uid_t> user) {
  // The first process and its threads count as well.
  const rlimit limit{processes + 1, processes + 1};
  const auto set = [&] { return prlimit(init, RLIMIT_NPROC, &limit, nullptr) == 0 ? 0 : errno; };
  // In a container even root may lack CAP_SYS_RESOURCE, but any process may lower its own limits.
  if (const int error = set(); error != EPERM || !user) return error;
  const RealUser as(*user);
  return set();
}

}  // namespace toolway::tools::executors::command

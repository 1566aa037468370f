#pragma once

#include "base/os/file_descriptor.h"
#include "base/result.h"

namespace toolway::tools::executors::command {

/// The program that the kernel runs before every system call of a sandboxed
/// command, in a sealed file of memory: what no tool needs and exploits have used
/// is refused (EPERM): kernel keys, mounts, other processes' memory, bpf, perf,
/// userfaultfd, io_uring, modules, kexec, clocks, new namespaces, terminal input,
/// and all sockets except Unix, IPv4, IPv6 and netlink ones. Errors: kSandboxUnavailable.
Result<os::FileDescriptor> make_seccomp_program();

}  // namespace toolway::tools::executors::command

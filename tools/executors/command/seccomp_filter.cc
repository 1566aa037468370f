#include "tools/executors/command/seccomp_filter.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace toolway::tools::executors::command {
namespace {

// By name: those that libseccomp does not know on this machine give no way in either.
constexpr const char* kRefused[] = {"_sysctl",
                                    "acct",
                                    "add_key",
                                    "bpf",
                                    "clock_adjtime",
                                    "clock_settime",
                                    "create_module",
                                    "delete_module",
                                    "fanotify_init",
                                    "finit_module",
                                    "fsconfig",
                                    "fsmount",
                                    "fsopen",
                                    "fspick",
                                    "get_kernel_syms",
                                    "get_mempolicy",
                                    "init_module",
                                    "io_uring_enter",
                                    "io_uring_register",
                                    "io_uring_setup",
                                    "ioperm",
                                    "iopl",
                                    "kcmp",
                                    "kexec_file_load",
                                    "kexec_load",
                                    "keyctl",
                                    "lookup_dcookie",
                                    "mbind",
                                    "migrate_pages",
                                    "mount",
                                    "mount_setattr",
                                    "move_mount",
                                    "move_pages",
                                    "name_to_handle_at",
                                    "nfsservctl",
                                    "open_by_handle_at",
                                    "open_tree",
                                    "perf_event_open",
                                    "personality",
                                    "pidfd_getfd",
                                    "pivot_root",
                                    "process_madvise",
                                    "process_vm_readv",
                                    "process_vm_writev",
                                    "ptrace",
                                    "query_module",
                                    "quotactl",
                                    "quotactl_fd",
                                    "reboot",
                                    "request_key",
                                    "set_mempolicy",
                                    "setns",
                                    "settimeofday",
                                    "stime",
                                    "swapoff",
                                    "swapon",
                                    "sysfs",
                                    "syslog",
                                    "umount",
                                    "umount2",
                                    "unshare",
                                    "uselib",
                                    "userfaultfd",
                                    "ustat",
                                    "vhangup",
                                    "vm86",
                                    "vm86old",
                                    "chroot"};

constexpr unsigned long kNewNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                         CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
                                         CLONE_NEWNET | 0x80 /* CLONE_NEWTIME */;

struct Releases {
  void operator()(void* filter) const { seccomp_release(filter); }
};
using Filter = std::unique_ptr<void, Releases>;

int fill(scmp_filter_ctx filter) {
  constexpr auto kRefuse = SCMP_ACT_ERRNO(EPERM);
  // Programs of another architecture (32 bits) see none of the rules below.
  if (const int error = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS))
    return error;
  // A binary tree: few comparisons per call.
  seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
  for (const char* name : kRefused) {
    const int number = seccomp_syscall_resolve_name(name);
    if (number == __NR_SCMP_ERROR) continue;
    // -EDOM, -EINVAL: not a call of this architecture.
    const int error = seccomp_rule_add(filter, kRefuse, number, 0);
    if (error != 0 && error != -EDOM && error != -EINVAL) return error;
  }
  for (unsigned bit = 0; bit < 32; ++bit) {
    const scmp_datum_t flag = 1UL << bit;
    if ((kNewNamespaces & flag) == 0) continue;
    // The low byte of clone's flags is a signal, except for unshare and clone3.
    if (flag <= 0xff) continue;
    if (const int error = seccomp_rule_add(filter, kRefuse, SCMP_SYS(clone), 1,
                                           SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag)))
      return error;
  }
  // Its flags are in memory, where no filter sees them; the C library falls back to clone.
  if (const int error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0))
    return error;
  for (const scmp_datum_t request : {scmp_datum_t{TIOCSTI}, scmp_datum_t{TIOCLINUX}}) {
    if (const int error = seccomp_rule_add(filter, kRefuse, SCMP_SYS(ioctl), 1,
                                           SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffUL, request)))
      return error;
  }
  // AF_VSOCK above all, which no network namespace confines.
  for (scmp_datum_t family = 3; family < AF_NETLINK; ++family) {
    if (family == AF_INET6) continue;
    if (const int error =
            seccomp_rule_add(filter, kRefuse, SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_EQ, family)))
      return error;
  }
  return seccomp_rule_add(filter, kRefuse, SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_GT, AF_NETLINK));
}

}  // namespace

Result<os::FileDescriptor> make_seccomp_program() {
  const Filter filter(seccomp_init(SCMP_ACT_ALLOW));
  const int error = filter ? fill(filter.get()) : -ENOMEM;
  if (error != 0) {
    return fail(ErrorCode::kSandboxUnavailable,
                fmt::format("cannot create the system call filter: {}", std::strerror(-error)));
  }
  os::FileDescriptor file(memfd_create("toolway-seccomp", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file || seccomp_export_bpf(filter.get(), file.get()) != 0 ||
      fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) !=
          0) {
    return fail(ErrorCode::kSandboxUnavailable,
                fmt::format("cannot store the system call filter: {}", std::strerror(errno)));
  }
  return file;
}

}  // namespace toolway::tools::executors::command

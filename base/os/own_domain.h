#pragma once

#include <optional>

namespace toolway::os {

/// Puts the calling thread, and all that it starts from now on, into a Landlock domain of its own.
/// What is in a domain can inspect (ptrace(2): trace, read memory and environment in /proc) only
/// what is in it or in one below it, whatever its user, root included (landlock(7), "Ptrace
/// restrictions"). The domain forbids two things more: to change mounts, and, because no_new_privs
/// goes with it, to gain rights from setuid and setcap programs. Only system calls: may be called
/// between vfork and exec. Returns false, with errno, without a domain; no_new_privs may then
/// be set all the same.
bool enter_own_domain();

/// Why enter_own_domain fails on this machine, as errno; nothing: it works. Kernels before 5.19,
/// and containers whose filter refuses the system calls, have no such domains. Tries it in a thread
/// that ends; throws std::system_error when the system has no thread left.
std::optional<int> why_no_own_domain();

}  // namespace toolway::os

#include "base/os/own_domain.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

namespace toolway::os {
namespace {

/// A domain must rule over something, and every one refuses to link or rename from one directory to
/// another (LANDLOCK_ACCESS_FS_REFER) unless a rule allows it. So it rules over that alone, and
/// allows it everywhere.
bool fill_and_enter(int rules, int root) {
  const landlock_path_beneath_attr everywhere{.allowed_access = LANDLOCK_ACCESS_FS_REFER,
                                              .parent_fd = root};
  return syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &everywhere, 0) == 0 &&
         prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_landlock_restrict_self, rules, 0) == 0;
}

}  // namespace

bool enter_own_domain() {
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = LANDLOCK_ACCESS_FS_REFER;
  const int rules =
      static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0));
  if (rules < 0) return false;
  const int root = open("/", O_PATH | O_CLOEXEC);
  const bool entered = root >= 0 && fill_and_enter(rules, root);
  const int error = errno;
  if (root >= 0) close(root);
  close(rules);
  // With one of these, root's may read environment and maps of all processes on newer kernels
  // (6.18), whatever their domains (may_access_mm in kernel/fork.c). As CAP_SYS_PTRACE (child.cc):
  // fails where there is nothing to lose.
  for (const int capability : {CAP_PERFMON, CAP_SYS_ADMIN}) {
    if (entered) prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  }
  errno = error;
  return entered;
}

std::optional<int> why_no_own_domain() {
  std::optional<int> why;
  std::thread([&] {
    if (!enter_own_domain()) why = errno;
  }).join();
  return why;
}

}  // namespace toolway::os

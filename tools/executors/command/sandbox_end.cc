#include "tools/executors/command/sandbox_end.h"

#include <signal.h>
#include <sys/wait.h>

#include "tools/process/process_tree.h"

namespace toolway::tools::executors::command {
namespace {

/// Nothing of it runs on, or starts anything, when this returns.
void freeze(pid_t pid) {
  kill(pid, SIGSTOP);
  siginfo_t info;
  waitid(P_PID, static_cast<id_t>(pid), &info, WSTOPPED | WEXITED | WNOWAIT);
}

}  // namespace

void terminate_sandboxed(pid_t bubblewrap) {
  const auto found = process::descendants(bubblewrap);
  // The first one is bubblewrap's own, too, and process 1 of the sandbox.
  for (std::size_t i = 1; i < found.size(); ++i) kill(found[i], SIGTERM);
}

void kill_sandbox(os::Child& bubblewrap) {
  if (bubblewrap.wait(std::chrono::milliseconds(0))) return;
  freeze(bubblewrap.pid());
  const auto found = process::descendants(bubblewrap.pid());
  // bubblewrap ends when its child has, and that has when the kernel has reaped the
  // namespace. Killed first, it would leave no process to wait for that, and would leave the
  // child itself when it has not yet bound its life to its parent's.
  kill(found.empty() ? bubblewrap.pid() : found.front(), SIGKILL);
  kill(bubblewrap.pid(), SIGCONT);
  bubblewrap.wait(std::chrono::milliseconds::max());
}

}  // namespace toolway::tools::executors::command

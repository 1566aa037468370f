#pragma once

#include <memory>
#include <string>

#include "base/durability.h"
#include "local/child_process.h"
#include "tests/support/temp_dir.h"

namespace toolway::test {

/// A machine whose power can be cut: `toolway dev` in a namespace of processes of its own, with all
/// its data on a disk that then forgets what was not synced. Only one thread uses it. As root; it
/// gives the test a namespace of mounts.
class Machine {
 public:
  Machine();
  ~Machine();

  /// Starts the stack, the first time or after a cut, and returns when it is ready.
  /// @returns the gateway's URL; empty if the stack did not come up: `log` says why
  std::string start(Durability durability);
  /// What the kernel does sooner or later by itself: writes everything to the disk.
  void write_back() { turn("sync"); }
  /// Drops what is not synced, kills every process at once, and returns when none is left.
  void cut_power();

  std::string log() const;       ///< of `toolway dev`
  std::string disk_log() const;  ///< a line for each file that lost something

 private:
  /// The disk's switch.
  void turn(const std::string& power);

  TempDir dir_;
  std::unique_ptr<local::ChildProcess> disk_;
  std::unique_ptr<local::ChildProcess> dev_;  ///< after the disk: it ends first
};

}  // namespace toolway::test

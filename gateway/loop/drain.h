#pragma once

namespace toolway::gateway::loop {

/// Whether this gateway drains: it finishes what clients have asked for, and nothing waits any
/// longer for what others do. Never goes back. On the io_context's thread.
class Drain {
 public:
  void begin() { begun_ = true; }
  bool begun() const { return begun_; }

 private:
  bool begun_ = false;
};

}  // namespace toolway::gateway::loop

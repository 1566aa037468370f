#pragma once

#include <memory>

#include "bus/loop_thread.h"
#include "gateway/loop/asio_types.h"

namespace toolway::gateway::loop {

/// Takes the turns of a bus's loop over into an io_context, so that the bus calls back on its
/// thread. Nothing else may wait for the bus there.
class BusTurns {
 public:
  /// None: the bus keeps its own thread.
  BusTurns(asio::io_context& io, bus::LoopThread* turns) : io_(io), turns_(turns) {}
  /// Gives them back. Once the io_context has stopped.
  ~BusTurns();
  BusTurns(const BusTurns&) = delete;
  BusTurns& operator=(const BusTurns&) = delete;

  /// Before the io_context runs.
  void begin();
  /// On its thread: lets it run out of work.
  void end();

 private:
  void wait();

  asio::io_context& io_;
  bus::LoopThread* const turns_;
  std::unique_ptr<asio::posix::basic_stream_descriptor<Executor>> ready_;
};

}  // namespace toolway::gateway::loop

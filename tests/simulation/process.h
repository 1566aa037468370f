#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/simulation/server.h"
#include "tests/simulation/weather.h"
#include "tests/simulation/world.h"

namespace toolway::simulation {

/// What all processes of a schedule share.
struct Surroundings {
  World& world;
  Weather& weather;
  Server& server;
  class Network& network;
};

/// One life of one process: paused or not, connected or not, and dead once, with everything
/// that was still to happen in it.
class Process final : public Client, public std::enable_shared_from_this<Process> {
 public:
  Process(const Surroundings& around, std::string name)
      : around_(around), name_(std::move(name)), awake_since_(around.world.now()) {}

  const std::string& name() const { return name_; }
  bool alive() const { return alive_; }
  bool connected() const { return connected_; }
  bool reachable() const override { return alive_ && connected_; }
  /// Counts connections: what an earlier one carried is lost.
  unsigned connection() const { return connection_; }

  /// Runs `what` in this process after `delay`: when it wakes, if it is paused; never, once dead.
  void after(Micros delay, std::function<void()> what);
  void pause() { paused_ = true; }
  /// Since when it runs without a break; nothing: it is paused, or dead.
  std::optional<Micros> awake_since() const {
    return alive_ && !paused_ ? std::optional(awake_since_) : std::nullopt;
  }
  void wake();
  void die();
  void set_connected(bool connected);
  /// Tells the listeners about the connection, soon.
  void tell(bus::Connection state);

  /// Called after everything that ran here.
  std::function<void()> then;
  /// Called when the connection is lost, there again, or has dropped something.
  std::vector<std::function<void(bus::Connection)>> on_connection;

 private:
  void run(const std::function<void()>& what);

  const Surroundings around_;
  const std::string name_;
  bool alive_ = true;
  bool paused_ = false;
  Micros awake_since_;
  bool connected_ = true;
  unsigned connection_ = 1;
  std::vector<std::function<void()>> waiting_;
};

}  // namespace toolway::simulation

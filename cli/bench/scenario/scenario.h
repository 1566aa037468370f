#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/bench/figures/threshold.h"

/// A load to make, and what must hold during it: what a file below tests/load says
/// (docs/load-testing.md).
namespace toolway::cli::bench::scenario {

/// What a group's stages count.
enum class Pace {
  kRate,         ///< calls a second of an open loop: due whatever the answers do
  kConcurrency,  ///< requests of a closed loop, each in progress until all its calls are completed
};

/// A stretch of time in which the pace moves from one value to another.
struct Stage {
  double seconds = 0;
  double from = 0;
  double to = 0;
};

/// One kind of call, and how many of all calls are of it.
struct CallChoice {
  unsigned weight = 1;
  std::string kind = "native";  ///< another kind: a tool of it that does nothing
  std::string tool;             ///< `namespace.name`; empty: the bench's own
  OrderedJson arguments;        ///< of `tool`
  std::size_t payload = 64;     ///< bytes of the arguments
  std::size_t result = 0;       ///< bytes of the result, besides
  unsigned progress = 0;        ///< reports
  unsigned wait_ms = 0;         ///< how long the tool takes
  bool idempotent = true;       ///< false: after its worker was killed it ends as `unknown`
};

/// Whether a request that a gateway did not answer, or refused for now, is made again.
enum class Repeat {
  kNever,    ///< unless nothing was sent
  kSameKey,  ///< through the next gateway, with the same Idempotency-Key
};

/// Which of the connections that are free a request goes out on.
enum class NextConnection {
  kInTurn,    ///< so that none idles until the gateway closes it: how many it holds stays constant
  kLastUsed,  ///< a few stay warm and the others idle, which costs both sides least
};

/// Calls of one user, at a pace of their own.
struct LoadGroup {
  std::string name;
  std::string user;
  std::vector<std::string> tokens{};  ///< of that user, sent in turn instead of its name
  unsigned sessions = 16;
  unsigned followers = 0;  ///< sessions followed, and called; 0: all, at most 1,000
  unsigned batch = 1;      ///< calls per request
  Repeat repeat = Repeat::kNever;
  Pace pace = Pace::kRate;
  unsigned connections = 128;  ///< of an open loop
  NextConnection next_connection = NextConnection::kInTurn;
  std::uint64_t most = 0;  ///< calls after the warm-up; 0: all that the stages say
  std::vector<Stage> stages;
  std::vector<CallChoice> calls;
  std::vector<figures::Threshold> thresholds;

  unsigned followed() const;
};

/// Something that is done to an own stack, or to the followers, during the run.
struct Action {
  enum class What {
    kRestart,        ///< the processes of `role`, one after another
    kKill,           ///< one process of `role`, with SIGKILL; its stack starts it again
    kScaleWorkers,   ///< to `workers` processes
    kDropFollowers,  ///< every event stream breaks at once, and resumes
  };
  What what = What::kRestart;
  double at = 0;     ///< seconds from the end of the warm-up
  std::string role;  ///< gateway, worker, collector, nats, postgres, or all (the first three)
  unsigned workers = 0;
};

/// The own stack of a scenario.
struct StackShape {
  unsigned gateways = 1;
  unsigned workers = 1;
  unsigned collectors = 1;
  std::vector<std::string> pools;     ///< of each worker; empty: every kind's
  std::vector<std::string> settings;  ///< `KIND.NAME=VALUE`
};

struct Scenario {
  std::string name;
  std::string description;
  StackShape stack;
  double warm_up = 2;             ///< seconds at the first stage's pace, not judged
  std::vector<LoadGroup> groups;  ///< at least one
  std::vector<figures::Threshold> thresholds;
  std::vector<Action> actions;  ///< by time

  /// Of the longest group, without the warm-up.
  double seconds() const;
};

/// The same scenario in another time, stages and actions alike. `seconds`: of the whole, without
/// the warm-up.
void fit_into(Scenario& scenario, double seconds);
/// The same with this many times the load: rates, requests at once, sessions, followers (at least
/// one of each).
void scale_load(Scenario& scenario, double factor);

}  // namespace toolway::cli::bench::scenario

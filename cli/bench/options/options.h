#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/stack/stack.h"

namespace toolway::cli::bench::options {

/// Which of a scenario's thresholds are judged.
enum class Judge {
  kAll,
  kCorrectness,  ///< those of lost, repeats and failed: what holds on any machine, however slow
};

/// Where results are kept by default.
inline constexpr const char* kStore = ".toolway-bench";
inline constexpr const char* kProfileStore = ".toolway-bench/profiles.jsonl";

/// Of `bench --scenario` and `bench --suite`.
struct ScenarioOptions {
  std::string file;
  std::string suite;   ///< `original` instead of a file
  bool check = false;  ///< only reads the file; without one, compares the CPU per call
  std::string url;     ///< of gateways, with commas; empty: a stack of its own
  double seconds = 0;  ///< of the whole; 0: as the file says
  double scale = 1;    ///< times the load
  Judge judge = Judge::kAll;
  std::string json;                  ///< gets the result
  std::string svg;                   ///< gets the plot
  std::optional<std::string> store;  ///< of results; nothing: the default, empty: none
  stack::StackOptions stack;         ///< of its own stack, except for what the file says
};

/// Of `bench`.
struct BenchOptions {
  std::string url;            ///< empty: a stack of its own
  stack::StackOptions stack;  ///< of its own stack
  std::string user = "bench";
  std::string tokens_file{};          ///< a bearer token a line; empty: the user's name says who
  std::vector<std::string> tokens{};  ///< what is in it
  std::string extensions{};           ///< an extensions.yaml for its own stack; empty: none
  std::uint64_t calls = 0;            ///< 0: all that fit into `seconds`
  double seconds = 0;                 ///< 0: 10, unless `calls` is set
  double warm_up = 2;                 ///< seconds, not measured
  unsigned sessions = 16;
  unsigned followers = 0;       ///< sessions followed, and called; 0: all, at most 1,000
  unsigned concurrency = 0;     ///< requests whose calls are not all completed; 0: by batch
  unsigned batch = 1;           ///< calls per request
  std::size_t payload = 64;     ///< bytes
  unsigned progress = 0;        ///< reports per call
  std::string kind = "native";  ///< of the tool that is called
  std::optional<double> rate;   ///< calls/s of an open loop; 0 and nothing: closed loop
  bool floor = false;
  bool profile = false;    ///< says what each process took for a call
  unsigned rounds = 5;     ///< of --profile, --check and --face
  unsigned in_flight = 0;  ///< measures a worker's memory with this many HTTP calls at once instead
  bool lifecycle = false;  ///< measures sessions instead of calls
  bool chat = false;       ///< measures turns of the chat engine instead of calls
  std::string face;        ///< `mcp`: measures /mcp beside REST instead; empty: no
  std::vector<std::string> slo;
  std::string json;
  ScenarioOptions scenario;  ///< a file of it: makes that load instead
};

}  // namespace toolway::cli::bench::options

#pragma once

#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/chaos/fleet.h"
#include "tests/chaos/history.h"
#include "tests/chaos/key_book.h"
#include "tests/chaos/randomness.h"

namespace toolway::chaos {

/// What an operator was told to have done, and that the audit knows of it.
struct OperatorDeeds {
  std::vector<std::string> policies{};  ///< digests of the versions that were put
  std::map<std::string, bool> keys;     ///< by id: whether it was revoked
  std::uint64_t not_told = 0;           ///< done or not: the verb could not say
  std::vector<PolicyPut> puts;          ///< each that was tried, in order
};

/// Someone who changes the policy, by which one tool runs, is refused or is held, makes API keys
/// and revokes them, by the verbs of `toolway`, while the storm lasts. A thread of its own.
class Operator {
 public:
  /// `fleet` and `book` outlive it.
  Operator(const Options& options, Fleet& fleet, KeyBook& book, History& history);
  ~Operator() { stop(); }
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;

  /// Waits for the verb that runs.
  void stop();
  /// Once it has stopped.
  const OperatorDeeds& deeds() const { return deeds_; }

 private:
  void run(const std::stop_token& stop);
  void put_policy();
  void make_key();
  void revoke_key();
  /// The rule of a version, by which kBarredTool has this ruling.
  std::string rule(Ruling ruling);

  const Options& options_;
  Fleet& fleet_;
  KeyBook& book_;
  History& history_;
  Randomness random_;
  OperatorDeeds deeds_;
  unsigned versions_ = 0;
  std::jthread thread_;
};

}  // namespace toolway::chaos

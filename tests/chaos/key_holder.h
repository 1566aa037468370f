#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "tests/chaos/agent.h"
#include "tests/chaos/key_book.h"

namespace toolway::chaos {

/// A user who works with the keys that an operator makes for them, and keeps using those that were
/// revoked: each request with one of them, at a random gateway. One thread; `sessions` from any.
class KeyHolder {
 public:
  KeyHolder(AgentParts parts, const KeyBook& book, unsigned number, std::uint64_t seed);
  void run(const std::atomic<bool>& stop);
  std::vector<Watched> sessions() const;
  std::optional<Watched> watched() const;

 private:
  /// With the key that lasts.
  bool open_session();
  void use(const KeyLife& key);
  Door::Answer ask(const KeyLife& key, const char* method, const std::string& target,
                   const std::string& body);
  void call(const KeyLife& key);

  AgentParts parts_;
  const KeyBook& book_;
  const std::string user_;
  const std::string session_;
  Randomness random_;
  Door door_;
  std::uint64_t tokens_ = 0;
  std::atomic<bool> opened_{false};
};

}  // namespace toolway::chaos

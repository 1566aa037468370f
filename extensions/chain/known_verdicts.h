#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "base/text_memo.h"
#include "extensions/chain/chain.h"
#include "tools/model/registry.h"

namespace toolway::extensions::chain {

/// What a chain said of a tool and a caller.
struct KnownVerdict {
  Verdict verdict;                  ///< of what is decided without arguments
  bool looks_at_arguments = false;  ///< some rule about such calls does
};

/// What the chain of one policy said, of those tools and callers that came last. Thread-safe.
class KnownVerdicts {
 public:
  using Ptr = std::shared_ptr<const KnownVerdict>;

  /// Everything that a decision may be based on (Facts), except the policy.
  static std::string key_of(const tools::model::RegisteredTool& tool, const Principal& caller);

  /// Null: it is not known.
  Ptr find(const std::string& key) { return memo_.find(key); }
  void put(const std::string& key, Ptr made) {
    memo_.put(key, key.size() + kBytesEach, std::move(made));
  }

 private:
  static constexpr std::size_t kBytesEach = 1024;  // estimated
  TextMemo<KnownVerdict> memo_{std::size_t{4} << 20};
};

}  // namespace toolway::extensions::chain

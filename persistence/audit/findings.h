#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "persistence/audit/finding.h"
#include "persistence/audit/seal.h"

namespace toolway::persistence::audit {

/// Collects what does not fit while records and seals pass, and says in the end what was done to
/// them: a digest that is missing in one place and is found in another was moved. Bounded.
class Findings {
 public:
  /// A sealed record that is not in its place.
  void lost(const SealEntry& entry);
  /// A record that no seal has in this place. `sealed`: where only sealed ones are.
  void stray(const FoundRecord& record, bool sealed);
  void add(Finding finding);

  /// Whether anything is lost so far.
  bool any_lost() const { return !lost_.empty(); }
  /// Into `verified`, in the order of their numbers.
  void settle(Verified& verified) &&;

 private:
  struct Lost {
    std::int64_t number = 0;
    std::string digest;
  };
  struct Stray {
    std::int64_t number = 0;
    std::string content;
    bool whole = false;  ///< its row has the digest of what it says
    bool sealed = false;
  };
  void match();

  std::vector<Lost> lost_;
  std::vector<Stray> strays_;
  std::vector<Finding> findings_;
  std::uint64_t more_ = 0;
};

}  // namespace toolway::persistence::audit

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// What an operator changes while clients call, as the checker is told of it. Times are
/// microseconds of the harness's clock; 0: not yet, or never.
namespace toolway::chaos {

/// The tool that policies turn off, hold and let through.
inline constexpr const char* kBarredTool = "chaos.barred_again";

/// An API key, which an operator made and may have revoked.
struct KeyLife {
  std::string id;
  std::string user;
  std::string secret;            ///< what its holder sends
  std::int64_t made_us = 0;      ///< the verb had ended well
  std::int64_t revoking_us = 0;  ///< the verb began
  std::int64_t revoked_us = 0;   ///< it had ended well; 0 after it began: it may be revoked or not
};

/// What a policy says of kBarredTool.
enum class Ruling { kRuns, kRefused, kHeld };
const char* ruling_name(Ruling ruling);

/// A version of the policy that an operator put.
struct PolicyPut {
  Ruling ruling = Ruling::kRuns;
  std::int64_t begun_us = 0;
  std::int64_t acked_us = 0;  ///< 0: it may be in force or not
};

/// A request with a key of KeyLife.
struct KeyUse {
  std::string key_id;
  std::string gateway;
  std::int64_t at_us = 0;
  std::int64_t done_us = 0;
  int status = 0;  ///< 0: nothing was answered
};

}  // namespace toolway::chaos

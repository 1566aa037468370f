#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace toolway::chaos {

/// The model that the stack's chat processes ask: all three APIs on one port of loopback, as strict
/// as the APIs are. Thread-safe.
class ModelHost {
 public:
  /// What was wrong with a request; the conversation was not answered.
  struct Refused {
    std::string why;
    std::string request;  ///< its beginning
  };

  static Result<std::unique_ptr<ModelHost>> start(std::uint64_t seed);
  virtual ~ModelHost() = default;
  /// Without a path: what TOOLWAY_AI_BASE_URL names for Anthropic's API, and with /v1 for OpenAI's.
  virtual std::string url() const = 0;
  virtual std::uint64_t requests() const = 0;
  /// Answered with 400: a history that no provider takes.
  virtual std::vector<Refused> refused() const = 0;
  /// Requests that held tokens of several users.
  virtual std::vector<Refused> mixed() const = 0;
};

}  // namespace toolway::chaos

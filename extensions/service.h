#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "extensions/on_failure.h"

namespace toolway::extensions {

/// The longest that a service may take, for one answer.
inline constexpr std::chrono::milliseconds kLongestAnswer{2000};

/// A service that a rule asks about calls. Immutable once it is shared.
struct Service {
  enum class When { kBefore, kAfter, kBoth };
  enum class Format { kToolway, kOpa };

  std::string url;
  std::string origin;  ///< of `url`: `https://policy.example.com:8443`
  When when = When::kBefore;
  std::chrono::milliseconds timeout = kLongestAnswer;
  std::optional<OnFailure> on_failure{};  ///< nothing: as the extension's
  Format format = Format::kToolway;
};
using ServicePtr = std::shared_ptr<const Service>;

/// A service that has to be asked about one call.
struct ServiceAsked {
  ServicePtr service;
  std::string rule;  ///< that says so
  OnFailure on_failure = OnFailure::kClosed;

  bool before() const { return service->when != Service::When::kAfter; }
  bool after() const { return service->when != Service::When::kBefore; }
};

}  // namespace toolway::extensions

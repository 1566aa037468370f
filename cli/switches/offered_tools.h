#pragma once

#include <string>

#include "cli/client/http_client.h"

namespace toolway::cli::switches {

/// Whether the fleet has the tool or namespace to switch off.
struct Offered {
  enum class Answer { kYes, kNo, kNotKnown };
  Answer answer = Answer::kNotKnown;
  std::string text{};  ///< kNo: that it does not, and what may be meant; kNotKnown: why
};

/// Asks a gateway, for a few seconds at most: a switch must also work while none answers.
Offered ask_whether_offered(client::ClientOptions http, const std::string& name);

}  // namespace toolway::cli::switches

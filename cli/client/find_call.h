#pragma once

#include <string>

#include "cli/client/reporting.h"

namespace toolway::cli::client {

/// The call that a short id means: the end or the beginning of its id, among the user's recent
/// calls. A whole id is taken as it is, without asking. Reports an id that is too short, unknown or
/// ambiguous, with the calls that it may mean: then `id` is empty and `status` says how to exit.
struct FoundCall {
  std::string id;
  int status = 0;
};
FoundCall find_call(const ClientContext& context, const std::string& given);

}  // namespace toolway::cli::client

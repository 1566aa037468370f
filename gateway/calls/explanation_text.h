#pragma once

#include <cstdint>
#include <string>

#include "proto/toolway/v1/call.pb.h"

/// How an explanation words what it tells. Pure.
namespace toolway::gateway::calls {

/// `1.5 s`, `3 min`: how long ago, or until.
std::string span_text(std::int64_t us);
/// Why a call waits that a limit on running calls holds up.
std::string busy_text(const std::string& limit, std::uint64_t most, const std::string& since);
std::string error_text(const v1::CallError& error);
/// What an outcome means to a first-time reader.
std::string outcome_text(const v1::Completed& completed);

}  // namespace toolway::gateway::calls

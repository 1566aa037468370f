#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/seal_keys.h"
#include "gateway/wire/caller.h"
#include "gateway/wire/event_id.h"
#include "proto/toolway/v1/call.pb.h"

/// Questions that tools ask, between a call's log and a client of the Model Context Protocol.
namespace toolway::gateway::mcp {

/// What a client has declared (2025-11-25, basic/lifecycle, and client/elicitation: `elicitation`
/// alone means forms). Pure.
v1::Askable askable_of(const Json& capabilities);
Json askable_json(const v1::Askable& askable);
v1::Askable askable_from(const Json& json);

/// What a client must declare to be asked this, as `requiredCapabilities` says it (2026-07-28,
/// basic/index, "Error Codes"); null: such a question does not exist.
Json required_capabilities(std::string_view method, bool is_url);

/// One question to a client of a handshake revision. Its sealed form is the id of the JSON-RPC
/// request that asks it, so that any gateway takes the answer.
struct AskedOf {
  std::string call_id;
  std::string key;
  std::string method;
};
std::string seal_question(const SealKeys& keys, const wire::Caller& caller, const AskedOf& question,
                          WallTime now);
/// Nothing: it is none of ours, has expired, or is another caller's.
std::optional<AskedOf> open_question(const SealKeys& keys, const wire::Caller& caller,
                                     std::string_view sealed, WallTime now);

/// What a client of 2026-07-28 sends back with its answers (basic/utilities/mrtr).
struct RequestState {
  std::string call_id;
  std::string session_key;
  std::string digest;     ///< of the tool and its arguments
  wire::EventId after{};  ///< the client has seen the call's events up to here
};
std::string seal_state(const SealKeys& keys, const wire::Caller& caller, const RequestState& state,
                       WallTime now);
std::optional<RequestState> open_state(const SealKeys& keys, const wire::Caller& caller,
                                       std::string_view sealed, WallTime now);

/// `questions`: as an event shows them. Those that `waiting` names; empty: all.
Json input_requests(const Json& questions, const std::vector<std::string>& waiting = {});
Json input_requests(const std::vector<v1::Question>& questions);
/// As an event shows it.
Json question_json(const v1::Question& question);
/// The result that asks for them.
Json input_required(Json requests, std::string request_state);

/// The answer that a client's JSON-RPC error is: it was asked, and says no.
Json declined(std::string_view method, std::string_view message);

}  // namespace toolway::gateway::mcp

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "tests/chaos/randomness.h"

/// What a talker's message asks of the model, which does just that: it makes the calls of one round
/// after the other, and then replies. The message carries its plan, so what the model says follows
/// from the conversation alone. Pure.
namespace toolway::chaos {

struct PlannedCall {
  std::string tool;  ///< as models name it
  OrderedJson arguments;
};

struct Plan {
  std::string token;                             ///< of the message
  std::vector<std::vector<PlannedCall>> rounds;  ///< each call with a token of its own
  std::uint64_t think_ms = 0;                    ///< before each answer of the model
};

/// One at random, whose calls end at once, later, or after their turn.
Plan make_plan(Randomness& random, const std::string& token);

/// The message that asks for it.
std::string message_of(const Plan& plan);
/// The last one in a text of the user; nothing: there is none.
std::optional<Plan> read_plan(std::string_view text);
/// What the model replies in the end.
std::string reply_to(const std::string& token);

/// Of the call number `number` of a message.
std::string token_of_call(const std::string& message, std::size_t number);
/// The token of the message whose call has this one; of a message's own the same.
std::string token_of_message(const std::string& call);

}  // namespace toolway::chaos

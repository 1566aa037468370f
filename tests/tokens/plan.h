#pragma once

#include <string_view>
#include <vector>

#include "chat/engine/engine_config.h"
#include "tests/tokens/texts.h"
#include "tools/exports/model_message.h"

namespace toolway::tokens {

/// How the texts of a conversation change.
enum class Texts {
  kAlike,   ///< one voice
  kMixed,   ///< three voices take turns
  kChange,  ///< another voice in the second half
  kAny,     ///< each text in any voice
};
std::string_view texts_name(Texts texts);

/// What is chosen of a conversation before it begins; a seed gives the same on every machine.
struct Plan {
  explicit Plan(std::uint64_t seed);

  /// Of the text that comes in `turn`.
  Voice voice(unsigned turn, Random& random) const;
  /// Bytes of one text.
  std::size_t size(Random& random) const;

  std::uint64_t seed = 0;
  tools::exports::ModelApi api{};
  Texts texts = Texts::kAlike;
  std::vector<Voice> voices;
  unsigned turns = 0;
  std::size_t usual_bytes = 0;  ///< of a text
  std::size_t tool_bytes = 0;   ///< of all definitions
  bool thinks = false;
  unsigned new_engine = 0;  ///< before this turn, as after a restart; 0: never
  chat::engine::EngineConfig config;
};

/// As that API takes them, of about `plan.tool_bytes`; some have long schemas.
OrderedJson tool_definitions(const Plan& plan, Random& random);

}  // namespace toolway::tokens

#pragma once

#include <string_view>

#include "chat/window/rates.h"
#include "tools/exports/model_message.h"
#include "tools/messages/message.h"

/// How many tokens a text has, by what it looks like. Pure, and without any model's vocabulary.
namespace toolway::chat::window {

/// Between what bounds the count of a model is, and what it likely is; of languages that few models
/// know well, `most` is several times `least`.
struct Tokens {
  double least = 0;
  double most = 0;
  ByKind likely{};

  Tokens& operator+=(const Tokens& other);
  friend Tokens operator-(const Tokens& one, const Tokens& other);
  friend bool operator==(const Tokens&, const Tokens&) = default;
};

Tokens tokens_of(std::string_view text);
/// The longest beginning of UTF-8 that has at most `most`, cut between two words or characters;
/// within what is longer than any word.
std::string_view prefix_within(std::string_view text, double most);

/// Of a message in a request: its texts, its blocks if they are shown, and what is written around
/// them.
Tokens tokens_of(const tools::messages::Message& message,
                 tools::messages::Blocks blocks = tools::messages::Blocks::kAsText);
/// Of the definitions of tools, and of what an API tells the model about them by itself.
Tokens tokens_of_tools(const OrderedJson& tools, tools::exports::ModelApi api);

}  // namespace toolway::chat::window

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "tools/messages/message.h"

/// How a model is asked for a summary, and shown one. Pure.
namespace toolway::chat::engine {

/// What it is told first.
tools::messages::Message summary_instructions();

/// What a summary is made of.
struct ToSummarize {
  std::string text{};     ///< the user's message of that request
  std::size_t count = 0;  ///< of `messages` that are in it, from the first one; 0: none fits
};
/// As many of `messages` as have `tokens` at most, and what `before` says of those before them;
/// never calls without their results. Long texts are shortened.
ToSummarize to_summarize(std::string_view before,
                         std::span<const tools::messages::Message> messages, double tokens);

/// A summary as it is sent in place of what it covers.
tools::messages::Message shown_summary(std::string_view text);

}  // namespace toolway::chat::engine

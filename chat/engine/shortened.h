#pragma once

#include <cstddef>
#include <vector>

#include "tools/messages/message.h"

/// How much of what tools returned is kept, and shown to the model. Pure.
namespace toolway::chat::engine {

struct ResultBounds {
  std::size_t bytes = 0;  ///< of one result
  double tokens = 0;      ///< of all of them, as `window::Tokens::most` counts
};

/// Where the text is longer than this many bytes or tokens, leaves its beginning and a note that
/// says how long the whole is; images and documents stay.
void shorten(tools::messages::CallResult& result, std::size_t bytes, double tokens);

/// Shortens what is too long, and takes away the images and documents of a message that has too
/// many. Of results that are too long together, the longest ones are cut, to the same length.
void bound(std::vector<tools::messages::CallResult>& results, const ResultBounds& bounds);

}  // namespace toolway::chat::engine

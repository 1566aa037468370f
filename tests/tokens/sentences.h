#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tests/tokens/texts.h"

namespace toolway::tokens {

using Sentences = std::vector<std::string_view>;

/// Of a kind that is spoken, or emoji: the sentences of each of its languages.
const std::vector<Sentences>& languages_of(Kind kind);

std::span<const std::string_view> code_lines();

}  // namespace toolway::tokens

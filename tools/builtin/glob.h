#pragma once

#include <string_view>

namespace toolway::tools::builtin {

/// Whether `text` matches `pattern`: `*` any characters except `/`, `**` any, `?` one
/// except `/`. A pattern without `/` is for the last component of `text` alone.
/// Time: at most pattern times text.
bool glob_matches(std::string_view pattern, std::string_view text);

}  // namespace toolway::tools::builtin

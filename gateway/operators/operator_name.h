#pragma once

#include <string>
#include <string_view>

#include "gateway/wire/request_body.h"

namespace toolway::gateway::operators {

/// Who did it, when a request does not say who it was.
inline constexpr std::string_view kOperator = "operator";

/// A text of at most 500 bytes without a NUL: Postgres and messages take no other. Not there:
/// `to` stays as it was.
inline void read_short_text(wire::BodyReader& reader, std::string_view name, std::string& to) {
  constexpr std::size_t kMaxText = 500;
  const auto* text = reader.text(name);
  if (text == nullptr) return;
  if (text->size() > kMaxText || text->find('\0') != std::string::npos)
    reader.wrong(name, "expected at most 500 bytes, without NUL", "maxLength");
  else
    to = *text;
}

}  // namespace toolway::gateway::operators

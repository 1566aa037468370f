#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/wire/problem.h"

namespace toolway::gateway::wire {

/// One line of a header; views of the bytes that came.
struct HeaderLine {
  std::string_view name;
  std::string_view value;  ///< without the white space around it
};

/// The head of a request as it came: not checked yet. Its views live as long as the
/// reader that holds its bytes.
struct RequestHead {
  std::string_view method;
  std::string_view target;
  unsigned version = 11;  ///< 10 or 11
  std::vector<HeaderLine> lines;

  /// The first line of this name, whatever the case of its letters.
  std::optional<std::string_view> find(std::string_view name) const;
  std::size_t count(std::string_view name) const;
  /// All lines of a name as one list (RFC 9110 §5.3).
  std::string joined(std::string_view name) const;
};

/// Which rule a head breaks, of those that apply to every request: Host (RFC 9112 §3.2), how long
/// the body is (§6.3, so that no two programs split the bytes differently), and that headers which
/// say who asks, or for what, appear once. Nothing: it keeps them. Pure; the problem is a 400.
std::optional<Problem> refuse_head(const RequestHead& head);

}  // namespace toolway::gateway::wire

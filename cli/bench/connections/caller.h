#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace toolway::cli::bench::connections {

/// Who the requests of a load come from: a user by name, or by tokens that are all that user's.
struct Caller {
  std::string user;
  std::vector<std::string> tokens{};  ///< of --tokens; sent in turn

  /// Appends the header line that says so in the request `number`.
  void append_to(std::string& request, std::size_t number) const {
    if (tokens.empty())
      request.append("X-Toolway-User: ").append(user);
    else
      request.append("Authorization: Bearer ").append(tokens[number % tokens.size()]);
    request += "\r\n";
  }
  std::string line(std::size_t number = 0) const {
    std::string text;
    append_to(text, number);
    return text;
  }
  /// For requests that are not measured; empty: the name says who asks.
  std::string token() const { return tokens.empty() ? std::string() : tokens.front(); }
};

}  // namespace toolway::cli::bench::connections

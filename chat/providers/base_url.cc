#include "chat/providers/base_url.h"

#include <algorithm>

#include "base/text.h"

namespace toolway::chat::providers {
namespace {

struct Pieces {
  std::string_view path;   ///< and all before it
  std::string_view query;  ///< with its `?`; may be empty
};

Pieces pieces_of(std::string_view base) {
  base = base.substr(0, base.find('#'));
  const auto end = std::min(base.find('?'), base.size());
  Pieces pieces{.path = base.substr(0, end), .query = base.substr(end)};
  while (pieces.path.ends_with('/')) pieces.path.remove_suffix(1);
  return pieces;
}

/// `take(name, value)`, each as it is written; of a part without `=`, all of it is the value.
template <typename Take>
void each_parameter(std::string_view query, Take take) {
  while (!query.empty()) {
    query.remove_prefix(1);  // `?` or `&`
    const auto parameter = query.substr(0, query.find('&'));
    const auto equals = parameter.find('=');
    const auto begin = equals == std::string_view::npos ? 0 : equals + 1;
    take(parameter.substr(0, begin), parameter.substr(begin));
    query.remove_prefix(parameter.size());
  }
}

}  // namespace

std::string url_below(std::string_view base, std::string_view path) {
  const auto [before, query] = pieces_of(base);
  return std::string(before).append(path).append(query);
}

std::string shown_url(std::string_view base) {
  const auto [path, query] = pieces_of(base);
  std::string shown(path);
  each_parameter(query, [&, mark = '?'](std::string_view name, std::string_view value) mutable {
    shown += mark;
    shown.append(name).append(value.empty() ? "" : "…");
    mark = '&';
  });
  return shown;
}

std::vector<std::string> query_values(std::string_view base) {
  std::vector<std::string> values;
  each_parameter(pieces_of(base).query, [&](std::string_view, std::string_view value) {
    values.emplace_back(value);
    if (auto meant = percent_decoded(value); meant && *meant != value)
      values.push_back(std::move(*meant));
  });
  return values;
}

}  // namespace toolway::chat::providers

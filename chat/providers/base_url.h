#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Where a model is, as an operator sets it: it may have a query, such as Azure's `?api-version=…`,
/// whose values may be secrets. Pure.
namespace toolway::chat::providers {

/// The URL of `path`, which begins with `/` or is empty: before the query. A fragment is dropped.
std::string url_below(std::string_view base, std::string_view path);

/// For people: of the query, names alone.
std::string shown_url(std::string_view base);

/// The values of the query, as they are written and as they are meant.
std::vector<std::string> query_values(std::string_view base);

}  // namespace toolway::chat::providers

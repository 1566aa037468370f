#pragma once

#include <string>

#include "cli/client/reporting.h"

namespace toolway::cli::client {

/// Entries of a list that comes in pages, as one answer has them: `array`, and the last page's
/// `next`. Null: the gateway refused, which was reported, and `status` says how to exit.
struct Pages {
  OrderedJson list;
  int status = 0;
};

/// The first `limit` entries. A page may end before its limit, even empty, while others follow.
/// `target` ends with `?` or `&`; `cursor` is the parameter that takes a `next`.
Pages read_pages(const ClientContext& context, const std::string& target, unsigned limit,
                 const char* array, const char* cursor = "before");

}  // namespace toolway::cli::client

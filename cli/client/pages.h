#pragma once

#include <functional>
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

/// Of a list that ends at its limit: that there is more, on standard error, unless a program gets
/// the answer, which has `next`.
void say_more(const ClientContext& context, const OrderedJson& list, const char* array);

/// Calls `take` with each event at `path` (`/v1/calls/{id}/events`) that comes after `cursor`,
/// which moves on; "0": with all so far. How to exit.
int read_events(const ClientContext& context, const std::string& path, std::string& cursor,
                const std::function<void(const OrderedJson&)>& take);

/// Prints a list; `watch`: again every 2 s, one screen after the other on a terminal, one list
/// after the other in a pipe, until the gateway refuses. How to exit.
int show_list(const ClientContext& context, bool watch, const std::function<Pages()>& read,
              const std::function<void(const OrderedJson&)>& print);

}  // namespace toolway::cli::client

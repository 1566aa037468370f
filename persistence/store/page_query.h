#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/try.h"
#include "persistence/postgres/reader_pool.h"
#include "persistence/store/recorded_rows.h"
#include "persistence/store/store_reader.h"

/// Pages that are bounded by what their rows weigh, in the database: neither it nor the reader
/// holds more.
namespace toolway::persistence::store {

/// A query of `rows` (which has a column `bytes`) that stops at the row with which their sum
/// reaches `max_bytes`. Its columns are `columns`, `until` (the sum up to the row) and
/// `candidates` (how many rows there were to choose from).
std::string bounded_page(std::string_view columns, std::string_view rows, std::string_view order,
                         std::size_t max_bytes);

/// Asks for the rows of a page step by step, few at first: to know how much a row weighs the
/// database has to read it, and the first few may be all that the page holds.
/// `fetch(last, rows, bytes)` queries a `bounded_page` of that many rows after `last` (null: from
/// the beginning); `convert` makes a T of a row.
template <typename T, typename Fetch, typename Convert>
Result<Page<T>> read_page(PageLimit limit, Fetch fetch, Convert convert,
                          std::size_t first_step = 128) {
  Page<T> page;
  std::size_t step = first_step;
  std::size_t bytes = std::max<std::size_t>(limit.bytes, 1);
  for (;; step *= 4) {
    const std::size_t left = limit.rows - page.size();
    const std::size_t asked = std::min(left + 1, step);  // one more tells whether there are more
    ASSIGN_OR_RETURN(const postgres::SqlRows rows,
                     fetch(page.empty() ? nullptr : &page.back(), asked, bytes));
    if (rows.empty()) return page;
    for (const auto& row : rows) {
      if (page.size() == limit.rows) break;
      ASSIGN_OR_RETURN(T value, convert(row));
      page.push_back(std::move(value));
    }
    const auto& last = rows.back();
    const auto candidates = static_cast<std::size_t>(last.get<std::int64_t>("candidates"));
    const auto taken = static_cast<std::size_t>(last.get<std::int64_t>("until"));
    page.more = rows.size() > left || rows.size() < candidates;
    page.bytes += taken;
    if (page.more || candidates < asked) return page;
    bytes = bytes > taken ? bytes - taken : 1;
  }
}

}  // namespace toolway::persistence::store

#include "persistence/store/page_query.h"

#include <fmt/format.h>

namespace toolway::persistence::store {

std::string bounded_page(std::string_view columns, std::string_view rows, std::string_view order,
                         std::size_t max_bytes) {
  // What a row weighs is known before its large columns are: until they are shown they are
  // references to where they are stored.
  return fmt::format(
      "SELECT {0}, until, candidates FROM (SELECT r.*, "
      "sum(bytes) OVER (ORDER BY {2} ROWS UNBOUNDED PRECEDING) AS until, "
      "count(*) OVER () AS candidates FROM ({1}) r) p "
      "WHERE until - bytes < {3} ORDER BY {2}",
      columns, rows, order, max_bytes);
}

}  // namespace toolway::persistence::store

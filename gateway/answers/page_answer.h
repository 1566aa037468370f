#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "gateway/answers/held_page.h"
#include "gateway/loop/give_way.h"
#include "gateway/wire/http_types.h"
#include "gateway/wire/json_text.h"

namespace toolway::gateway::answers {

/// What an answer says besides the rows of a page.
struct PageFrame {
  std::string_view list;  ///< the name of the list; must outlive the answer
  std::string next;       ///< the cursor of the page after it; empty: this is the last one
  bool behind = false;    ///< whether something accepted may not be recorded yet
};

/// The page as an answer: each row by `write_row(out, row)`, with turns for other requests between
/// them.
template <typename T, typename WriteRow>
loop::Task<wire::Response> page_answer(HeldPage<T> page, PageFrame frame, WriteRow write_row) {
  wire::Response response{.memory = std::move(page.memory)};
  std::string& out = response.body;
  wire::ObjectText object(out);
  object.begin(frame.list);
  wire::ListText list(out);
  loop::TextTurn turn(out);
  for (const T& row : page.rows) {
    if (turn.is_full()) co_await loop::give_way();
    list.next();
    write_row(out, row);
  }
  list.end();
  object.text_or_null("next", frame.next);
  object.boolean("behind", frame.behind);
  object.end();
  co_return response;
}

}  // namespace toolway::gateway::answers

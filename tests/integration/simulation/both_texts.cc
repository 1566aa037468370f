// How the answers and rows of both stores read, with names in place of the ids that each makes.
#include <algorithm>

#include "tests/integration/simulation/both_stores.h"

namespace toolway::simulation::turns {
namespace {

using conversations::Taken;

std::string short_id(const std::string& id) { return id.empty() ? "-" : id.substr(24); }

std::string_view taken_name(Taken taken) {
  switch (taken) {
    case Taken::kTaken: return "taken";
    case Taken::kBusy: return "busy";
    case Taken::kCrowd: return "crowd";
  }
  return "";
}

std::string sorted_lines(std::vector<std::string> lines) {
  std::ranges::sort(lines);
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

std::string calls_text(const std::map<std::string, ConversationTables::Call>& calls) {
  std::string text;
  for (const auto& [id, call] : calls)
    text += fmt::format(" {}={}/{}", short_id(id),
                        call.told_in ? std::to_string(*call.told_in) : "", call.progress);
  return text;
}

}  // namespace

std::string BothStores::session_name(const std::string& key) const {
  const auto found = std::ranges::find(owners_, key, &Owner::session_key);
  return fmt::format("s{}", found - owners_.begin());
}

std::string BothStores::name(const std::string& id) const {
  const auto found = names_.find(id);
  return found == names_.end() ? "no conversation" : found->second;
}

std::string BothStores::postgres_id(const std::string& id) const {
  const auto found = postgres_ids_.find(name(id));
  return found == postgres_ids_.end() ? "00000000-0000-4000-8000-000000000000" : found->second;
}

std::string BothStores::postgres_place(std::uint64_t completion) const {
  return recorded_.all.at(completion - 1).place;
}

std::string BothStores::rows_of_postgres() {
  std::vector<std::string> rows;
  for (const auto& row :
       ask("SELECT id::text AS id, replace(session_key::text, '-', '') AS session, "
           "number::bigint AS number, format('head %s, has %s, stop %s, begun %s, last %s, %s, "
           "wakes %s for %s, %s automatic, %s messages, calls%s', head, CASE WHEN lease_turn IS "
           "NULL THEN '-' ELSE right(lease_turn::text, 12) || ':' || lease_attempt END, "
           "stop_asked::text, begun_place, COALESCE(right(last_turn::text, 12), '-'), options, "
           "wakes::text, on_behalf, auto_turns, (SELECT count(*) FROM messages m "
           "WHERE m.conversation = c.id), (SELECT string_agg(format(' %s=%s/%s', "
           "right(call_id::text, 12), told_in, progress), '' ORDER BY call_id) "
           "FROM conversation_calls d WHERE d.conversation = c.id)) AS row "
           "FROM conversations c")) {
    const auto called = fmt::format("{}/{}", session_name(row.get<std::string>("session")),
                                    row.get<std::int64_t>("number"));
    names_[row.get<std::string>("id")] = called;
    postgres_ids_[called] = row.get<std::string>("id");
    rows.push_back(called + " " + row.get<std::string>("row"));
  }
  for (const auto& row : ask("SELECT replace(session_key::text, '-', '') AS session, "
                             "right(turn::text, 12) AS turn, place FROM conversation_waiters"))
    rows.push_back(fmt::format("{} waits: {} at {}", session_name(row.get<std::string>("session")),
                               row.get<std::string>("turn"), row.get<std::int64_t>("place")));
  return sorted_lines(std::move(rows));
}

std::string BothStores::rows_of_model() {
  std::vector<std::string> rows;
  std::map<std::string, int> numbers;
  for (const auto& one : tables_->all()) {
    const auto called = fmt::format("{}/{}", session_name(one.session), ++numbers[one.session]);
    names_[one.id] = called;
    rows.push_back(fmt::format(
        "{} head {}, has {}, stop {}, begun {}, last {}, {}, wakes {} for {}, {} automatic, "
        "{} messages, calls{}",
        called, one.head,
        one.lease ? fmt::format("{}:{}", short_id(one.lease->turn), one.lease->attempt) : "-",
        one.stop_asked, one.begun_place, short_id(one.last_turn), one.options, one.wakes,
        one.on_behalf, one.auto_turns, one.messages.size(), calls_text(tables_->calls_of(one.id))));
  }
  for (const auto& [key, waiter] : tables_->waiters())
    rows.push_back(fmt::format("{} waits: {} at {}", session_name(key.first), short_id(key.second),
                               waiter.place));
  return sorted_lines(std::move(rows));
}

std::string BothStores::text(const Result<void>& result) const {
  return result ? "done" : std::string(code_name(result.error().code));
}

std::string BothStores::text(const Store::TakeResult& result) const {
  std::string found(taken_name(result.taken));
  return result.taken == Taken::kTaken ? found + " " + text(result.opened) : found;
}

std::string BothStores::text(const conversations::Opened& opened) const {
  return fmt::format("{}, head {}, {}", name(opened.conversation), opened.head, opened.options);
}

std::string BothStores::text(const Store::Renewed& renewed) const {
  std::string found = "to stop:";
  for (const auto& one : renewed.stop)
    found += fmt::format(" {}:{}", short_id(one.turn), one.attempt);
  return found;
}

std::string BothStores::text(const std::vector<conversations::Arrived>& arrived) const {
  std::string found;
  for (const auto& one : arrived)
    found += fmt::format("{} after {}, ", taken_name(one.taken), one.begun_place);
  return found;
}

std::string BothStores::text(const std::vector<bool>& flags) const {
  std::string found;
  for (const bool flag : flags) found += flag ? "known " : "new ";
  return found;
}

std::string BothStores::text(const std::vector<conversations::StoredMessage>& messages) const {
  std::string found;
  for (const auto& one : messages)
    found += fmt::format("{} {} {} {}\n", one.number, short_id(one.turn), one.role, one.body);
  return found;
}

std::string BothStores::text(const conversations::CallNews& news) const {
  std::string found = "untold:";
  for (const auto& one : news.untold) found += fmt::format(" {}/{}", short_id(one.call), one.event);
  found += ", ended:";
  for (const auto& one : news.ended) {
    // A number in one, and what stands for it in the other.
    const auto place = std::ranges::find_if(recorded_.all, [&](const auto& it) {
      return it.place == one.place || fmt::format("1.{}", it.ended.place) == one.place;
    });
    found += fmt::format(" {} {} at {}", short_id(one.call), one.of_turn ? "of turn" : "of user",
                         place == recorded_.all.end() ? 0 : place->ended.place);
  }
  return found;
}

std::string BothStores::text(const std::vector<conversations::Wakeable>& found) const {
  std::vector<std::string> lines;
  for (const auto& one : found)
    lines.push_back(fmt::format("{} of {} for {}", name(one.conversation),
                                session_name(one.session_id), one.on_behalf));
  return sorted_lines(std::move(lines));
}

}  // namespace toolway::simulation::turns

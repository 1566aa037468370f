#include "tests/simulation/turns/turn_checker.h"

#include <algorithm>

#include "gateway/calls/idempotency.h"
#include "persistence/conversations/postgres_conversations.h"
#include "tools/messages/history.h"

namespace toolway::simulation::turns {
namespace {

std::string role_of(const Json& message) { return message.value("role", ""); }

/// The ids of an assistant's calls, in order.
std::vector<std::string> call_ids(const Json& message) {
  std::vector<std::string> ids;
  if (role_of(message) != "assistant") return ids;
  for (const auto& part : message.at("parts"))
    if (part.contains("call")) ids.push_back(part.at("call").at("id"));
  return ids;
}

std::vector<std::string> texts(const Json& message, const char* member) {
  return message.value(member, std::vector<std::string>());
}

/// What a result says that is not of its call.
bool says(const Json& result, tools::messages::Interruption what) {
  return result.value("ran_as", "").empty() &&
         result.value("text", "") == tools::messages::interrupted_result({}, what).text;
}

/// Whether a message has results that are not known.
bool knows_not(const Json& message) {
  return std::ranges::any_of(message.at("results"), [](const Json& result) {
    return says(result, tools::messages::Interruption::kUnknown);
  });
}

std::string name_of(const conversations::Writer& writer) {
  return fmt::format("{} attempt {}", writer.turn, writer.attempt);
}

}  // namespace

void TurnChecker::taken(const std::string& conversation, const Writer& writer,
                        const std::string& process) {
  world_.note("{}: {} has conversation {}", process, name_of(writer), conversation);
  unsigned& newest = newest_[writer.turn];
  newest = std::max(newest, writer.attempt);
  conversations_[conversation].writer = writer;
}

void TurnChecker::added(const std::string& conversation, const Writer& writer,
                        const conversations::StoredMessage& message, const std::string& process) {
  Conversation& one = conversations_[conversation];
  world_.note("{}: {} {}: {} of {}", process, conversation, message.number, message.body,
              name_of(writer));
  if (one.writer != writer)
    world_.violation("{}: message {} is of {}, but {} has the conversation", conversation,
                     message.number, name_of(writer),
                     one.writer ? name_of(*one.writer) : "no turn");
  if (writer.attempt < newest_[writer.turn])
    world_.violation("{}: message {} is of {}, and attempt {} has had the conversation",
                     conversation, message.number, name_of(writer), newest_[writer.turn]);
  if (message.number != one.rows.size() + 1)
    world_.violation("{}: message {} of {} was added where {} messages are", conversation,
                     message.number, name_of(writer), one.rows.size());
  Row row{writer, Json::parse(message.body)};
  check_order(conversation, one, row);
  check_told(conversation, one, row);
  check_user(conversation, one, row);
  one.rows.push_back(std::move(row));
  ++messages_;
  if (message.ends_turn) one.writer.reset();
}

void TurnChecker::check_order(const std::string& id, const Conversation& one, const Row& row) {
  const bool results = role_of(row.message) == "results";
  const Row* const before = one.rows.empty() ? nullptr : &one.rows.back();
  const bool open = before != nullptr && !call_ids(before->message).empty();
  if (open != results) {
    world_.violation("{}: {} follows {} at {}", id, role_of(row.message),
                     before == nullptr ? "nothing" : role_of(before->message), one.rows.size() + 1);
    return;
  }
  if (!results) return;
  check_results(id, *before, row, one.rows.size());
  check_known(id, row);
}

void TurnChecker::check_results(const std::string& id, const Row& asked, const Row& row,
                                std::size_t number) {
  std::vector<std::string> answered;
  const auto key = fmt::format("{}.{}", id, number - 1);
  for (const auto& result : row.message.at("results")) {
    check_result(id, asked, result, gateway::calls::call_key(key, answered.size()));
    answered.push_back(result.at("call_id"));
  }
  if (answered != call_ids(asked.message))
    world_.violation("{}: the results at {} are not those of the calls before them", id,
                     number + 1);
}

void TurnChecker::check_result(const std::string& id, const Row& asked, const Json& result,
                               const std::string& key) {
  if (says(result, tools::messages::Interruption::kNeverStarted)) {
    if (const auto other = calls_.under(key); !other.empty())
      world_.violation("{}: a result says that the call under key {} never started: it is {}", id,
                       key, other);
  }
  const auto ran_as = result.value("ran_as", "");
  if (ran_as.empty()) return;
  const auto call = calls_.find(ran_as);
  if (!call || call->key != key)
    world_.violation("{}: a result under key {} is of call {}, whose key is {}", id, key, ran_as,
                     call ? call->key : "not known");
  else if (call->parent != asked.writer.turn)
    world_.violation("{}: call {} of {} was started by {}", id, ran_as, asked.writer.turn,
                     call->parent);
  else if (!result.value("detached", false) && !call->ended)
    world_.violation("{}: call {} has a result, and has not ended", id, ran_as);
}

/// What cannot be asked now can be asked later, unless the attempt was asked to stop.
void TurnChecker::check_known(const std::string& id, const Row& row) {
  if (attempts_.asked_to_stop(row.writer) || told_to_stop_.contains(row.writer)) return;
  if (knows_not(row.message))
    world_.violation("{}: {}, which no one asked to stop, does not know results of its calls", id,
                     name_of(row.writer));
}

void TurnChecker::check_told(const std::string& id, const Conversation& one, const Row& row) {
  for (const auto& call : texts(row.message, "about")) {
    bool detached = false;
    for (const auto& earlier : one.rows) {
      const auto about = texts(earlier.message, "about");
      if (std::ranges::find(about, call) != about.end())
        world_.violation("{}: the end of {} is told twice", id, call);
      if (role_of(earlier.message) != "results") continue;
      for (const auto& result : earlier.message.at("results"))
        detached = detached || (result.value("ran_as", "") == call && result.contains("detached"));
    }
    const auto known = calls_.find(call);
    if (!known || !known->ended)
      world_.violation("{}: the end of {} is told, which has not ended", id, call);
    else if (!detached && (known->is_turn || !known->parent.empty()))
      world_.violation("{}: the end of {} is told, which no message says is running", id, call);
  }
}

void TurnChecker::check_user(const std::string& id, const Conversation& one, const Row& row) {
  if (role_of(row.message) != "user") return;
  const auto turn = calls_.find(row.writer.turn);
  if (!turn || turn->content != row.message.value("text", ""))
    world_.violation("{}: {} stores a user's message that is not its own", id, name_of(row.writer));
  for (const auto& earlier : one.rows)
    if (earlier.writer.turn == row.writer.turn && role_of(earlier.message) == "user")
      world_.violation("{}: {} stores its user's message again", id, name_of(row.writer));
}

void TurnChecker::rolled_back(const ConversationTables& tables) {
  newest_.clear();
  std::map<std::string, Conversation> left;
  for (const auto& stored : tables.all()) {
    Conversation& one = left[stored.id];
    one.writer = stored.lease;
    one.rows = std::move(conversations_[stored.id].rows);
    one.rows.resize(std::min<std::size_t>(one.rows.size(), stored.head));
    if (stored.lease) newest_[stored.lease->turn] = stored.lease->attempt;
  }
  conversations_ = std::move(left);
}

void TurnChecker::check_end(const ConversationTables& tables) {
  for (const auto& [id, one] : conversations_) {
    check_auto_turns(id, one);
    check_unknown(id, one);
  }
  check_replies();
  std::map<std::string, const ConversationTables::Conversation*> current;
  for (const auto& stored : tables.all()) {
    const Conversation& one = conversations_[stored.id];
    current[stored.session] = &stored;
    if (stored.messages.size() != one.rows.size())
      world_.violation("{}: it has {} messages, and {} were added", stored.id,
                       stored.messages.size(), one.rows.size());
  }
  for (const auto& [session, stored] : current) check_all_told(*stored);
}

/// Of calls that outlived their turn's wait each end is told, unless no turn may begin for it.
void TurnChecker::check_all_told(const ConversationTables::Conversation& stored) {
  if (!stored.wakes || stored.auto_turns >= conversations::kMaxAutoTurns) return;
  std::set<std::string> told;
  std::set<std::string> detached;
  for (const auto& row : conversations_[stored.id].rows) {
    for (const auto& call : texts(row.message, "about")) told.insert(call);
    if (role_of(row.message) != "results") continue;
    for (const auto& result : row.message.at("results"))
      if (result.value("detached", false)) detached.insert(result.value("ran_as", ""));
  }
  for (const auto& call : detached) {
    const auto known = calls_.find(call);
    if (known && known->ended && !told.contains(call))
      world_.violation("{}: the end of {} was never told", stored.id, call);
  }
}

/// Between two messages of the user.
void TurnChecker::check_auto_turns(const std::string& id, const Conversation& one) {
  std::set<std::string> turns;
  for (const auto& row : one.rows) {
    if (role_of(row.message) == "user") turns.clear();
    const auto turn = calls_.find(row.writer.turn);
    if (turn && turn->content.empty() && role_of(row.message) == "assistant")
      turns.insert(row.writer.turn);
    if (turns.size() <= static_cast<std::size_t>(conversations::kMaxAutoTurns)) continue;
    world_.violation("{}: {} turns without a message of the user", id, turns.size());
    return;
  }
}

/// Only an attempt that ends early leaves calls whose results it does not know.
void TurnChecker::check_unknown(const std::string& id, const Conversation& one) {
  for (const auto& row : one.rows) {
    if (role_of(row.message) != "results") continue;
    const auto turn = calls_.find(row.writer.turn);
    const bool ended_early =
        !turn || !turn->ended || turn->stopped || row.writer.attempt != turn->attempt;
    if (knows_not(row.message) && !ended_early)
      world_.violation("{}: {} went on to its end, and does not know results of its calls", id,
                       name_of(row.writer));
  }
}

/// A turn that has succeeded has its message and its reply in the conversation that it names.
void TurnChecker::check_replies() {
  for (const auto& [turn, attempt] : newest_) {
    const auto call = calls_.find(turn);
    if (!call || !call->succeeded) continue;
    const auto result = parse_json(call->result);
    if (!result || !result->contains("last_message")) continue;
    const auto found = conversations_.find(result->value("conversation", ""));
    const auto last = result->value("last_message", std::uint64_t{0});
    if (found == conversations_.end() || last == 0 || last > found->second.rows.size()) {
      if (last > 0) world_.violation("the reply of {} is not in its conversation", turn);
      continue;
    }
    const auto& rows = found->second.rows;
    if (call->content.empty()) continue;
    const auto own = [&turn](const Row& row) { return row.writer.turn == turn; };
    if (!own(rows[last - 1]) || role_of(rows[last - 1].message) != "assistant")
      world_.violation("message {} of {} is not the reply of {}", last, found->first, turn);
    const auto asked = std::ranges::count_if(
        rows, [&](const Row& row) { return own(row) && role_of(row.message) == "user"; });
    if (asked != 1)
      world_.violation("{} has {} messages of the user in {}", turn, asked, found->first);
  }
}

}  // namespace toolway::simulation::turns

#include "tests/simulation/turns/sim_conversations.h"

#include <algorithm>

#include "tests/simulation/turns/awaited.h"

namespace toolway::simulation::turns {
namespace {

using conversations::Arrival;
using conversations::Opened;
using std::chrono::seconds;

/// A connection that does not answer for so long is given up.
constexpr seconds kGivenUp{20};
/// A statement is not on its way for longer.
constexpr seconds kLatest{8};

tl::unexpected<Error> away() { return fail(ErrorCode::kStoreUnavailable, "Postgres is away"); }

}  // namespace

void TurnDatabase::crash(Micros lasts) {
  world_.note("Postgres crashes");
  tables_.write_out(world_.now());
  tables_.crash();
  checker_.rolled_back(tables_);
  order_.rolled_back(tables_);
  down_until_ = world_.now() + lasts;
  elected_.reset();
}

bool TurnDatabase::is_elected(const std::shared_ptr<Process>& process) {
  const auto holder = elected_.lock();
  if (!holder || !holder->alive()) elected_ = process;
  return elected_.lock() == process;
}

template <typename T>
Result<T> SimConversations::ask(std::function<Result<T>()> does) {
  const auto begin = [&](std::function<void(Result<T>)> answer) {
    Weather& weather = around_.weather;
    const bool fails = weather.strikes(Fault::kStoreFailure, 30);
    const bool done = !fails || around_.world.random().per_mille(500);
    const auto latency = [&weather] { return std::min<Micros>(weather.latency(), kLatest); };
    around_.world.after(latency(), [around = around_, process = process_, &database = database_,
                                    fails, done, does, answer, latency] {
      // What a process sent before it died may still arrive, or not.
      if (!process->alive() && around.world.random().per_mille(500)) return;
      Result<T> answered = away();
      if (done && database.is_up()) {
        database.tables().write_out(around.world.now());
        answered = does();
      }
      if (fails) answered = away();
      process->after(latency(), [answer, answered] { answer(answered); });
    });
  };
  auto answer = awaited<Result<T>>(kGivenUp, begin);
  if (!answer) return away();
  return *std::move(answer);
}

Result<SimConversations::TakeResult> SimConversations::take(const Owner& owner,
                                                            const Writer& writer) {
  return ask<TakeResult>([this, owner, writer]() -> Result<TakeResult> {
    auto taken = tables().take(owner, writer, now());
    if (taken.taken != conversations::Taken::kTaken) {
      database_.order().waits(owner.session_key, writer, taken.taken);
      return taken;
    }
    database_.checker().taken(taken.opened.conversation, writer, process_->name());
    database_.order().taken(owner.session_key, writer);
    return taken;
  });
}

Result<std::vector<conversations::Arrived>> SimConversations::arrive(
    const std::vector<Arrival>& arrivals) {
  using Answer = std::vector<conversations::Arrived>;
  return ask<Answer>([this, arrivals]() -> Result<Answer> {
    auto answers = tables().arrive(arrivals, now());
    database_.order().arrived(arrivals, answers);
    return answers;
  });
}

Result<std::vector<bool>> SimConversations::are_known(const std::vector<Arrival>& turns) {
  using Answer = std::vector<bool>;
  return ask<Answer>([this, turns]() -> Result<Answer> { return tables().are_known(turns); });
}

Result<void> SimConversations::ask_to_stop(const Owner& owner) {
  return ask<void>([this, owner]() -> Result<void> {
    tables().ask_to_stop(owner);
    return {};
  });
}

Result<Opened> SimConversations::start_new(const Owner& owner, const Writer& writer,
                                           const std::string& options) {
  return ask<Opened>([this, owner, writer, options]() -> Result<Opened> {
    auto made = tables().start_new(owner, writer, options, now());
    if (!made) return made;
    database_.checker().taken(made->conversation, writer, process_->name());
    database_.order().heard(owner.session_key, writer);
    return made;
  });
}

Result<std::optional<Opened>> SimConversations::left_by(const Owner& owner, const std::string& turn,
                                                        const std::string& current) {
  using Found = std::optional<Opened>;
  return ask<Found>([this, owner, turn, current]() -> Result<Found> {
    const auto& all = tables().all();
    const auto is_left = [&](const auto& one) {
      return one.session == owner.session_key && one.id != current &&
             std::ranges::any_of(one.messages,
                                 [&](const auto& message) { return message->stored.turn == turn; });
    };
    const auto left = std::find_if(all.rbegin(), all.rend(), is_left);
    if (left == all.rend()) return Found();
    return Found(Opened{left->id, left->messages.size(), left->options});
  });
}

Result<SimConversations::Renewed> SimConversations::renew(
    const std::vector<conversations::Lease>& leases) {
  return ask<Renewed>([this, leases]() -> Result<Renewed> {
    auto renewed = tables().renew(leases, now());
    for (const auto& [of, writer] : leases) database_.order().heard(of.session_key, writer);
    for (const auto& writer : renewed.stop) database_.checker().told_to_stop(writer);
    return renewed;
  });
}

Result<void> SimConversations::release(const Owner& owner, const Writer& writer) {
  return ask<void>([this, owner, writer]() -> Result<void> {
    tables().release(owner, writer);
    database_.order().released(owner.session_key, writer);
    return {};
  });
}

Result<void> SimConversations::leave(const Owner& owner, const Writer& writer) {
  return ask<void>([this, owner, writer]() -> Result<void> {
    tables().leave(owner, writer, now());
    database_.order().heard(owner.session_key, writer);
    return {};
  });
}

Result<void> SimConversations::append(const std::string& conversation, const Writer& writer,
                                      const conversations::StoredMessage& message,
                                      const conversations::CallNotes& notes) {
  return ask<void>([this, conversation, writer, message, notes]() -> Result<void> {
    auto added = tables().append(conversation, writer, message, notes, now());
    if (!added) return added;
    database_.checker().added(conversation, writer, message, process_->name());
    const auto& session = tables().session_of(conversation);
    message.ends_turn ? database_.order().released(session, writer)
                      : database_.order().heard(session, writer);
    return added;
  });
}

Result<std::vector<conversations::StoredMessage>> SimConversations::last_before(
    const std::string& conversation, std::uint64_t before, std::size_t bytes) {
  using Answer = std::vector<conversations::StoredMessage>;
  return ask<Answer>([this, conversation, before, bytes]() -> Result<Answer> {
    return tables().last_before(conversation, before, bytes);
  });
}

Result<conversations::CallNews> SimConversations::news(const std::string& conversation,
                                                       const std::string& after) {
  using Answer = conversations::CallNews;
  return ask<Answer>([this, conversation, after]() -> Result<Answer> {
    return tables().news(conversation, after, now());
  });
}

Result<conversations::Reading> SimConversations::read(const std::string& conversation,
                                                      std::uint64_t before, std::size_t bytes) {
  using Answer = conversations::Reading;
  return ask<Answer>([this, conversation, before, bytes]() -> Result<Answer> {
    return Answer{tables().last_before(conversation, before, bytes),
                  tables().news(conversation, "", now())};
  });
}

Result<bool> SimConversations::count_auto_turn(const std::string& conversation) {
  return ask<bool>(
      [this, conversation]() -> Result<bool> { return tables().count_auto_turn(conversation); });
}

Result<std::vector<conversations::Wakeable>> SimConversations::wakeable(
    double settled_s, const std::vector<std::string>& besides) {
  using Answer = std::vector<conversations::Wakeable>;
  return ask<Answer>([this, settled_s, besides]() -> Result<Answer> {
    if (!database_.is_elected(process_)) return Answer();
    return tables().wakeable(settled_s, besides, now());
  });
}

Result<void> SimConversations::stop_waking(const std::string& conversation) {
  return ask<void>([this, conversation]() -> Result<void> {
    tables().stop_waking(conversation);
    return {};
  });
}

}  // namespace toolway::simulation::turns

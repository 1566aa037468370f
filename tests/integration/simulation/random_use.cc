#include "tests/integration/simulation/random_use.h"

#include <algorithm>
#include <set>

namespace toolway::simulation::turns {
namespace {

using conversations::CallNotes;
using conversations::StoredMessage;
using std::chrono::seconds;

constexpr int kSessions = 2;
constexpr std::uint64_t kTurns = 24;  // more than kMaxWaitingTurns
constexpr std::uint64_t kCalls = 30;

/// Of the test that runs.
int differences() {
  return testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count();
}

}  // namespace

void RandomUse::use(std::uint64_t seed, int steps) {
  random_ = Random(seed);
  begin(kSessions);
  const int before = differences();
  for (int i = 0; i < steps && differences() == before; ++i) step();
  if (differences() == before) return;
  std::string all;
  for (const auto& one : done_) all += one + "\n";
  ADD_FAILURE() << "seed " << seed << ", after\n" << all;
}

void RandomUse::step() {
  struct Choice {
    unsigned weight;
    void (RandomUse::*does)();
  };
  static constexpr std::array<Choice, 11> kChoices{{{16, &RandomUse::take_one},
                                                    {14, &RandomUse::arrive_some},
                                                    {4, &RandomUse::ask_about_some},
                                                    {4, &RandomUse::start_one},
                                                    {6, &RandomUse::renew_some},
                                                    {9, &RandomUse::give_back},
                                                    {26, &RandomUse::add_message},
                                                    {3, &RandomUse::read},
                                                    {6, &RandomUse::tell_news},
                                                    {7, &RandomUse::look_for_wakeable},
                                                    {5, &RandomUse::end_call}}};
  // Places are kept for 120 s.
  if (random_.per_mille(50))
    return pass(seconds(random_.per_mille(500) ? 1 + random_.below(15) : 90 + random_.below(60)));
  auto left = random_.below(100);
  for (const auto& one : kChoices) {
    if (left < one.weight) return (this->*one.does)();
    left -= one.weight;
  }
}

void RandomUse::take_one() {
  const auto owner = this->owner();
  auto who = writer(owner);
  // The next attempt, or who waits longest.
  if (random_.per_mille(200)) ++who.attempt;
  if (random_.per_mille(500)) {
    const auto& waiters = tables_->waiters();
    const auto first = std::ranges::min_element(waiters, {}, [&](const auto& entry) {
      return std::pair(entry.first.first != owner.session_key, entry.second.place);
    });
    if (first != waiters.end()) who = {first->first.second, 1};
  }
  take(owner, who);
}

void RandomUse::arrive_some() {
  std::vector<conversations::Arrival> arrivals;
  const auto count = random_.per_mille(100) ? 20 : 1 + random_.below(4);
  const auto owner = this->owner();
  for (std::uint64_t i = 0; i < count; ++i)
    arrivals.push_back(arrival(random_.per_mille(800) ? owner : this->owner()));
  arrive(arrivals);
}

void RandomUse::ask_about_some() {
  if (random_.per_mille(400)) return ask_to_stop(owner());
  std::vector<conversations::Arrival> turns;
  for (auto left = random_.below(4); left > 0; --left) turns.push_back(arrival(owner()));
  are_known(turns);
}

void RandomUse::start_one() {
  const auto owner = this->owner();
  start_new(owner, writer(owner), random_.per_mille(500) ? "" : R"({"wakes":true})");
}

void RandomUse::renew_some() {
  std::vector<conversations::Lease> leases;
  for (auto left = 1 + random_.below(3); left > 0; --left) {
    const auto owner = this->owner();
    conversations::Lease lease{owner, writer(owner)};
    const auto same = [&](const auto& one) { return one.writer == lease.writer; };
    if (std::ranges::none_of(leases, same)) leases.push_back(std::move(lease));
  }
  renew(leases);
}

void RandomUse::give_back() {
  const auto owner = this->owner();
  const auto who = writer(owner);
  random_.per_mille(500) ? release(owner, who) : leave(owner, who);
}

void RandomUse::add_message() {
  const One* const one = conversation();
  if (one == nullptr) return;
  const auto number = one->head + 1 + (random_.per_mille(100) ? random_.below(3) : 0);
  StoredMessage message{.number = random_.per_mille(50) ? one->head : number, .turn = {}};
  if (message.number == 0) message.number = 1;
  message.role = random_.per_mille(500) ? "user" : "assistant";
  message.body = fmt::format(R"({{"text":"{}"}})", std::string(random_.below(200), 'x'));
  message.kept =
      random_.per_mille(500) ? conversations::Kept::kAtOnce : conversations::Kept::kWithNext;
  message.ends_turn = random_.per_mille(150);
  const auto who =
      one->lease && random_.per_mille(900) ? *one->lease : writer({"default", one->session});
  append(one->id, who, message, notes(*one));
}

CallNotes RandomUse::notes(const One& of) {
  CallNotes notes{.detached = {}, .told = {}};
  const Owner owner{"default", of.session};
  if (random_.per_mille(300)) notes.detached.push_back(some_call(owner));
  // No message tells of one call how far it is, and how it has ended.
  std::set<std::string> said;
  for (const auto& [call, what] : tables_->calls_of(of.id)) {
    if (random_.per_mille(60) && said.insert(call).second) notes.told.push_back(call);
    if (random_.per_mille(100) && said.insert(call).second)
      notes.progress.push_back({call, fmt::format("event {}", random_.below(10))});
  }
  for (const auto& call : {some_call(owner), notes.detached.empty() ? "" : notes.detached.front()})
    if (!call.empty() && random_.per_mille(50) && said.insert(call).second)
      notes.told.push_back(call);
  if (random_.per_mille(150) && !recorded_.all.empty())
    notes.heard = std::to_string(1 + random_.below(recorded_.all.size()));
  if (random_.per_mille(250))
    notes.begun = {.wakes = random_.per_mille(800),
                   .on_behalf = fmt::format("user {}", random_.below(3)),
                   .options = random_.per_mille(500) ? "" : "{}"};
  return notes;
}

void RandomUse::read() {
  const One* const one = conversation();
  if (one != nullptr) last_before(one->id, random_.below(one->head + 2), random_.below(1000));
}

void RandomUse::tell_news() {
  const One* const one = conversation();
  if (one != nullptr)
    news(one->id, random_.per_mille(500) ? 0 : random_.below(recorded_.all.size() + 1));
}

void RandomUse::look_for_wakeable() {
  const One* const one = conversation();
  if (one != nullptr && random_.per_mille(400)) {
    for (auto left = 1 + random_.below(3); left > 0; --left) count_auto_turn(one->id);
    return;
  }
  if (one != nullptr && random_.per_mille(50)) return stop_waking(one->id);
  std::vector<std::string> besides;
  if (one != nullptr && random_.per_mille(200)) besides.push_back(one->id);
  wakeable(seconds(random_.per_mille(700) ? 3 : 60), besides);
}

void RandomUse::end_call() {
  const auto owner = this->owner();
  const bool is_turn = random_.per_mille(400);
  auto call = is_turn ? some_turn() : some_call(owner);
  const One* const one = current(owner);
  const auto noted =
      one == nullptr ? decltype(tables_->calls_of("")){} : tables_->calls_of(one->id);
  if (!is_turn && !noted.empty() && random_.per_mille(700))
    call =
        std::next(noted.begin(), static_cast<std::ptrdiff_t>(random_.below(noted.size())))->first;
  const auto has_it = [&](const auto& one) { return one.ended.call == call; };
  const auto found = std::ranges::find_if(recorded_.all, has_it);
  const bool of_turn = is_turn || random_.per_mille(600);
  if (found == recorded_.all.end())
    complete(owner, call, of_turn, random_.per_mille(700));
  else if (!found->ended.known)
    record(static_cast<std::size_t>(found - recorded_.all.begin()), of_turn);
}

conversations::Owner RandomUse::owner() { return owners_[random_.below(owners_.size())]; }

std::string RandomUse::some_turn() { return turn(static_cast<int>(1 + random_.below(kTurns))); }

std::string RandomUse::some_call(const Owner& owner) {
  const auto session =
      std::ranges::find(owners_, owner.session_key, &Owner::session_key) - owners_.begin();
  return turn(static_cast<int>(1000 * (session + 1)) + static_cast<int>(random_.below(kCalls)));
}

conversations::Writer RandomUse::writer(const Owner& owner) {
  const One* const one = current(owner);
  if (one != nullptr && one->lease && random_.per_mille(700)) return *one->lease;
  if (one != nullptr && one->lease && random_.per_mille(300))
    return {one->lease->turn, 1 + static_cast<unsigned>(random_.below(3))};
  return {some_turn(), 1 + static_cast<unsigned>(random_.per_mille(300))};
}

const RandomUse::One* RandomUse::conversation() {
  const auto& all = tables_->all();
  if (all.empty()) return nullptr;
  return random_.per_mille(800) ? current(owner()) : &all[random_.below(all.size())];
}

const RandomUse::One* RandomUse::current(const Owner& owner) const {
  const One* found = nullptr;
  for (const auto& one : tables_->all())
    if (one.session == owner.session_key) found = &one;
  return found;
}

conversations::Arrival RandomUse::arrival(const Owner& owner) {
  const auto number = 1 + random_.below(kTurns);
  // Of each attempt there may be a message of its own, which is a later one.
  const auto later = random_.per_mille(200) ? random_.below(200) : 0;
  return {
      .owner = owner, .turn = turn(static_cast<int>(number)), .place = 500 - 10 * number + later};
}

}  // namespace toolway::simulation::turns

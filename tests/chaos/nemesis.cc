#include "tests/chaos/nemesis.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <iterator>
#include <numeric>
#include <thread>

namespace toolway::chaos {
namespace {

using std::chrono::milliseconds;

milliseconds in_ms(double seconds) { return milliseconds(static_cast<long>(seconds * 1000)); }

/// What breaking a link takes at most, in microseconds.
constexpr std::int64_t kInflicting = 20'000;
constexpr std::int64_t kUsualSize = 1LL << 30;

}  // namespace

std::uint64_t Deeds::kills() const {
  std::uint64_t sum = 0;
  for (const auto& [name, count] : counts)
    if (name.starts_with("kill ")) sum += count;
  return sum;
}

std::uint64_t Deeds::freezes() const {
  std::uint64_t sum = 0;
  for (const auto& [name, count] : counts)
    if (name.starts_with("pause ") || name.starts_with("freeze ")) sum += count;
  return sum;
}

Nemesis::Nemesis(const Options& options, Fleet& fleet, BusFaults& bus, History& history)
    : options_(options),
      fleet_(fleet),
      bus_(bus),
      history_(history),
      random_(options.seed),
      faults_(all_faults()),
      next_(std::chrono::steady_clock::now() + std::chrono::seconds(2)) {
  if (options.converses()) std::ranges::move(chat_faults(), std::back_inserter(faults_));
  std::erase_if(faults_, [&](const Fault& fault) { return !options.with_fault(fault.name); });
}

std::vector<Nemesis::Fault> Nemesis::all_faults() {
  return {{"kill worker", 24, [this] { return kill_process("worker"); }},
          {"kill gateway", 16, [this] { return kill_process("gateway"); }},
          {"kill collector", 14, [this] { return kill_process("collector"); }},
          {"restart worker", 4, [this] { return terminate_process("worker"); }},
          {"restart gateway", 4, [this] { return terminate_process("gateway"); }},
          {"restart collector", 4, [this] { return terminate_process("collector"); }},
          {"rolling restart", 1, [this] { return roll(); }},
          {"pause worker", 5, [this] { return pause_process("worker"); }},
          {"pause gateway", 3, [this] { return pause_process("gateway"); }},
          {"pause collector", 3, [this] { return pause_process("collector"); }},
          {"kill nats", 4, [this] { return kill_nats(); }},
          {"kill postgres", 4, [this] { return kill_postgres(SIGQUIT); }},
          {"restart postgres", 1, [this] { return kill_postgres(SIGINT); }},
          {"reset", 6, [this] { return break_link("reset"); }},
          {"stall", 5, [this] { return break_link("stall"); }},
          {"cut", 4, [this] { return break_link("cut"); }},
          {"stale acks", 4, [this] { return stale_acks(); }},
          {"shrink stream", 2, [this] { return shrink_stream(); }},
          {"delete durable", 2, [this] { return delete_durable(); }},
          {"skew", 8, [this] { return skew(); }},
          {"freeze nats", 3, [this] { return freeze_nats(); }},
          {"freeze postgres", 4, [this] { return freeze_postgres(); }},
          {"fill disk", 2, [this] { return fill_disk(); }}};
}

std::vector<Nemesis::Fault> Nemesis::chat_faults() {
  return {{"kill chat", 16, [this] { return kill_process("chat"); }},
          {"restart chat", 4, [this] { return terminate_process("chat"); }},
          {"pause chat", 4, [this] { return pause_process("chat"); }}};
}

void Nemesis::did(const std::string& what, const std::string& whom) {
  ++deeds_.counts[what];
  history_.note("fault", what + (whom.empty() ? "" : " " + whom));
}

void Nemesis::later(double after, std::function<Result<void>()> mend) {
  undo_.push_back({std::chrono::steady_clock::now() + in_ms(after), std::move(mend)});
}

void Nemesis::act(Time now) {
  for (std::size_t i = 0; i < undo_.size();) {
    if (undo_[i].at > now) {
      ++i;
      continue;
    }
    // What could not be mended now (a server is away) is tried again.
    if (auto mended = undo_[i].mend(); !mended)
      undo_[i++].at = now + milliseconds(500);
    else
      undo_.erase(undo_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (!rolling_.empty()) {
    // The next one when all are up again.
    const auto& members = fleet_.members();
    if (std::all_of(members.begin(), members.end(),
                    [](const Member& member) { return member.up() && member.process->ready(); })) {
      for (auto& member : fleet_.members())
        if (member.name() == rolling_.back()) fleet_.terminate(member);
      rolling_.pop_back();
    }
  }
  if (now < next_ || faults_.empty()) return;
  next_ = now + in_ms(random_.until_next(options_.fault_every));
  const auto total =
      std::accumulate(faults_.begin(), faults_.end(), 0U,
                      [](unsigned sum, const Fault& fault) { return sum + fault.weight; });
  auto dice = random_.between(1, total);
  for (auto& fault : faults_) {
    if (dice > fault.weight) {
      dice -= fault.weight;
      continue;
    }
    fault.inflict();
    return;
  }
}

Result<void> Nemesis::end() {
  rolling_.clear();
  // What is mended first (a server is thawed) answers a while later, and what is mended over it
  // waits for that.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (;;) {
    Result<void> result;
    std::vector<Undo> left;
    for (auto& undo : undo_) {
      auto mended = undo.mend();
      if (mended) continue;
      result = std::move(mended);
      left.push_back(std::move(undo));
    }
    undo_ = std::move(left);
    if (undo_.empty() || std::chrono::steady_clock::now() >= deadline) return result;
    std::this_thread::sleep_for(milliseconds(100));
  }
}

Member* Nemesis::somebody(const char* role) {
  std::vector<Member*> there;
  for (auto& member : fleet_.members())
    if ((*role == '\0' || member.role() == role) && member.up()) there.push_back(&member);
  return there.empty() ? nullptr : random_.pick(there);
}

bool Nemesis::kill_process(const char* role) {
  auto* member = somebody(role);
  if (member == nullptr) return false;
  if (member->is_chat()) deeds_.chat_kills_us.push_back(now_us());
  if (member->role() == "worker") deeds_.worker_kills_us.push_back(now_us());
  fleet_.kill(*member, in_ms(seconds_between(50, 3000)));
  did(std::string("kill ") + role, member->name());
  return true;
}

bool Nemesis::terminate_process(const char* role) {
  auto* member = somebody(role);
  if (member == nullptr) return false;
  fleet_.terminate(*member);
  did(std::string("restart ") + role, member->name());
  return true;
}

bool Nemesis::pause_process(const char* role) {
  auto* member = somebody(role);
  if (member == nullptr) return false;
  // Many outlast the ack_wait of a call, and some every patience: a process that wakes up then has
  // been replaced.
  const double duration =
      random_.chance(0.3) ? seconds_between(31000, 40000) : seconds_between(200, 12000);
  fleet_.pause(*member, in_ms(duration));
  did(std::string("pause ") + role, fmt::format("{} for {:.1f} s", member->name(), duration));
  return true;
}

bool Nemesis::roll() {
  if (!rolling_.empty()) return false;
  for (const auto& member : fleet_.members()) rolling_.push_back(member.name());
  did("rolling restart", "");
  return true;
}

bool Nemesis::kill_nats() {
  // Of a cluster one node at a time, and not before the last one has had time to catch up.
  if (fleet_.harmed().nats || std::chrono::steady_clock::now() < nats_whole_at_) return false;
  for (unsigned node = 0; node < fleet_.nats_nodes(); ++node)
    if (!fleet_.nats(node).alive()) return false;
  const auto node = static_cast<unsigned>(random_.between(0, fleet_.nats_nodes() - 1));
  auto& server = fleet_.nats(node);
  fleet_.harmed().nats = true;
  fleet_.outages().open({}, now_us());
  server.stop(SIGKILL);
  did("kill nats", fmt::format("node {}", node));
  later(seconds_between(0, 4000), [this, &server]() -> Result<void> {
    if (!server.alive())
      if (auto up = server.restart(); !up) return up;
    fleet_.harmed().nats = false;
    fleet_.outages().close({}, now_us());
    fleet_.forgive_nats();
    if (fleet_.nats_nodes() > 1)
      nats_whole_at_ = std::chrono::steady_clock::now() + std::chrono::seconds(8);
    return {};
  });
  return true;
}

bool Nemesis::kill_postgres(int signal) {
  auto& server = fleet_.postgres();
  if (fleet_.harmed().postgres || !server.alive()) return false;
  fleet_.harmed().postgres = true;
  server.stop(signal);
  did(signal == SIGQUIT ? "kill postgres" : "restart postgres", "");
  later(seconds_between(0, 8000), [this, &server]() -> Result<void> {
    if (!server.alive())
      if (auto up = server.restart(); !up) return up;
    fleet_.harmed().postgres = false;
    return {};
  });
  return true;
}

bool Nemesis::break_link(const char* how) {
  auto* member = somebody("");
  if (member == nullptr) return false;
  const bool gateway = member->is_chat() && random_.chance(0.4);
  const bool nats = !gateway && (member->role() == "worker" || random_.chance(0.6));
  const double duration =
      random_.chance(0.2) ? seconds_between(20000, 35000) : seconds_between(100, 6000);
  const std::string kind = how;
  const auto harm = [&](Proxy& link) {
    if (kind == "reset")
      link.reset();
    else if (kind == "stall")
      link.stall(in_ms(duration));
    else
      link.cut(in_ms(duration));
  };
  if (gateway)
    harm(*member->gateway);
  else if (!nats)
    harm(*member->postgres);
  else
    for (auto& link : member->nats) harm(*link);
  if (nats && member->is_gateway()) {
    const auto from = now_us();
    const auto lasts = kind == "reset" ? 0 : static_cast<std::int64_t>(duration * 1e6);
    fleet_.outages().add(member->process->url(), {from - kInflicting, from + lasts});
  }
  did(how, fmt::format("{} to {}{}", member->name(),
                       gateway ? "its gateway" : (nats ? "nats" : "postgres"),
                       kind == "reset" ? "" : fmt::format(" for {:.1f} s", duration)));
  return true;
}

bool Nemesis::stale_acks() {
  const auto said = bus_.repeat_settlements(random_, random_.between(10, 200));
  if (said == 0) return false;
  did("stale acks", fmt::format("{}", said));
  return true;
}

bool Nemesis::shrink_stream() {
  if (shrunk_) return false;
  const std::string stream = random_.chance(0.5) ? "CALLS" : "EVENTS";
  // Only what is recorded may go at once: all collectors are there and have had their time. Then
  // they are stopped, and the guard must refuse calls before the stream is full.
  for (const auto& member : fleet_.members())
    if (member.role() == "collector" && (!member.up() || !member.process->ready())) return false;
  if (fleet_.harmed().nats || fleet_.harmed().postgres || !fleet_.postgres().alive() ||
      bus_.unrecorded(stream).value_or(1000) > 100)
    return false;
  // Removing the excess takes the server long: without an answer it may still be done, and is
  // undone below.
  (void)bus_.resize(stream, 4 << 20);
  shrunk_ = true;
  const double duration = seconds_between(5000, 20000);
  for (auto& member : fleet_.members())
    if (member.role() == "collector") fleet_.pause(member, in_ms(duration));
  did("shrink stream", fmt::format("{} for {:.1f} s, collectors paused", stream, duration));
  later(duration, [this, stream]() -> Result<void> {
    if (auto resized = bus_.resize(stream, kUsualSize); !resized) return resized;
    shrunk_ = false;
    return {};
  });
  return true;
}

bool Nemesis::delete_durable() {
  if (durable_gone_ || fleet_.harmed().nats) return false;
  const auto name = bus_.delete_durable(random_);
  if (name.empty()) return false;
  durable_gone_ = true;
  did("delete durable", name);
  later(seconds_between(500, 6000), [this]() -> Result<void> {
    if (fleet_.harmed().nats || fleet_.harmed().postgres || !fleet_.postgres().alive() ||
        !fleet_.nats(0).alive())
      return fail(ErrorCode::kBusUnavailable, "a server is away");
    auto migrated = fleet_.migrate();
    if (migrated) durable_gone_ = false;
    return migrated;
  });
  return true;
}

}  // namespace toolway::chaos

#include "tests/simulation/schedule.h"

#include <memory>
#include <set>

#include "base/reserved_names.h"
#include "bus/subject_filter.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "tests/simulation/checker.h"
#include "tests/simulation/clients.h"
#include "tests/simulation/collector_life.h"
#include "tests/simulation/reaper_life.h"
#include "tests/simulation/sim_tools.h"
#include "tests/simulation/turns/chat_life.h"
#include "tests/simulation/turns/talk.h"

namespace toolway::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

/// How soon a call ends that nothing hinders any more: an ack_wait or two, the longest delays of
/// retries, the limits of stubborn tools.
constexpr Micros kEndsWithin = minutes(8);
/// Then the collectors take what was not acknowledged.
constexpr Micros kRecordedWithin = minutes(3);

bus::Layout layout_of(const Plan& plan) {
  bus::Layout layout{.pools = {{"native", 1}}};
  if (plan.most_turns > 0) layout.pools.push_back({std::string(kChatPool), 1});
  return layout;
}

std::string reader_of(std::uint64_t session) {
  return proto::session_events_filter(*SessionKey::parse(session_key(session)));
}

/// A place where a process lives, dies and lives again.
struct Node {
  enum class Kind { kWorker, kGateway, kCollector, kReaper, kChat };
  Kind kind;
  std::string name;
  std::unique_ptr<NodeClock> clock;
  unsigned lives = 0;
  Life* life = nullptr;  ///< null while it is down
};

class Schedule {
 public:
  Schedule(const Plan& plan, Trace trace)
      : plan_(plan),
        world_(plan.seed, trace),
        weather_(world_, plan.faults),
        server_(world_, layout_of(plan), plan.broken),
        network_(world_),
        checker_(world_),
        clients_(world_, weather_, checker_, tables_, [this] { return find_gateway(); }),
        talk_({world_, weather_, server_, network_}, checker_, tables_, plan.broken,
              [this] { return find_gateway(); }) {
    server_.stored = [this](const std::string& stream, const bus::StoredMessage& message) {
      checker_.stored(stream, message);
      hash_ = hash_ * 31 + std::hash<std::string>()(message.payload);
      if (stream == proto::kEventsStream) {
        network_.republish("live" + message.subject.substr(5), message.payload, message.sequence,
                           weather_);
      }
    };
    on_tool_answered([this](const std::string& call, const std::string& key,
                            const std::string& answer) { checker_.told(call, key, answer); });
    on_tool_began([this](const std::string& call, unsigned attempt, const std::string& process) {
      checker_.tool_began(call, attempt, process);
    });
  }

  ScheduleResult run() {
    for (std::uint64_t i = 0; i < kSessions; ++i) readers_.push_back({.session = reader_of(i)});
    add(Node::Kind::kWorker, 1 + world_.random().below(3));
    add(Node::Kind::kGateway, 1);
    add(Node::Kind::kCollector, 1 + world_.random().below(2));
    add(Node::Kind::kReaper, 1);
    if (plan_.most_turns > 0) add(Node::Kind::kChat, 1 + world_.random().below(3));
    // A long one outlives what the streams hold: a busy fleet's windows are short.
    const bool long_one = world_.random().per_mille(300);
    const Micros bad_until =
        seconds(long_one ? 150 + world_.random().below(300) : 20 + world_.random().below(100));
    longest_ = seconds(long_one ? 200 : 45);
    const auto calls = 1 + world_.random().below(plan_.most_calls);
    for (std::uint64_t i = 0; i < calls; ++i) {
      const Micros latest = long_one ? bad_until / 3 : bad_until;
      world_.after(world_.random().between(Micros(0), latest),
                   [this, i, bad_until] { clients_.ask(i, bad_until); });
    }
    if (plan_.most_turns > 0) talk_.begin(plan_.most_turns, bad_until);
    disturb();
    if (long_one) roll();
    while (world_.step(bad_until)) {
    }
    world_.note("all is well from now on");
    clear_up();
    const Micros end_by = bad_until + kEndsWithin;
    // A call may be stored just after all others have ended.
    do {
      while (!checker_.all_completed() && world_.step(end_by)) {
      }
      const Micros recorded_by = world_.now() + kRecordedWithin;
      while (world_.step(recorded_by)) {
      }
    } while (!checker_.all_completed() && world_.now() < end_by);
    check_end();
    ScheduleResult result{world_.violations(), world_.trace(), world_.steps(), calls,
                          talk_.messages(),    hash_};
    for (auto& node : nodes_) down(node);
    return result;
  }

 private:
  void add(Node::Kind kind, std::uint64_t count) {
    constexpr std::array<std::string_view, 5> kNames{"worker", "gateway", "collector", "reaper",
                                                     "chat"};
    for (std::uint64_t i = 0; i < count; ++i) {
      const Micros drawn = random_skew();
      const Micros skew = weather_.may(Fault::kSkewedClock) ? drawn : Micros(0);
      nodes_.push_back(
          {kind, fmt::format("{}{}", kNames[static_cast<std::size_t>(kind)], i),
           std::make_unique<NodeClock>(world_, skew, minutes(1 + world_.random().below(1000)))});
    }
    for (auto& node : nodes_) {
      if (node.kind == kind) up(node);
    }
  }

  Micros random_skew() { return world_.random().between(seconds(-3), seconds(3)); }

  void up(Node& node) {
    if (node.life != nullptr) return;
    const Surroundings around{world_, weather_, server_, network_};
    const std::string name = fmt::format("{}-{}", node.name, ++node.lives);
    world_.note("{} starts", name);
    switch (node.kind) {
      case Node::Kind::kWorker: {
        const auto known = plan_.broken == Broken::kRerun      ? KnownAs::kIdempotent
                           : plan_.broken == Broken::kApproval ? KnownAs::kFree
                                                               : KnownAs::kWhatTheyAre;
        lives_.push_back(
            std::make_unique<WorkerLife>(around, name, *node.clock, sim_registry(known)));
        break;
      }
      case Node::Kind::kGateway: {
        const auto holds = plan_.broken == Broken::kApproval ? Holds::kForgets : Holds::kAsItMust;
        auto gateway = std::make_unique<GatewayLife>(around, name, *node.clock, checker_, holds);
        for (auto& reader : readers_) gateway->follow(tables_, reader);
        lives_.push_back(std::move(gateway));
        break;
      }
      case Node::Kind::kCollector:
        lives_.push_back(std::make_unique<CollectorLife>(around, name, *node.clock, tables_));
        break;
      case Node::Kind::kChat:
        lives_.push_back(
            std::make_unique<turns::ChatLife>(around, name, *node.clock, talk_.surroundings()));
        break;
      case Node::Kind::kReaper:
        lives_.push_back(std::make_unique<ReaperLife>(around, name, *node.clock, tables_));
        break;
    }
    node.life = lives_.back().get();
  }

  void down(Node& node) {
    if (node.life == nullptr) return;
    world_.note("{} dies", node.life->process().name());
    node.life->die();
    node.life = nullptr;
  }

  Node& any_node() { return nodes_[world_.random().below(nodes_.size())]; }

  /// One thing goes wrong, and after a while the next.
  void disturb() {
    world_.after(world_.random().between(milliseconds(10), seconds(12)), [this] {
      if (weather_.cleared()) return;
      const auto fault = static_cast<Fault>(world_.random().below(kFaults));
      if (weather_.may(fault)) strike(fault);
      disturb();
    });
  }

  void strike(Fault fault) {
    Node& node = any_node();
    const bool very_long = world_.random().per_mille(150);
    const Micros lasts =
        world_.random().between(milliseconds(1), very_long ? longest_ : Micros(seconds(45)));
    switch (fault) {
      case Fault::kCrash:
        down(node);
        world_.after(lasts, [this, &node] { up(node); });
        return;
      case Fault::kPause:
        if (node.life == nullptr) return;
        world_.note("{} pauses for {} ms", node.life->process().name(), lasts.count() / 1000);
        node.life->process().pause();
        world_.after(lasts, [life = node.life] { life->process().wake(); });
        return;
      case Fault::kDisconnect:
        if (node.life == nullptr) return;
        world_.note("{} is disconnected for {} ms", node.life->process().name(),
                    lasts.count() / 1000);
        node.life->process().set_connected(false);
        world_.after(lasts, [this, life = node.life] { reconnect(*life); });
        return;
      case Fault::kServerRestart: return restart_server();
      case Fault::kRemadeDurable: {
        const bool of_turns = plan_.most_turns > 0 && world_.random().per_mille(500);
        const auto name =
            proto::call_durable(of_turns ? kChatPool : "native", proto::Lane::kNormal, 0);
        world_.note("durable {} is made again", name);
        return server_.remake_durable(std::string(proto::kCallsStream), name);
      }
      case Fault::kWindow: return move_windows();
      case Fault::kClockJump: return node.clock->set_skew(random_skew());
      default: return;
    }
  }

  /// Either window, or both: limits leave a minute, and more or less of what came before.
  void move_windows() {
    const auto which = world_.random().below(3);
    const Micros age = seconds(60) + world_.random().between(Micros(0), seconds(60));
    if (which != 0) server_.drop_recorded(std::string(proto::kEventsStream), age);
    if (which != 1) server_.drop_recorded(std::string(proto::kCallsStream), age);
    world_.note("CALLS begins at {}, EVENTS at {}", server_.stream(proto::kCallsStream)->first,
                server_.stream(proto::kEventsStream)->first);
  }

  /// So much arrives that the windows move all the time.
  void roll() {
    world_.after(world_.random().between(seconds(5), seconds(40)), [this] {
      if (weather_.cleared()) return;
      if (weather_.may(Fault::kWindow)) move_windows();
      roll();
    });
  }

  void reconnect(Life& life) {
    life.process().set_connected(true);
    ask_anew();
  }

  /// What was asked for is asked for again: pullers do so after each reconnect.
  void ask_anew() {
    for (const auto& stream : {proto::kCallsStream, proto::kEventsStream}) {
      for (const auto& [name, durable] : server_.stream(stream)->durables) {
        server_.dispatch(std::string(stream), name);
      }
    }
  }

  void restart_server() {
    world_.note("the server restarts");
    server_.restart();
    const Micros lasts = world_.random().between(milliseconds(100), seconds(5));
    for (auto& node : nodes_) {
      if (node.life == nullptr) continue;
      node.life->process().set_connected(false);
      world_.after(lasts, [this, life = node.life] { reconnect(*life); });
    }
  }

  GatewayLife* find_gateway() {
    for (auto& node : nodes_) {
      if (node.kind == Node::Kind::kGateway && node.life != nullptr)
        return static_cast<GatewayLife*>(node.life);
    }
    return nullptr;
  }

  void clear_up() {
    weather_.clear_up();
    for (auto& node : nodes_) {
      up(node);
      node.life->process().wake();
      node.life->process().set_connected(true);
    }
    ask_anew();
  }

  void check_end() {
    checker_.check_end();
    talk_.check_end();
    Tables expected;
    for (const auto source :
         {persistence::collector::Source::kCalls, persistence::collector::Source::kEvents}) {
      persistence::collector::Batch batch(messages_of(
          checker_.all(std::string(persistence::collector::stream_of(source))), source));
      expected.apply(batch);
    }
    tables_.compare(expected, world_);
    for (const auto& reader : readers_) check_reader(reader);
  }

  /// What was stored is shown, each event once, in order.
  void check_reader(const Reader& reader) {
    std::vector<std::uint64_t> stored;
    std::set<std::uint64_t> heartbeats;
    for (const auto& message : checker_.all(std::string(proto::kEventsStream))) {
      if (!bus::subject_matches(reader.session, message.subject)) continue;
      if (proto::decode_event(message.payload)->has_alive()) {
        heartbeats.insert(message.sequence);  // shown to no reader
      } else {
        stored.push_back(message.sequence);
      }
    }
    std::vector<std::uint64_t> shown = reader.shown;
    std::erase_if(shown, [&](std::uint64_t sequence) { return heartbeats.contains(sequence); });
    if (shown == stored) return;
    world_.violation("the follower of {} was shown {}, but stored was {}", reader.session,
                     fmt::join(shown, " "), fmt::join(stored, " "));
  }

  const Plan plan_;
  World world_;
  Weather weather_;
  Server server_;
  Network network_;
  Checker checker_;
  Tables tables_;
  Clients clients_;
  turns::Talk talk_;
  Micros longest_{};  ///< how long anything is down, paused or cut off
  std::uint64_t hash_ = 0;
  std::vector<Node> nodes_;
  std::vector<std::unique_ptr<Life>> lives_;
  std::vector<Reader> readers_;  ///< one for each session
};

}  // namespace

ScheduleResult run_schedule(const Plan& plan, Trace trace) {
  Schedule schedule(plan, trace);
  return schedule.run();
}

}  // namespace toolway::simulation

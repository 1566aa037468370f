#include "tests/simulation/follower.h"

#include "bus/subject_filter.h"
#include "gateway/gateway.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::simulation {
namespace {

using gateway::live::FeedCursor;
using gateway::live::LiveOrder;
using gateway::live::RecordCursor;

/// A client whose request for events was refused sends it again.
constexpr std::chrono::milliseconds kClientWaits{200};

}  // namespace

Follower::Follower(const Surroundings& around, std::shared_ptr<Process> process, NodeBus& bus,
                   const Clock& clock, const Tables& tables, Reader& reader)
    : around_(around),
      process_(std::move(process)),
      bus_(bus),
      clock_(clock),
      tables_(tables),
      reader_(reader),
      order_([this](std::string_view subject, std::string_view payload, std::uint64_t sequence) {
        live(subject, payload, sequence);
      }),
      cursor_(FeedCursor::Follows::kSession, gateway::wire::id_of(reader.at), false) {}

/// Runs only while this follower exists.
template <typename F>
auto Follower::mine(F what) {
  return [weak = weak_from_this(), what = std::move(what)](auto&&... arguments) {
    if (const auto self = weak.lock()) what(*self, std::forward<decltype(arguments)>(arguments)...);
  };
}

void Follower::again(Micros delay, Next what) {
  process_->after(delay, mine([what](Follower& self) { (self.*what)(); }));
}

void Follower::begin() {
  order_.hold();
  subscribe();
}

void Follower::subscribe() {
  auto live = bus_.follow(std::string(proto::kLiveFilter),
                          mine([](Follower& self, const bus::LiveMessage& message) {
                            self.order_.add(message.subject, message.payload, message.sequence);
                            self.carry();
                          }));
  if (!live) return again(kClientWaits, &Follower::subscribe);
  subscription_ = std::move(*live);
  watch_ = bus_.on_connection(mine([](Follower& self, bus::Connection state) {
    if (state != bus::Connection::kDisconnected) return self.begin_again(state);
    self.cursor_.connection(state);
  }));
  find_beginning(&Follower::begin_cursor);
}

/// Everything stored so far is in the record; everything later comes live.
void Follower::find_beginning(Next then) {
  bus_.stream_state(
      proto::kEventsStream, mine([then](Follower& self, const Result<bus::StreamState>& state) {
        if (!state) {
          return self.process_->after(LiveOrder::kRetryDelay, self.mine([then](Follower& later) {
            later.find_beginning(then);
          }));
        }
        self.order_.begin_after(state->last_sequence);
        (self.*then)();
      }));
}

void Follower::begin_cursor() {
  ask_end(
      [this](const bus::StreamState& stream, std::uint64_t recorded) {
        if (const auto begun = cursor_.begin(stream, recorded); !begun)
          throw std::logic_error(begun.error().message);
        begun_ = true;
        sweep();
        check_gaps();
        carry();
      },
      [this](const Error&) { again(kClientWaits, &Follower::begin_cursor); });
}

void Follower::begin_again(bus::Connection state) {
  order_.hold();
  if (std::exchange(finding_, true)) return;
  told_ = state;
  find_beginning(&Follower::tell);
}

void Follower::tell() {
  finding_ = false;
  cursor_.connection(told_);
  carry();
}

void Follower::live(std::string_view subject, std::string_view payload, std::uint64_t sequence) {
  const std::string stored = "event" + std::string(subject.substr(4));
  if (!bus::subject_matches(reader_.session, stored)) return;
  cursor_.live(std::make_shared<const gateway::live::LiveEvent>(
      gateway::live::LiveEvent{*proto::decode_event(payload), sequence, payload.size()}));
}

void Follower::carry() {
  if (!begun_ || busy_) return;
  for (;;) {
    const MonotonicTime now = clock_.monotonic();
    switch (cursor_.next(now)) {
      case FeedCursor::Step::kRead: busy_ = true; return read_record();
      case FeedCursor::Step::kReadLast: throw std::logic_error("a session has no last event");
      case FeedCursor::Step::kShow: show(); continue;
      case FeedCursor::Step::kWait:
        if (const auto until = cursor_.wait_until()) {
          again(std::chrono::ceil<Micros>(*until - now), &Follower::carry);
        }
        return;
      case FeedCursor::Step::kEnd: throw std::logic_error("a session has no end");
    }
  }
}

void Follower::read_record() {
  RecordCursor& record = cursor_.record();
  switch (record.next()) {
    case RecordCursor::Step::kAskEnd:
      return ask_end(
          [this](const bus::StreamState& stream, std::uint64_t recorded) {
            went_on(cursor_.record().end_is(stream, recorded));
          },
          [this](Error error) { went_on(fail(std::move(error))); });
    case RecordCursor::Step::kReadStore: {
      const bool fails = around_.weather.strikes(Fault::kStoreFailure, 50);
      Result<RecordCursor::Page> page = fail(ErrorCode::kStoreUnavailable, "no answer");
      if (!fails) page = read_store(record);
      return went_on(record.from_store(std::move(page)));
    }
    case RecordCursor::Step::kReadStream:
    case RecordCursor::Step::kReadLeader: {
      const bool leader = record.next() == RecordCursor::Step::kReadLeader;
      return bus_.next_message(
          proto::kEventsStream, reader_.session, record.at().sequence + 1,
          leader ? bus::ReadFrom::kLeader : bus::ReadFrom::kAnyReplica,
          mine([](Follower& self, Result<bus::StoredMessage> message) {
            self.went_on(self.cursor_.record().from_stream(std::move(message)));
          }));
    }
    case RecordCursor::Step::kTake:
      cursor_.page_read();
      busy_ = false;
      return carry();
  }
}

void Follower::went_on(const Result<void>& read) {
  if (read) return read_record();
  cursor_.read_failed(clock_.monotonic());
  busy_ = false;
  carry();
}

/// How far EVENTS goes, and how far it is recorded.
void Follower::ask_end(std::function<void(const bus::StreamState&, std::uint64_t recorded)> then,
                       std::function<void(Error)> failed) {
  auto known = [then = std::move(then), failed](Follower& self,
                                                const Result<bus::StreamState>& stream) {
    if (!stream) return failed(stream.error());
    auto both = [then, failed, stream = *stream](Follower&,
                                                 const Result<bus::ConsumerState>& collectors) {
      collectors ? then(stream, collectors->ack_floor) : failed(collectors.error());
    };
    self.bus_.consumer_state(
        {std::string(proto::kEventsStream), std::string(proto::kCollectorDurable)},
        self.mine(std::move(both)));
  };
  bus_.stream_state(proto::kEventsStream, mine(std::move(known)));
}

RecordCursor::Page Follower::read_store(const RecordCursor& record) const {
  const auto incarnation = around_.server.state(proto::kEventsStream)->incarnation;
  RecordCursor::Page page;
  for (auto it = tables_.events().upper_bound(record.at().sequence); it != tables_.events().end();
       ++it) {
    if (page.size() == record.limit().rows) break;
    if (!bus::subject_matches(reader_.session, it->second.subject)) continue;
    page.push_back({{incarnation, it->first}, *proto::decode_event(it->second.payload)});
  }
  return page;
}

void Follower::show() {
  reader_.at = cursor_.position();
  reader_.shown.push_back(reader_.at.sequence);
  cursor_.shown();
}

void Follower::sweep() {
  again(LiveOrder::kHoleTimeout / 2, &Follower::sweep);
  if (!finding_ && order_.lost(clock_.monotonic())) begin_again(bus::Connection::kGap);
}

void Follower::check_gaps() {
  again(gateway::GatewayOptions().gap_check, &Follower::check_gaps);
  bus_.stream_state(
      proto::kEventsStream, mine([](Follower& self, const Result<bus::StreamState>& state) {
        if (!state || !self.cursor_.behind({state->incarnation, state->last_sequence})) return;
        self.cursor_.check();
        self.carry();
      }));
}

}  // namespace toolway::simulation

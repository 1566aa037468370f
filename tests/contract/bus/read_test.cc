#include <set>

#include "bus/key_value.h"
#include "proto/subjects.h"
#include "tests/contract/bus/bus_fixture.h"

namespace toolway::test {
namespace {

const SessionKey kSession = *SessionKey::parse("a3f00000000000000000000000000001");
const SessionKey kOther = *SessionKey::parse("a3f00000000000000000000000000002");

CallId new_call() { return CallId::make(SystemClock().wall()); }

/// A live message with strings of its own.
struct Seen {
  std::string subject;
  std::string payload;
  std::uint64_t sequence = 0;
};

class ReadContract : public BusContract {
 protected:
  Result<bus::StoredMessage> last(const std::string& subject, bus::ReadFrom from) {
    Awaited<Result<bus::StoredMessage>> message;
    bus().last_message("EVENTS", subject, from, message.callback());
    return message.next().value_or(fail(ErrorCode::kInternal, "never called"));
  }
  Result<bus::StoredMessage> next(const std::string& filter, std::uint64_t sequence,
                                  bus::ReadFrom from = bus::ReadFrom::kAnyReplica) {
    Awaited<Result<bus::StoredMessage>> message;
    bus().next_message("EVENTS", filter, sequence, from, message.callback());
    return message.next().value_or(fail(ErrorCode::kInternal, "never called"));
  }
  std::unique_ptr<bus::Subscription> follow(const std::string& filter, Awaited<Seen>& seen) {
    auto subscription =
        bus().follow(filter, [callback = seen.callback()](const bus::LiveMessage& message) {
          callback({std::string(message.subject), std::string(message.payload), message.sequence});
        });
    EXPECT_TRUE(subscription);
    return std::move(*subscription);
  }
};

TEST_P(ReadContract, FindsTheLastMessageOfASubject) {
  const std::string subject = proto::event_subject(kSession, new_call());
  const std::string bytes("\0\xff two", 6);
  ASSERT_TRUE(publish({.subject = subject, .payload = "one"}));
  const auto second = publish({.subject = subject, .payload = bytes, .expected_last = 1});
  ASSERT_TRUE(second);
  for (const auto from : {bus::ReadFrom::kAnyReplica, bus::ReadFrom::kLeader}) {
    const auto message = last(subject, from);
    ASSERT_TRUE(message) << message.error().message;
    EXPECT_EQ(message->payload, bytes);
    EXPECT_EQ(message->sequence, second->sequence);
    EXPECT_EQ(message->subject, subject);
    EXPECT_GT(message->stored_at, WallTime{});
    const auto none = last(proto::event_subject(kSession, new_call()), from);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
  }
}

TEST_P(ReadContract, WalksASessionInOrder) {
  std::vector<std::uint64_t> expected;
  for (int i = 0; i < 6; ++i) {
    const auto ack =
        publish({.subject = proto::event_subject(i % 2 == 0 ? kSession : kOther, new_call()),
                 .payload = std::to_string(i)});
    ASSERT_TRUE(ack);
    if (i % 2 == 0) expected.push_back(ack->sequence);
  }
  std::vector<std::uint64_t> found;
  std::uint64_t from = 0;
  for (;;) {
    const auto message = next(proto::session_events_filter(kSession), from);
    if (!message) {
      EXPECT_EQ(message.error().code, ErrorCode::kNotFound);
      break;
    }
    found.push_back(message->sequence);
    from = message->sequence + 1;
  }
  EXPECT_EQ(found, expected);
}

TEST_P(ReadContract, FollowsAShardWithSequences) {
  Awaited<Seen> seen;
  const auto subscription = follow(proto::live_filter(kSession.shard()), seen);
  const SessionKey elsewhere = *SessionKey::parse("b0000000000000000000000000000001");
  const CallId call = new_call();
  ASSERT_TRUE(publish({.subject = proto::event_subject(elsewhere, new_call()), .payload = "no"}));
  const auto ack = publish({.subject = proto::event_subject(kSession, call), .payload = "yes"});
  ASSERT_TRUE(ack);
  const auto message = seen.next();
  ASSERT_TRUE(message);
  EXPECT_EQ(message->payload, "yes");
  EXPECT_EQ(message->sequence, ack->sequence);
  const auto parsed = proto::parse_event_subject(message->subject);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->session, kSession);
  EXPECT_EQ(parsed->call, call);
  EXPECT_EQ(seen.waiting(), 0U);
}

TEST_P(ReadContract, RefusedPublicationsAreNotSeenLive) {
  Awaited<Seen> seen;
  const auto subscription = follow(proto::live_filter(kSession.shard()), seen);
  const std::string subject = proto::event_subject(kSession, new_call());
  ASSERT_TRUE(publish({.subject = subject, .payload = "1", .expected_last = 0}));
  ASSERT_FALSE(publish({.subject = subject, .payload = "refused", .expected_last = 0}));
  ASSERT_TRUE(publish({.subject = subject, .payload = "2", .expected_last = 1}));
  EXPECT_EQ(seen.next()->payload, "1");
  EXPECT_EQ(seen.next()->payload, "2");
}

TEST_P(ReadContract, NothingIsHeardAfterASubscriptionEnded) {
  Awaited<Seen> all;
  const auto control = follow("live.>", all);
  for (int i = 0; i < 50; ++i) {
    Awaited<Seen> seen;
    auto subscription = follow(proto::live_filter(kSession.shard()), seen);
    Awaited<Result<bus::PubAck>> acks;
    for (int k = 0; k < 20; ++k) {
      bus().publish({.subject = proto::event_subject(kSession, new_call()), .payload = "x"},
                    acks.callback());
    }
    subscription.reset();  // with traffic on it
    const std::size_t heard = seen.waiting();
    for (int k = 0; k < 20; ++k) ASSERT_TRUE(all.next());
    EXPECT_EQ(seen.waiting(), heard);
  }
}

TEST_P(ReadContract, TellsTheStateOfAStream) {
  ASSERT_TRUE(publish({.subject = proto::event_subject(kSession, new_call()), .payload = "x"}));
  Awaited<Result<bus::StreamState>> state;
  bus().stream_state("EVENTS", state.callback());
  bus().stream_state("NOTHING", state.callback());
  const auto events = state.next();
  ASSERT_TRUE(events && *events);
  EXPECT_EQ((*events)->last_sequence, 1U);
  EXPECT_EQ((*events)->messages, 1U);
  const auto age = to_unix_us(SystemClock().wall()) / 1000 - (*events)->incarnation;
  EXPECT_GE(age, -1000);
  EXPECT_LT(age, 600000);
  const auto nothing = state.next();
  ASSERT_TRUE(nothing);
  ASSERT_FALSE(*nothing);
  EXPECT_EQ(nothing->error().code, ErrorCode::kNotFound);
}

TEST_P(ReadContract, BucketComparesAndSets) {
  bus::KeyValue bucket(bus(), "sessions");
  Awaited<Result<std::uint64_t>> puts;
  Awaited<Result<bus::Entry>> gets;
  bucket.get("k1", gets.callback());
  EXPECT_EQ(gets.next()->error().code, ErrorCode::kNotFound);
  bucket.put("k1", "first", 0, puts.callback());
  const auto first = puts.next();
  ASSERT_TRUE(first && *first) << first->error().message;
  bucket.put("k1", "again", 0, puts.callback());
  EXPECT_EQ(puts.next()->error().code, ErrorCode::kWrongLastSequence);
  bucket.put("k1", "second", **first, puts.callback());
  const auto second = puts.next();
  ASSERT_TRUE(second && *second);
  bucket.get("k1", gets.callback());
  const auto entry = gets.next();
  ASSERT_TRUE(entry && *entry);
  EXPECT_EQ((*entry)->value, "second");
  EXPECT_EQ((*entry)->revision, **second);
}

TEST_P(ReadContract, BucketTellsOfEveryStoredWrite) {
  bus::KeyValue bucket(bus(), "sessions");
  Awaited<bus::Entry> seen;
  const auto watching =
      bucket.watch([callback = seen.callback()](const bus::Entry& entry) { callback(entry); });
  ASSERT_TRUE(watching);
  Awaited<Result<std::uint64_t>> puts;
  bucket.put("k2", "value", 0, puts.callback());
  ASSERT_TRUE(*puts.next());
  bucket.put("k2", "refused", 0, puts.callback());
  ASSERT_FALSE(*puts.next());
  bucket.put("k3", "", 0, puts.callback());
  ASSERT_TRUE(*puts.next());
  const auto first = seen.next();
  const auto second = seen.next();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->key, "k2");
  EXPECT_EQ(first->value, "value");
  EXPECT_EQ(second->key, "k3");
  EXPECT_EQ(second->value, "");
}

TEST_P(ReadContract, BucketListsWhatItHolds) {
  bus::KeyValue bucket(bus(), "switches");
  Awaited<Result<std::vector<bus::Entry>>> lists;
  bucket.list(lists.callback());
  const auto none = lists.next();
  ASSERT_TRUE(none && *none) << (*none).error().message;
  EXPECT_TRUE((*none)->empty());
  Awaited<Result<std::uint64_t>> puts;
  for (const char* key : {"web", "web.search", "time"}) {
    bucket.put(key, key, 0, puts.callback());
    ASSERT_TRUE(*puts.next());
  }
  bucket.get("web", [&, put = puts.callback()](Result<bus::Entry> entry) {
    bucket.put("web", "again", entry ? entry->revision : 0, put);
  });
  ASSERT_TRUE(*puts.next());
  bucket.list(lists.callback());
  const auto all = lists.next();
  ASSERT_TRUE(all && *all) << (*all).error().message;
  std::vector<std::string> found;
  for (const auto& entry : **all) found.push_back(entry.key + "=" + entry.value);
  EXPECT_EQ(found, (std::vector<std::string>{"web.search=web.search", "time=time", "web=again"}));
}

/// Read in parts, several at once.
TEST_P(ReadContract, ALargeBucketIsListedWholeAndInOrder) {
  constexpr int kEntries = 3000;
  bus::KeyValue bucket(bus(), "api_keys");
  Awaited<Result<std::uint64_t>> puts;
  for (int i = 0; i < kEntries; ++i)
    bucket.put("k" + std::to_string(i), std::to_string(i), 0, puts.callback());
  for (int i = 0; i < kEntries; ++i) {
    const auto put = puts.next();
    ASSERT_TRUE(put && *put);
  }
  // Written again: where they were is a gap.
  for (int i = 0; i < kEntries; i += 3) {
    bucket.get("k" + std::to_string(i), [&, i, put = puts.callback()](Result<bus::Entry> entry) {
      bucket.put("k" + std::to_string(i), "again", entry ? entry->revision : 0, put);
    });
    const auto put = puts.next();
    ASSERT_TRUE(put && *put);
  }
  Awaited<Result<std::vector<bus::Entry>>> lists;
  bucket.list(lists.callback());
  const auto all = lists.next();
  ASSERT_TRUE(all && *all) << (*all).error().message;
  ASSERT_EQ((*all)->size(), kEntries);
  std::set<std::string> keys;
  std::uint64_t before = 0;
  for (const auto& entry : **all) {
    keys.insert(entry.key);
    EXPECT_GT(entry.revision, before);
    before = entry.revision;
    const int number = std::stoi(entry.key.substr(1));
    EXPECT_EQ(entry.value, number % 3 == 0 ? "again" : std::to_string(number));
  }
  EXPECT_EQ(keys.size(), kEntries);
}

INSTANTIATE_TEST_SUITE_P(Both, ReadContract,
                         testing::Values(Implementation::kInMemory, Implementation::kJetStream),
                         implementation_name);

}  // namespace
}  // namespace toolway::test

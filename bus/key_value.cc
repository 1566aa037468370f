#include "bus/key_value.h"

#include <fmt/format.h>

#include "base/try.h"
#include "bus/lost_answer.h"
#include "proto/subjects.h"

namespace toolway::bus {

namespace {

/// Reads the entries of a bucket one after the other. Owned by the answer it waits for.
struct Listing : std::enable_shared_from_this<Listing> {
  Listing(Bus& of, std::string stream_name, std::string filter_subject,
          std::function<void(Result<std::vector<Entry>>)> then)
      : bus(of),
        stream(std::move(stream_name)),
        filter(std::move(filter_subject)),
        handler(std::move(then)) {}

  void next(std::uint64_t sequence) {
    bus.next_message(stream, filter, sequence, ReadFrom::kLeader,
                     [self = shared_from_this()](Result<StoredMessage> message) {
                       self->add(std::move(message));
                     });
  }

  void add(Result<StoredMessage> message) {
    if (!message) {
      if (message.error().code != ErrorCode::kNotFound)
        return handler(fail(std::move(message.error())));
      return handler(std::move(entries));
    }
    ask_or_lost(handler, [&] {
      const auto sequence = message->sequence;
      std::string key = message->subject.substr(filter.size() - 1);
      // Written again while the entries are read: its first appearance is old.
      std::erase_if(entries, [&](const Entry& entry) { return entry.key == key; });
      entries.push_back({std::move(key), std::move(message->payload), sequence});
      next(sequence + 1);
    });
  }

  Bus& bus;
  const std::string stream;
  const std::string filter;  // with its ">"
  const std::function<void(Result<std::vector<Entry>>)> handler;
  std::vector<Entry> entries{};
};

}  // namespace

KeyValue::KeyValue(Bus& bus, std::string bucket)
    : bus_(bus), bucket_(std::move(bucket)), stream_("KV_" + bucket_) {}

void KeyValue::get(const std::string& key, std::function<void(Result<Entry>)> handler) {
  const std::string subject = proto::bucket_subject(bucket_, key);
  const auto to_entry = [key](Result<StoredMessage> message) -> Result<Entry> {
    RETURN_IF_ERROR(message);
    return read_or_lost([&]() -> Result<Entry> {
      return Entry{key, std::move(message->payload), message->sequence};
    });
  };
  // A replica that lags may not have it yet: only the leader can say that there is none.
  bus_.last_message(stream_, subject, ReadFrom::kAnyReplica,
                    [&bus = bus_, stream = stream_, subject, to_entry,
                     handler = std::move(handler)](Result<StoredMessage> message) {
                      if (message || message.error().code != ErrorCode::kNotFound) {
                        handler(to_entry(std::move(message)));
                        return;
                      }
                      ask_or_lost(handler, [&] {
                        bus.last_message(stream, subject, ReadFrom::kLeader,
                                         [to_entry, handler](Result<StoredMessage> again) {
                                           handler(to_entry(std::move(again)));
                                         });
                      });
                    });
}

void KeyValue::put(const std::string& key, std::string value, std::uint64_t revision,
                   std::function<void(Result<std::uint64_t>)> handler) {
  bus_.publish({.subject = proto::bucket_subject(bucket_, key),
                .payload = std::move(value),
                .expected_last = revision},
               [handler = std::move(handler)](Result<PubAck> ack) {
                 if (!ack) return handler(fail(std::move(ack.error())));
                 handler(ack->sequence);
               });
}

void KeyValue::list(std::function<void(Result<std::vector<Entry>>)> handler) {
  std::make_shared<Listing>(bus_, stream_, proto::bucket_subject(bucket_, ">"), std::move(handler))
      ->next(1);
}

Result<std::unique_ptr<Subscription>> KeyValue::watch(std::function<void(const Entry&)> handler) {
  const std::string filter = proto::bucket_live_filter(bucket_);
  const std::size_t prefix = filter.size() - 1;  // without the ">"
  return bus_.follow(filter, [prefix, handler = std::move(handler)](const LiveMessage& message) {
    if (message.subject.size() <= prefix) return;
    handler(Entry{std::string(message.subject.substr(prefix)), std::string(message.payload),
                  message.sequence});
  });
}

}  // namespace toolway::bus

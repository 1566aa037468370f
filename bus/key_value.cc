#include "bus/key_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/try.h"
#include "bus/lost_answer.h"
#include "proto/subjects.h"

namespace toolway::bus {

namespace {

/// Reads the entries of a bucket in parts of its stream, those of a part one after the other. Owned
/// by the answers it waits for, which come on one thread.
struct Listing : std::enable_shared_from_this<Listing> {
  static constexpr std::uint64_t kPartLength = 256;
  static constexpr std::uint64_t kMaxParts = 64;

  struct Part {
    std::uint64_t end = 0;  ///< the sequence that another part begins with; 0: of the last one
    /// A replica answers at a third of the leader's cost. It may lag, and lacks the end of the
    /// stream then: from there on the leader is asked.
    ReadFrom from = ReadFrom::kAnyReplica;
    std::vector<Entry> entries{};
  };

  Listing(Bus& of, std::string stream_name, std::string filter_subject,
          std::function<void(Result<std::vector<Entry>>)> then)
      : bus(of),
        stream(std::move(stream_name)),
        filter(std::move(filter_subject)),
        handler(std::move(then)) {}

  void begin() {
    bus.stream_state(stream, [self = shared_from_this()](Result<StreamState> state) {
      if (state) return self->ask([&] { self->divide(*state); });
      if (state.error().code != ErrorCode::kNotFound)
        return self->tell(fail(std::move(state.error())));
      self->tell(std::vector<Entry>());  // there is no such bucket yet
    });
  }

  void divide(const StreamState& state) {
    const auto first = std::max<std::uint64_t>(1, state.first_sequence);
    const auto length = state.last_sequence < first ? 0 : state.last_sequence - first + 1;
    const auto count = std::clamp<std::uint64_t>(length / kPartLength, 1, kMaxParts);
    parts.resize(count);
    running = count;
    for (std::uint64_t i = 0; i + 1 < count; ++i) parts[i].end = first + (i + 1) * length / count;
    for (std::uint64_t i = 0; i < count; ++i) next(i, i == 0 ? 1 : parts[i - 1].end);
  }

  void next(std::size_t part, std::uint64_t sequence) {
    bus.next_message(stream, filter, sequence, parts[part].from,
                     [self = shared_from_this(), part, sequence](Result<StoredMessage> message) {
                       self->add(part, sequence, std::move(message));
                     });
  }

  void add(std::size_t index, std::uint64_t asked, Result<StoredMessage> message) {
    if (told) return;
    if (!message && message.error().code != ErrorCode::kNotFound)
      return tell(fail(std::move(message.error())));
    Part& part = parts[index];
    if (!message && part.from == ReadFrom::kAnyReplica) {
      part.from = ReadFrom::kLeader;
      return ask([&] { next(index, asked); });
    }
    if (!message || (part.end != 0 && message->sequence >= part.end)) return ended();
    ask([&] {
      const auto sequence = message->sequence;
      part.entries.push_back(
          {message->subject.substr(filter.size() - 1), std::move(message->payload), sequence});
      next(index, sequence + 1);
    });
  }

  void ended() {
    if (--running == 0)
      tell(read_or_lost([this]() -> Result<std::vector<Entry>> { return joined(); }));
  }

  /// Those that were written again while the entries were read are there twice, once too old.
  std::vector<std::uint64_t> repeated() const {
    std::vector<std::pair<std::string_view, std::uint64_t>> read;
    read.reserve(size());
    for (const auto& part : parts)
      for (const auto& entry : part.entries) read.emplace_back(entry.key, entry.revision);
    std::sort(read.begin(), read.end());
    std::vector<std::uint64_t> old;
    for (std::size_t i = 1; i < read.size(); ++i)
      if (read[i - 1].first == read[i].first) old.push_back(read[i - 1].second);
    std::sort(old.begin(), old.end());
    return old;
  }

  std::size_t size() const {
    std::size_t entries = 0;
    for (const auto& part : parts) entries += part.entries.size();
    return entries;
  }

  std::vector<Entry> joined() {
    const auto old = repeated();
    std::vector<Entry> entries;
    entries.reserve(size() - old.size());
    for (auto& part : parts) {
      for (auto& entry : part.entries)
        if (!std::binary_search(old.begin(), old.end(), entry.revision))
          entries.push_back(std::move(entry));
      part.entries = {};
    }
    return entries;
  }

  /// Without memory to ask, the answer is lost.
  template <typename Ask>
  void ask(Ask asks) {
    ask_or_lost([this](Result<std::vector<Entry>> lost) { tell(std::move(lost)); }, asks);
  }

  void tell(Result<std::vector<Entry>> result) {
    if (!std::exchange(told, true)) handler(std::move(result));
  }

  Bus& bus;
  const std::string stream;
  const std::string filter;  // with its ">"
  const std::function<void(Result<std::vector<Entry>>)> handler;
  std::vector<Part> parts{};
  std::size_t running = 0;
  bool told = false;
};

}  // namespace

/// Entries that were asked for and are not there, and whether the bucket has one server, which is
/// its leader then. That is asked at the first of them, and at each thousandth, since `toolway
/// migrate --replicas` may have changed it.
struct KeyValue::Misses {
  static constexpr unsigned kAskedEach = 1000;
  std::atomic<unsigned> count{0};
  std::atomic<bool> one_server{false};

  static void ask(const std::shared_ptr<Misses>& self, Bus& bus, const std::string& stream) {
    bus.stream_state(stream, [self](const Result<StreamState>& state) {
      self->one_server = state && state->replicas == 1;
    });
  }
};

KeyValue::KeyValue(Bus& bus, std::string bucket)
    : bus_(bus),
      bucket_(std::move(bucket)),
      stream_("KV_" + bucket_),
      misses_(std::make_shared<Misses>()) {}

void KeyValue::get(const std::string& key, std::function<void(Result<Entry>)> handler) {
  const std::string subject = proto::bucket_subject(bucket_, key);
  const auto to_entry = [key](Result<StoredMessage> message) -> Result<Entry> {
    RETURN_IF_ERROR(message);
    return read_or_lost([&]() -> Result<Entry> {
      return Entry{key, std::move(message->payload), message->sequence};
    });
  };
  // A replica that lags may not have it yet: only the leader can say that there is none. It is not
  // asked first, as its answer is base64 within JSON: half a megabyte of it takes a loop 10 ms.
  bus_.last_message(stream_, subject, ReadFrom::kAnyReplica,
                    [&bus = bus_, stream = stream_, subject, to_entry, misses = misses_,
                     handler = std::move(handler)](Result<StoredMessage> message) {
                      const bool there = message || message.error().code != ErrorCode::kNotFound;
                      const bool ask = !there && misses->count++ % Misses::kAskedEach == 0;
                      if (there || (misses->one_server && !ask)) {
                        handler(to_entry(std::move(message)));
                        return;
                      }
                      ask_or_lost(handler, [&] {
                        if (ask) Misses::ask(misses, bus, stream);
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
      ->begin();
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

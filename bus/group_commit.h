#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "bus/commit_queue.h"
#include "bus/loop.h"
#include "bus/nats_connection.h"
#include "bus/request_mux.h"

namespace toolway::bus {

/// Publishes what gathers for CALLS and EVENTS as atomic batches, which nats-server syncs once,
/// where the stream takes them (from 2.15 on). Each publication gets the
/// answer that it would get by itself: of a batch that the server refuses, nothing is stored, and
/// each goes singly. Owned by the bus; handlers run on the loop's thread.
class GroupCommit {
 public:
  /// Publishes one by itself.
  using Single = std::function<void(Publication, PublishHandler)>;

  GroupCommit(NatsConnection& connection, RequestMux& mux, std::size_t max_open, Single single);
  ~GroupCommit() { close(); }

  /// Whether a stream of this name is to take batches.
  static bool is_for(std::string_view stream);
  /// Whether publications for `stream` belong here. Thread-safe, like publish.
  bool takes(std::string_view stream) const;
  /// Errors as of Bus::publish. `stream`: one that it takes, or took a moment ago.
  void publish(std::string_view stream, Publication publication, PublishHandler handler);

  /// Asks the server again which streams take batches; none does until it answers.
  void ask_again();
  /// About every half second: repeats what failed.
  void tick();
  /// Answers what was not sent with kShuttingDown; what is published afterwards goes singly. Before
  /// the mux is closed.
  void close();

 private:
  struct Stream {
    std::string_view name;
    std::atomic<bool> batches{false};
    std::atomic<bool> unknown{true};  ///< whether it takes them
    CommitQueue queue;                ///< under mutex_
  };
  using Group = std::vector<PendingPublication>;

  Stream* stream_named(std::string_view name);
  void ask(Stream& stream);
  void allow(Stream& stream, bool batches);
  /// On the loop's thread: sends what is due.
  void flush();
  void flush(Stream& stream);
  void send(Stream& stream, const std::shared_ptr<Group>& group);
  void send_batch(Stream& stream, const std::shared_ptr<Group>& group);
  void batch_answered(Stream& stream, Group& group, const Result<NatsMessage>& answer);
  void refused(Stream& stream, Group& group);
  void answer(Stream& stream, Group& group, const std::function<Result<PubAck>(std::size_t)>& ack);
  void fail_group(Stream& stream, Group& group, const Error& error);

  NatsConnection& connection_;
  RequestMux& mux_;
  const std::size_t max_open_;
  const Single single_;
  const std::string batch_prefix_;
  std::uint64_t batches_ = 0;  // of the loop's thread
  Mutex mutex_;
  bool closing_ GUARDED_BY(mutex_) = false;
  std::vector<PublishHandler> overloaded_ GUARDED_BY(mutex_);
  std::array<Stream, 2> streams_;
  Loop::Timer turn_;  // last: its task uses what is above
};

}  // namespace toolway::bus

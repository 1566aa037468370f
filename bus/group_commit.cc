#include "bus/group_commit.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <random>
#include <utility>

#include "base/contained.h"
#include "bus/jetstream_batches.h"
#include "bus/lost_answer.h"
#include "bus/publish_headers.h"
#include "proto/subjects.h"

namespace toolway::bus {
namespace {

/// No other process's: nats-server takes batches apart by their ids.
std::string random_prefix() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}.", device(), device());
}

constexpr const char* kClosing = "the bus is being closed";
constexpr std::array kStreams{proto::kCallsStream, proto::kEventsStream};

}  // namespace

bool GroupCommit::is_for(std::string_view stream) {
  return std::ranges::find(kStreams, stream) != kStreams.end();
}

GroupCommit::GroupCommit(NatsConnection& connection, RequestMux& mux, std::size_t max_open,
                         Single single)
    : connection_(connection),
      mux_(mux),
      max_open_(max_open),
      single_(std::move(single)),
      batch_prefix_(random_prefix()),
      turn_(connection.loop(), [this] { flush(); }) {
  for (std::size_t i = 0; i < kStreams.size(); ++i) streams_[i].name = kStreams[i];
}

GroupCommit::Stream* GroupCommit::stream_named(std::string_view name) {
  for (auto& stream : streams_)
    if (stream.name == name) return &stream;
  return nullptr;
}

bool GroupCommit::takes(std::string_view name) const {
  for (const auto& stream : streams_)
    if (stream.name == name) return stream.batches.load(std::memory_order_relaxed);
  return false;
}

void GroupCommit::publish(std::string_view name, Publication publication, PublishHandler handler) {
  Stream* stream = stream_named(name);
  {
    const MutexLock lock(mutex_);
    if (!closing_ && stream != nullptr) {
      if (stream->queue.open() >= max_open_) {
        overloaded_.push_back(std::move(handler));
      } else {
        stream->queue.add({std::move(publication), std::move(handler)});
      }
      return turn_.set(std::chrono::steady_clock::now());
    }
  }
  single_(std::move(publication), std::move(handler));
}

void GroupCommit::ask_again() {
  for (auto& stream : streams_) {
    allow(stream, false);  // this server may be another one
    stream.unknown.store(true);
    ask(stream);
  }
}

void GroupCommit::tick() {
  for (auto& stream : streams_)
    if (stream.unknown.load()) ask(stream);
  // What was left for want of memory.
  const MutexLock lock(mutex_);
  for (const auto& stream : streams_)
    if (stream.queue.open() > 0) turn_.set(std::chrono::steady_clock::now());
}

void GroupCommit::ask(Stream& stream) {
  mux_.request(RequestMux::Class::kRead, fmt::format("$JS.API.STREAM.INFO.{}", stream.name), "", {},
               [this, &stream](Result<NatsMessage> answer) {
                 if (!answer) return;  // the next tick asks again
                 const auto batches = api::parse_takes_batches(answer->data());
                 if (!batches) return;
                 stream.unknown.store(false);
                 allow(stream, *batches);
               });
}

void GroupCommit::allow(Stream& stream, bool batches) {
  if (stream.batches.exchange(batches) != batches)
    spdlog::info("publications for {} go {}", stream.name, batches ? "in groups" : "singly");
  const MutexLock lock(mutex_);
  stream.queue.allow_batches(batches);
  turn_.set(std::chrono::steady_clock::now());
}

void GroupCommit::flush() {
  std::vector<PublishHandler> overloaded;
  {
    const MutexLock lock(mutex_);
    overloaded.swap(overloaded_);
  }
  for (const auto& handler : overloaded) {
    contained("an answer", [&] {
      handler(fail(ErrorCode::kOverloaded,
                   fmt::format("{} publications are not acknowledged yet", max_open_)));
    });
  }
  for (auto& stream : streams_) flush(stream);
}

void GroupCommit::flush(Stream& stream) {
  for (;;) {
    // Before anything is taken out of the queue: without memory it stays there.
    auto group = std::make_shared<Group>();
    {
      const MutexLock lock(mutex_);
      *group = stream.queue.next();
    }
    if (group->empty()) return;
    if (!contained("a publication", [&] { send(stream, group); }))
      fail_group(stream, *group, lost_answer().value());
  }
}

void GroupCommit::send(Stream& stream, const std::shared_ptr<Group>& group) {
  if (group->size() > 1) return send_batch(stream, group);
  single_(std::move(group->front().publication), [this, &stream, group](Result<PubAck> ack) {
    answer(stream, *group, [&](std::size_t) { return std::move(ack); });
  });
}

void GroupCommit::send_batch(Stream& stream, const std::shared_ptr<Group>& group) {
  const std::string id = batch_prefix_ + std::to_string(++batches_);
  for (std::size_t i = 0; i < group->size(); ++i) {
    const Publication& publication = (*group)[i].publication;
    auto headers = publish_headers(publication);
    headers.push_back({"Nats-Batch-Id", id});
    headers.push_back({"Nats-Batch-Sequence", std::to_string(i + 1)});
    if (i + 1 < group->size()) {
      // Without the rest of its batch it is not stored.
      if (!connection_.publish(publication.subject, "", publication.payload, headers))
        return refused(stream, *group);
      continue;
    }
    headers.push_back({"Nats-Batch-Commit", "1"});
    mux_.request(RequestMux::Class::kPublish, publication.subject, publication.payload, headers,
                 [this, &stream, group](const Result<NatsMessage>& answer) {
                   batch_answered(stream, *group, answer);
                 });
  }
}

void GroupCommit::batch_answered(Stream& stream, Group& group, const Result<NatsMessage>& answer) {
  if (!answer) {
    const ErrorCode code = answer.error().code;
    if (code == ErrorCode::kTimeout || code == ErrorCode::kShuttingDown)
      return fail_group(stream, group, answer.error());
    return refused(stream, group);  // its end was not sent, so nothing of it is stored
  }
  const auto said = read_or_lost(
      [&]() -> Result<api::BatchAnswer> { return api::parse_batch_answer(answer->data()); });
  if (!said) return fail_group(stream, group, said.error());
  switch (said->kind) {
    case api::BatchAnswer::Kind::kStored:
      if (said->count != group.size()) break;
      return this->answer(stream, group, [&](std::size_t i) -> Result<PubAck> {
        return PubAck{.sequence = said->last - (group.size() - 1 - i)};
      });
    case api::BatchAnswer::Kind::kNotTaken:
      allow(stream, false);
      stream.unknown.store(true);  // a migration may be at work
      return refused(stream, group);
    case api::BatchAnswer::Kind::kRefused: return refused(stream, group);
    case api::BatchAnswer::Kind::kUnclear: break;
  }
  fail_group(
      stream, group,
      {ErrorCode::kTimeout, fmt::format("JetStream answered a batch so that its messages may "
                                        "be stored or not: {}",
                                        said->words)});
}

void GroupCommit::refused(Stream& stream, Group& group) {
  {
    const MutexLock lock(mutex_);
    if (!closing_) {
      stream.queue.batch_refused(std::move(group));
      return turn_.set(std::chrono::steady_clock::now());
    }
  }
  fail_group(stream, group, {ErrorCode::kShuttingDown, kClosing});
}

void GroupCommit::answer(Stream& stream, Group& group,
                         const std::function<Result<PubAck>(std::size_t)>& ack) {
  {
    const MutexLock lock(mutex_);
    if (group.size() > 1) {
      stream.queue.batch_answered();
    } else {
      stream.queue.single_answered();
    }
    turn_.set(std::chrono::steady_clock::now());
  }
  for (std::size_t i = 0; i < group.size(); ++i)
    contained("an answer", [&] { group[i].handler(ack(i)); });
}

void GroupCommit::fail_group(Stream& stream, Group& group, const Error& error) {
  answer(stream, group, [&](std::size_t) -> Result<PubAck> { return tl::unexpected(error); });
}

void GroupCommit::close() {
  turn_.stop();
  std::vector<PendingPublication> unsent;
  std::vector<PublishHandler> overloaded;
  {
    const MutexLock lock(mutex_);
    if (std::exchange(closing_, true)) return;
    for (auto& stream : streams_) {
      for (auto& pending : stream.queue.take_unsent()) unsent.push_back(std::move(pending));
    }
    overloaded.swap(overloaded_);
  }
  const auto tell = [](const PublishHandler& handler) {
    contained("an answer", [&] { handler(fail(ErrorCode::kShuttingDown, kClosing)); });
  };
  for (const auto& pending : unsent) tell(pending.handler);
  for (const auto& handler : overloaded) tell(handler);
}

}  // namespace toolway::bus

#include "workers/call/blob_upload.h"

#include <fmt/format.h>

#include "base/mutex.h"
#include "base/sha256.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::workers::call {
namespace {

constexpr std::chrono::milliseconds kFirstResendDelay{50};
constexpr std::chrono::milliseconds kMaxResendDelay{1000};

std::uint32_t chunks_of(std::string_view text) {
  return static_cast<std::uint32_t>((text.size() + proto::kBlobChunkBytes - 1) /
                                    proto::kBlobChunkBytes);
}

}  // namespace

BlobUpload::BlobUpload(BlobOwner owner, Publish publish)
    : owner_(std::move(owner)),
      publish_(std::move(publish)),
      back_off_(kFirstResendDelay, kMaxResendDelay) {
  again_.reserve(kInFlight);
}

void BlobUpload::begin(std::uint32_t attempt) {
  const MutexLock lock(mutex_);
  attempt_ = attempt;
  changed_.notify_all();
}

void BlobUpload::abandon() {
  const MutexLock lock(mutex_);
  abandoned_ = true;
  changed_.notify_all();
}

std::uint32_t BlobUpload::stored() const {
  const MutexLock lock(mutex_);
  return stored_;
}

Result<v1::BlobRef> BlobUpload::run(std::string_view text) {
  v1::BlobRef ref;
  ref.set_size(text.size());
  ref.set_chunks(chunks_of(text));
  Sha256 digest;
  digest.add(text);
  ref.set_sha256(digest.hex());

  MutexLock lock(mutex_);
  changed_.wait(lock, [&]() REQUIRES(mutex_) { return attempt_ || abandoned_; });
  while (stored_ < ref.chunks()) {
    if (abandoned_) return fail(ErrorCode::kCancelled, "the publication was abandoned");
    if (refused_) return tl::unexpected(*refused_);
    const bool more = next_ < ref.chunks() || !again_.empty();
    const auto delay = back_off_.delay();
    if (delay.count() > 0 && in_flight_ == 0) {
      // The attempt's limits end this; nothing else does.
      changed_.wait_for(lock, delay, [&]() REQUIRES(mutex_) { return abandoned_; });
      if (abandoned_) continue;
    }
    if (more && in_flight_ < kInFlight && (back_off_.delay().count() == 0 || in_flight_ == 0)) {
      if (!send_one(lock, text)) return fail(ErrorCode::kCancelled, "the worker is shutting down");
      continue;
    }
    changed_.wait(lock, [&, before = in_flight_]() REQUIRES(mutex_) {
      return abandoned_ || refused_ || in_flight_ < before;
    });
  }
  return ref;
}

bool BlobUpload::send_one(MutexLock& lock, std::string_view text) {
  std::uint32_t number = next_;
  if (again_.empty()) {
    ++next_;
  } else {
    number = again_.back();
    again_.pop_back();
  }
  ++in_flight_;
  const std::uint32_t attempt = *attempt_;
  lock.unlock();
  v1::BlobChunk chunk;
  chunk.set_call_id(owner_.call.text());
  chunk.set_tenant_id(owner_.tenant);
  chunk.set_attempt(attempt);
  chunk.set_number(number);
  const auto data = text.substr(number * proto::kBlobChunkBytes, proto::kBlobChunkBytes);
  chunk.set_data(data.data(), data.size());
  bus::Publication publication{
      .subject = proto::blob_subject(owner_.session, owner_.call, number),
      .payload = proto::encode(chunk),
      .message_id = fmt::format("{}.{}.{}", owner_.call.text(), attempt, number)};
  auto answer = [self = shared_from_this(), number](Result<bus::PubAck> ack) {
    self->answered(number, std::move(ack));
  };
  const bool passed = publish_(std::move(publication), std::move(answer));
  lock.lock();
  return passed;
}

void BlobUpload::answered(std::uint32_t number, Result<bus::PubAck> answer) {
  const MutexLock lock(mutex_);
  --in_flight_;
  if (answer) {
    ++stored_;
    back_off_.succeeded();
  } else if (answer.error().code == ErrorCode::kInternal) {
    refused_ = std::move(answer.error());
  } else if (answer.error().code == ErrorCode::kShuttingDown) {
    abandoned_ = true;
  } else {
    // It may or may not be stored: sending the same id again settles it.
    again_.push_back(number);
    back_off_.failed();
  }
  changed_.notify_all();
}

}  // namespace toolway::workers::call

// How a held call stores a result that is too large for its completion.
#include "base/ids.h"
#include "base/mutex.h"
#include "workers/call/held_call.h"

namespace toolway::workers {

void HeldCall::store_large(Ending& ending) {
  auto publish = [station = station_](bus::Publication publication, bus::PublishHandler handler) {
    const Inside inside(station->gate);
    if (inside) station->bus.publish(std::move(publication), std::move(handler));
    return static_cast<bool>(inside);
  };
  const auto upload = std::make_shared<BlobUpload>(
      BlobOwner{*SessionKey::parse(request_.session_key()), *CallId::parse(request_.call_id()),
                request_.tenant_id()},
      std::move(publish));
  {
    const Inside inside(station_->gate);
    if (!inside) return;
    Orders orders;
    {
      const MutexLock lock(mutex_);
      if (phase_ != Phase::kRunning) return;
      if (stopping_ != Stop::kNo && (stopping_ != Stop::kDrain || idempotent_)) return;
      upload_ = upload;
      if (log_.start_stored()) {
        upload->begin(log_.attempt());
      } else {
        // Only a stored Started makes the attempt's number, and so its chunks, ours alone.
        merge_until_ = MonotonicTime::max();
        log_.release_start();
        pump(orders);
      }
    }
    act(orders);
  }
  auto stored = upload->run(ending.large);
  if (stored) {
    stored->set_items(ending.completed.blob().items());
    *ending.completed.mutable_blob() = std::move(*stored);
    ending.large = std::string();
  } else if (stored.error().code != ErrorCode::kCancelled) {
    ending.completed = completion_without_result(
        v1::OUTCOME_FAILED, code_name(ErrorCode::kInternal),
        "the tool ended, but its result could not be stored: " + stored.error().message);
  }
  const Inside inside(station_->gate);
  Orders orders;
  {
    const MutexLock lock(mutex_);
    upload_.reset();
    // The bus has closed during the upload: another worker gets the message again.
    const bool ended = !stored && stored.error().code == ErrorCode::kCancelled;
    if (ended && phase_ == Phase::kRunning && stopping_ == Stop::kNo) leave(orders);
  }
  if (inside) act(orders);
}

void HeldCall::note_upload(MonotonicTime now) {
  if (!upload_) return;
  const std::uint32_t stored = upload_->stored();
  if (stored == upload_seen_) return;
  upload_seen_ = stored;
  deadlines_.progressed(now);
}

void HeldCall::abandon_upload() {
  if (upload_) upload_->abandon();
}

}  // namespace toolway::workers

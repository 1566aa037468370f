#include "gateway/live/record_cursor.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "proto/codec.h"

namespace toolway::gateway::live {

Result<void> RecordCursor::end_is(const bus::StreamState& stream, std::uint64_t recorded) {
  if (std::exchange(checks_window_, false)) {
    if (stream.first_sequence <= std::max(first_, page_from_.sequence + 1)) {
      step_ = Step::kTake;
      return {};
    }
    // Some may have left the stream before they were read; the store has them.
    at_ = page_from_;
  }
  end_ = {stream.incarnation, stream.last_sequence};
  first_ = stream.first_sequence;
  if (at_.incarnation > end_.incarnation) {
    return fail(ErrorCode::kInvalidCursor, "the cursor was not made by this service");
  }
  // What has left the stream can only be in the store, even if the collectors' floor is lower: one
  // message that a killed collector had keeps the floor back while thousands after it are recorded.
  floor_ = {stream.incarnation, std::max(recorded, first_ > 0 ? first_ - 1 : 0)};
  in_store_ = at_ < floor_;
  begin_page();
  return {};
}

void RecordCursor::begin_page() {
  page_.clear();
  if (in_store_) {
    step_ = Step::kReadStore;
  } else {
    begin_in_stream();
  }
}

void RecordCursor::begin_in_stream() {
  if (at_.incarnation != end_.incarnation) at_ = {end_.incarnation, 0};
  page_from_ = at_;
  page_bytes_ = 0;
  step_ = at_ < end_ ? Step::kReadStream : Step::kTake;
}

bool RecordCursor::stream_has_all() const {
  const bool same_life = at_.incarnation == end_.incarnation;
  const bool from_start = at_.incarnation == 0;
  const std::uint64_t needed = same_life ? at_.sequence + 1 : 1;
  return (same_life || from_start) && first_ <= needed;
}

Result<void> RecordCursor::from_store(Result<Page> page) {
  if (page) {
    // Above the floor rows may be missing between others: that part is read from the stream.
    while (!page->empty() && page->back().position > floor_) page->pop_back();
    if (!page->empty()) {
      at_ = page->back().position;
      page_ = std::move(*page);
      step_ = Step::kTake;
      return {};
    }
    if (at_ < floor_) at_ = floor_;
  } else {
    // Without the store the stream will do, if it still has everything that is needed.
    if (!stream_has_all()) return fail(std::move(page.error()));
    spdlog::warn("the database cannot be read, so events come from the stream alone: {}",
                 page.error().message);
  }
  in_store_ = false;
  begin_in_stream();
  return {};
}

Result<void> RecordCursor::from_stream(Result<bus::StoredMessage> message) {
  if (!message && message.error().code != ErrorCode::kNotFound)
    return fail(std::move(message.error()));
  if (!message && step_ == Step::kReadStream) {
    // A replica that lags does not know the stream's end yet, which the leader has told us.
    step_ = Step::kReadLeader;
    return {};
  }
  if (!message || message->sequence > end_.sequence) {
    at_ = end_;
  } else {
    at_.sequence = message->sequence;
    auto event = proto::decode_event(message->payload);
    if (event) {
      page_bytes_ += message->payload.size();
      page_.push_back({at_, std::move(*event)});
    } else {
      spdlog::warn("event {} cannot be read: {}", message->sequence, event.error().message);
    }
  }
  const bool full = page_.size() >= limit_.rows || page_bytes_ >= limit_.bytes;
  checks_window_ = full || !(at_.sequence < end_.sequence);
  step_ = checks_window_ ? Step::kAskEnd : Step::kReadStream;
  return {};
}

RecordCursor::Page RecordCursor::take() {
  Page page = std::move(page_);
  if (!page.empty()) begin_page();
  return page;
}

}  // namespace toolway::gateway::live

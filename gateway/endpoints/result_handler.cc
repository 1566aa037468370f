// GET /v1/calls/{c}/result: the whole result of a call, as it is.
#include "gateway/endpoints/result_handler.h"

#include <fmt/format.h>

#include "base/sha256.h"
#include "base/try.h"
#include "gateway/calls/call_json.h"
#include "gateway/calls/call_states.h"
#include "gateway/wire/byte_range.h"
#include "proto/codec.h"

namespace toolway::gateway::endpoints {
namespace {

using persistence::store::BlobPiece;
using persistence::store::RecordedCall;

/// Of a result that is read at once.
constexpr std::uint64_t kMaxWhole = 4UL * 1024 * 1024;
constexpr std::chrono::seconds kChunksWait{5};
constexpr std::chrono::milliseconds kPollInterval{50};

/// The chunks of one attempt, read as they are sent.
class BlobBody final : public wire::BodyStream {
 public:
  BlobBody(loop::AsyncStore& store, CallId call, unsigned attempt, wire::ByteRange range)
      : store_(store),
        call_(std::move(call)),
        attempt_(attempt),
        at_(range.first),
        end_(range.first + range.size) {}

  loop::Task<Result<std::string>> next() override {
    if (at_ >= end_) co_return std::string();
    const auto number = static_cast<unsigned>(at_ / proto::kBlobChunkBytes);
    auto read = [call = call_, attempt = attempt_, number](persistence::store::StoreReader& store) {
      return store.blob_chunks(call, attempt, number, 1);
    };
    CO_ASSIGN_OR_RETURN(auto pieces, co_await store_.run<std::vector<BlobPiece>>(std::move(read)));
    const std::size_t from = at_ % proto::kBlobChunkBytes;
    if (pieces.empty() || pieces.front().number != number || pieces.front().data.size() <= from) {
      co_return fail(ErrorCode::kInternal, fmt::format("chunk {} of a result is missing", number));
    }
    std::string piece = std::move(pieces.front().data);
    piece.erase(0, from);
    if (piece.size() > end_ - at_) piece.resize(end_ - at_);
    at_ += piece.size();
    co_return piece;
  }

 private:
  loop::AsyncStore& store_;
  const CallId call_;
  const unsigned attempt_;
  std::uint64_t at_;
  const std::uint64_t end_;
};

wire::HttpResult<void> has_result(const RecordedCall& call) {
  if (!call.completion) {
    return wire::refuse(
        ErrorCode::kCallNotCompleted,
        fmt::format("the call is {} and has no result yet",
                    call.started_at ? calls::call_state::kRunning : calls::call_state::kQueued));
  }
  const auto& completed = call.completion->completed();
  if (completed.outcome() != v1::OUTCOME_SUCCEEDED) {
    return wire::refuse(ErrorCode::kNoResult,
                        fmt::format("the call ended as {} and has no result; see its error",
                                    proto::outcome_name(completed.outcome())));
  }
  return {};
}

/// Waits until all chunks of a result are recorded.
loop::Task<wire::HttpResult<void>> await_chunks(const CallSearch& search, const loop::Drain& drain,
                                                CallId call, unsigned attempt,
                                                std::uint32_t chunks) {
  const auto give_up = search.clock.monotonic() + kChunksWait;
  for (;;) {
    auto read = [call, attempt](persistence::store::StoreReader& store) {
      return store.blob_chunks_recorded(call, attempt);
    };
    CO_ASSIGN_OR_RETURN(const auto recorded,
                        co_await search.store.run<std::uint64_t>(std::move(read)));
    if (recorded >= chunks) co_return wire::HttpResult<void>();
    if (search.clock.monotonic() >= give_up || drain.begun()) {
      co_return wire::refuse(
          ErrorCode::kResultNotRecorded,
          fmt::format("only {} of the result's {} chunks are recorded so far", recorded, chunks));
    }
    co_await loop::pause(kPollInterval);
  }
}

/// A part of a result that is in chunks, once all of them are recorded.
loop::Task<wire::HttpResult<std::unique_ptr<wire::BodyStream>>> open_blob(const CallSearch& search,
                                                                          const loop::Drain& drain,
                                                                          const RecordedCall& call,
                                                                          wire::ByteRange range) {
  CO_ASSIGN_OR_RETURN(const auto id, CallId::parse(call.call_id));
  const unsigned attempt = call.completion->attempt();
  const auto chunks = call.completion->completed().blob().chunks();
  CO_RETURN_IF_ERROR(co_await await_chunks(search, drain, id, attempt, chunks));
  co_return std::make_unique<BlobBody>(search.store, id, attempt, range);
}

std::string sha256_of(std::string_view bytes) {
  Sha256 digest;
  digest.add(bytes);
  return digest.hex();
}

}  // namespace

loop::Task<wire::HttpResult<wire::Response>> show_result(const CallSearch& search,
                                                         const loop::Drain& drain,
                                                         const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  CO_ASSIGN_OR_RETURN(auto found, co_await find_call(search, routed.caller, routed.id));
  RecordedCall& call = found;
  CO_ASSIGN_OR_RETURN(auto memory, hold_call(search.memory, call));
  co_await bring_up_to_date(search.bus, call);
  CO_RETURN_IF_ERROR(has_result(call));

  auto& completed = *call.completion->mutable_completed();
  const bool large = completed.has_blob();
  const std::uint64_t size = calls::result_bytes(completed);
  const std::string etag = fmt::format(
      "\"sha256:{}\"", large ? completed.blob().sha256() : sha256_of(completed.result()));
  wire::Response response{.headers = fmt::format("etag: {}\r\naccept-ranges: bytes\r\n"
                                                 "cache-control: private, no-cache\r\n",
                                                 etag)};
  if (wire::none_match_names(routed.request.if_none_match, etag)) {
    response.status = 304;
    co_return response;
  }
  // A range of another version does not apply: this version is sent whole. Only GET has ranges (RFC
  // 9110 §14.2).
  const bool applies = routed.request.method == "GET" &&
                       (routed.request.if_range.empty() || routed.request.if_range == etag);
  const wire::ByteRange range = wire::parse_range(applies ? routed.request.range : "", size);
  if (range.kind == wire::ByteRange::Kind::kUnsatisfiable) {
    const auto refused =
        wire::refuse(ErrorCode::kRangeNotSatisfiable, fmt::format("the result has {} bytes", size));
    response = wire::problem_response(refused.value(), routed.request.request_id);
    response.headers += fmt::format("content-range: bytes */{}\r\n", size);
    co_return response;
  }
  if (range.kind == wire::ByteRange::Kind::kPart) {
    response.status = 206;
    response.headers += fmt::format("content-range: bytes {}-{}/{}\r\n", range.first,
                                    range.first + range.size - 1, size);
  }
  if (!large) {
    response.body = std::move(*completed.mutable_result());
    if (range.kind == wire::ByteRange::Kind::kPart)
      response.body = response.body.substr(range.first, range.size);
    response.memory = std::move(memory);
    co_return response;
  }
  CO_ASSIGN_OR_RETURN(response.stream, co_await open_blob(search, drain, call, range));
  response.length = range.size;
  co_return response;
}

loop::Task<wire::HttpResult<mcp::WholeResult>> read_result(const CallSearch& search,
                                                           const loop::Drain& drain,
                                                           const wire::Caller& caller,
                                                           std::string call_id,
                                                           std::string session_key) {
  CO_ASSIGN_OR_RETURN(auto call, co_await find_call(search, caller, call_id));
  if (call.session_key != session_key)
    co_return wire::refuse(ErrorCode::kUnknownCall, "this session has no such call");
  co_await bring_up_to_date(search.bus, call);
  CO_RETURN_IF_ERROR(has_result(call));
  auto& completed = *call.completion->mutable_completed();
  const bool large = completed.has_blob();
  const std::uint64_t size = calls::result_bytes(completed);
  if (size > kMaxWhole)
    co_return wire::refuse(
        ErrorCode::kPayloadTooLarge,
        fmt::format("the result has {} bytes, and one that is read at once {} at most: GET "
                    "/v1/calls/{}/result has it whole and in parts",
                    size, kMaxWhole, call_id));
  // The text, and the answer that holds it.
  CO_ASSIGN_OR_RETURN(auto memory, search.memory.take(wire::MemoryUse::kAnswer, 3 * size));
  mcp::WholeResult whole;
  whole.memory = std::move(memory);
  if (!large) {
    whole.text = std::move(*completed.mutable_result());
    co_return std::move(whole);
  }
  const wire::ByteRange all{.first = 0, .size = size};
  CO_ASSIGN_OR_RETURN(const auto body, co_await open_blob(search, drain, call, all));
  for (;;) {
    CO_ASSIGN_OR_RETURN(const auto piece, co_await body->next());
    if (piece.empty()) break;
    whole.text += piece;
  }
  co_return std::move(whole);
}

}  // namespace toolway::gateway::endpoints

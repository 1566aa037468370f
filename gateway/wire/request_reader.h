#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/system/error_code.hpp>
#include <memory>
#include <string>

#include "gateway/wire/memory_budget.h"
#include "gateway/wire/request_head.h"

namespace toolway::gateway::wire {

/// How large a request may be.
struct RequestBounds {
  std::size_t header =
      16 * 1024;  ///< bytes; trailers and chunk extensions together may have the same again
  std::size_t lines = 100;         ///< of the header, and of the trailers
  std::size_t body = 1024 * 1024;  ///< bytes
};

/// Makes requests from the bytes of one connection, in whatever pieces they arrive. It holds no
/// more than its bounds and one read beyond them, and knows no socket. Trailers and chunk
/// extensions are counted and dropped: nothing in them can be mistaken for a header.
class RequestReader {
 public:
  explicit RequestReader(RequestBounds bounds);
  ~RequestReader();

  enum class Step {
    kMore,     ///< give it more bytes
    kHead,     ///< the head has just become complete, and the body has not; take another step
    kWhole,    ///< head and body are complete
    kRefused,  ///< see `problem`; the connection cannot continue
  };
  /// Where the next bytes are read to; `commit` says how many came.
  boost::asio::mutable_buffer prepare(std::size_t size) { return buffer_.prepare(size); }
  void commit(std::size_t size) { buffer_.commit(size); }
  /// Takes what it can from the bytes that came.
  Step step();

  /// Bytes that came and belong to no request yet.
  std::size_t waiting() const { return buffer_.size(); }
  /// Whether a byte of the next request has come, not counting empty lines before it.
  bool begun() const { return parser_ != nullptr || buffer_.size() > 0; }
  /// What every connection may hold without being counted; after `next` none holds more.
  static constexpr std::size_t kUncounted = MemoryBudget::kUncounted;
  /// Bytes that it holds for its client.
  std::size_t held() const {
    return buffer_.capacity() + head_bytes_.capacity() + body_.capacity();
  }

  const RequestHead& head() const { return head_; }
  const std::string& body() const { return body_; }
  /// Whether the client keeps the connection after the answer.
  bool keep_alive() const;
  /// Whether the head announces a body.
  bool has_body() const { return has_body_; }
  const Problem& problem() const { return problem_; }

  /// Forgets the complete request, for the next one; what came of that stays.
  void next();
  /// Forgets the bytes that came and belong to no request.
  void drop_waiting() { buffer_.clear(); }

 private:
  class Parser;

  Step find_head();
  Step read_head();
  Step read_body();
  Step refuse(Problem problem);
  Step refuse_http(const boost::system::error_code& error);

  const RequestBounds bounds_;
  boost::beast::flat_buffer buffer_;
  std::string head_bytes_;
  RequestHead head_;
  std::string body_;
  bool has_body_ = false;
  std::size_t scanned_ = 0;     // of the head, up to here
  std::size_t line_begin_ = 0;  // of the line that `scanned_` is in
  std::size_t head_lines_ = 0;
  std::size_t head_end_ = 0;  // after its empty line; 0: not found
  std::size_t framing_ = 0;   // chunk extensions and trailers, bytes so far
  std::size_t trailers_ = 0;  // lines
  Problem problem_;
  std::unique_ptr<Parser> parser_;  ///< once the head is whole
};

}  // namespace toolway::gateway::wire

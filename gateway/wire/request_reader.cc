#include "gateway/wire/request_reader.h"

#include <fmt/format.h>

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "base/text.h"

namespace toolway::gateway::wire {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;
/// What grew beyond these is released after the request. A read of 4 KiB fits in what is kept.
constexpr std::size_t kKeptBuffer = 6 * 1024;
constexpr std::size_t kKeptLines = 32;
constexpr std::size_t kKeptText = 1024;
static_assert(kKeptBuffer + 2 * kKeptText <= RequestReader::kUncounted);
/// The shortest end of a chunked body, `0 CR LF CR LF`: at least this always comes. Beast (1.81
/// to 1.83 at least) aborts the process when it has seen the first line of it and is then shown
/// fewer bytes than these.
constexpr std::size_t kLastChunk = 5;

std::string_view to_view(boost::beast::string_view text) { return {text.data(), text.size()}; }

Problem not_http(std::string message) {
  return Problem{
      .error = Error{ErrorCode::kInvalidRequest, "this is not HTTP/1.1: " + std::move(message)},
      .status = 400};
}

Problem too_large(unsigned status, std::string message) {
  return Problem{.error = Error{ErrorCode::kPayloadTooLarge, std::move(message)}, .status = status};
}

}  // namespace

/// Beast's parser, without its containers: what it finds goes into the reader.
class RequestReader::Parser final : public http::basic_parser<true> {
 public:
  explicit Parser(RequestReader& reader) : reader_(reader) {
    header_limit(
        static_cast<std::uint32_t>(reader.bounds_.header + 1));  // the head was measured before
    body_limit(reader.bounds_.body);
    eager(false);
  }

 private:
  using View = boost::beast::string_view;
  void on_request_impl(http::verb, View method, View target, int version, error_code&) override {
    reader_.head_.method = to_view(method);
    reader_.head_.target = to_view(target);
    reader_.head_.version = static_cast<unsigned>(version);
  }
  void on_response_impl(int, View, int, error_code&) override {}
  void on_field_impl(http::field, View name, View value, error_code& error) override {
    if (!in_trailers_) {
      reader_.head_.lines.push_back({to_view(name), to_view(value)});
    } else if (++reader_.trailers_ > reader_.bounds_.lines) {
      error = http::error::header_limit;
    }
  }
  void on_header_impl(error_code&) override { in_trailers_ = true; }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(View body, error_code&) override {
    reader_.body_.append(body.data(), body.size());
    return body.size();
  }
  void on_chunk_header_impl(std::uint64_t, View extensions, error_code&) override {
    reader_.framing_ += extensions.size();
  }
  std::size_t on_chunk_body_impl(std::uint64_t, View body, error_code& error) override {
    return on_body_impl(body, error);
  }
  void on_finish_impl(error_code&) override {}

  RequestReader& reader_;
  bool in_trailers_ = false;
};

RequestReader::RequestReader(RequestBounds bounds) : bounds_(bounds) {}
RequestReader::~RequestReader() = default;

bool RequestReader::keep_alive() const { return parser_ != nullptr && parser_->keep_alive(); }

RequestReader::Step RequestReader::step() {
  if (parser_ != nullptr) return read_body();
  const Step found = find_head();
  return found == Step::kHead ? read_head() : found;
}

RequestReader::Step RequestReader::find_head() {
  const auto bytes = [this] {
    return std::string_view(static_cast<const char*>(buffer_.data().data()), buffer_.size());
  };
  // RFC 9112 §2.2: empty lines before a request are not part of it.
  while (scanned_ == 0 && bytes().starts_with("\r\n")) buffer_.consume(2);
  const auto text = bytes();
  if (text.empty() || text == "\r") return Step::kMore;
  if (!is_http_token(text.substr(0, 1))) return refuse(not_http("it does not begin with a method"));
  while (scanned_ < text.size()) {
    const auto end = text.find('\n', scanned_);
    if (end == std::string_view::npos) {
      scanned_ = text.size();
      break;
    }
    if (end > bounds_.header) break;
    if (end == 0 || text[end - 1] != '\r')
      return refuse(not_http("a line does not end with CR LF"));
    const auto line = text.substr(line_begin_, end - 1 - line_begin_);
    line_begin_ = scanned_ = end + 1;
    if (line.empty()) {
      head_end_ = end + 1;
      return Step::kHead;
    }
    if (line.front() == ' ' || line.front() == '\t')
      return refuse(not_http("a header line is folded"));
    if (head_lines_++ > bounds_.lines) {
      return refuse(
          too_large(431, fmt::format("the header has more than {} lines", bounds_.lines)));
    }
  }
  if (text.size() > bounds_.header) {
    return refuse(
        too_large(431, fmt::format("the header is larger than {} bytes", bounds_.header)));
  }
  return Step::kMore;
}

RequestReader::Step RequestReader::read_head() {
  // Its own copy: the buffer's contents move when more comes.
  head_bytes_.assign(static_cast<const char*>(buffer_.data().data()), head_end_);
  buffer_.consume(head_end_);
  parser_ = std::make_unique<Parser>(*this);
  error_code error;
  parser_->put(boost::asio::buffer(head_bytes_), error);
  if (error) return refuse_http(error);
  if (!parser_->is_header_done()) return refuse(not_http("its header does not end"));
  if (auto broken = refuse_head(head_)) return refuse(std::move(*broken));
  has_body_ = !parser_->is_done();
  parser_->eager(true);
  return Step::kHead;
}

RequestReader::Step RequestReader::read_body() {
  if (parser_->is_done()) return Step::kWhole;
  if (buffer_.size() < (parser_->chunked() ? kLastChunk : 1)) return Step::kMore;
  error_code error;
  buffer_.consume(parser_->put(buffer_.data(), error));
  if (error && error != http::error::need_more) return refuse_http(error);
  if (parser_->is_done()) return Step::kWhole;
  // What the parser leaves behind is the beginning of a chunk's head, or of the trailers.
  if (framing_ + buffer_.size() > bounds_.header) {
    error = http::error::header_limit;
    return refuse_http(error);
  }
  return Step::kMore;
}

RequestReader::Step RequestReader::refuse(Problem problem) {
  problem_ = std::move(problem);
  return Step::kRefused;
}

RequestReader::Step RequestReader::refuse_http(const error_code& error) {
  if (error == http::error::body_limit) {
    return refuse(too_large(413, fmt::format("the body is larger than {} bytes", bounds_.body)));
  }
  if (error != http::error::header_limit) return refuse(not_http(error.message()));
  if (trailers_ > bounds_.lines) {
    return refuse(
        too_large(431, fmt::format("the trailers have more than {} lines", bounds_.lines)));
  }
  return refuse(too_large(
      431, fmt::format("chunk extensions and trailers have more than {} bytes", bounds_.header)));
}

void RequestReader::next() {
  parser_.reset();
  head_ = RequestHead{.lines = std::move(head_.lines)};
  head_.lines.clear();
  if (head_.lines.capacity() > kKeptLines) std::vector<HeaderLine>().swap(head_.lines);
  for (std::string* text : {&head_bytes_, &body_}) {
    text->clear();
    if (text->capacity() > kKeptText) std::string().swap(*text);
  }
  has_body_ = false;
  scanned_ = line_begin_ = head_lines_ = head_end_ = framing_ = trailers_ = 0;
  if (buffer_.capacity() > kKeptBuffer) buffer_.shrink_to_fit();
}

}  // namespace toolway::gateway::wire

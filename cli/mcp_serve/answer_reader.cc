#include "cli/mcp_serve/answer_reader.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace toolway::cli::mcp_serve {
namespace {

constexpr mcp::MessageBounds kBounds{.bytes = kMaxMessage, .values = 8'000'000};
/// Of results that are looked at: that of `initialize`.
constexpr std::size_t kShort = 64UL << 10;

std::string header(const tools::http::HttpHead& head, std::string_view name) {
  const auto* found = tools::http::find_header(head.headers, name);
  return found != nullptr ? *found : std::string();
}

}  // namespace

std::string on_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  std::ranges::replace(text, '\r', ' ');
  return text;
}

AnswerReader::AnswerReader(std::optional<mcp::RequestId> id, SaidBefore& said,
                           std::function<void(const std::string&)> write)
    : id_(std::move(id)),
      said_(said),
      repeated_(said.messages),
      write_(std::move(write)),
      events_([this](const tools::http::SseEvent& event) { message(event.data); }, kMaxMessage) {}

AnswerReader::Want AnswerReader::on_head(const tools::http::HttpHead& head) {
  status_ = head.status;
  session_ = header(head, "mcp-session-id");
  retry_after_ = header(head, "retry-after");
  streams_ = head.status == 200 && header(head, "content-type").starts_with("text/event-stream");
  return Want::kMore;
}

AnswerReader::Want AnswerReader::on_body(std::string_view piece) {
  if (streams_) {
    too_large_ = !events_.feed(piece);
    return too_large_ || answered_ ? Want::kNoMore : Want::kMore;
  }
  too_large_ = body_.size() + piece.size() > kMaxMessage;
  if (too_large_) return Want::kNoMore;
  body_ += piece;
  return Want::kMore;
}

void AnswerReader::end() {
  if (!streams_ && !too_large_ && !body_.empty() && !answered_) message(body_);
}

void AnswerReader::message(const std::string& text) {
  auto decoded = mcp::decode_message(text, kBounds);
  if (!decoded) {
    // What is not a message of the protocol is told in words, by who asked.
    if (streams_) spdlog::warn("the gateway sent no message: {}", decoded.error().message);
    return;
  }
  if (const auto* answer = std::get_if<mcp::Answer>(&*decoded)) return take_answer(*answer, text);
  // A question that comes again has another id, and is the same one.
  const auto* question = std::get_if<mcp::Request>(&*decoded);
  if (is_new(question != nullptr ? question->method + to_text(question->params) : text))
    write_(on_one_line(text));
}

void AnswerReader::take_answer(const mcp::Answer& answer, const std::string& text) {
  if (!id_) return;
  answered_ = true;
  if (answer.id == id_) {
    if (answer.result && text.size() <= kShort) result_ = *answer.result;
    return write_(on_one_line(text));
  }
  // Of a message that the gateway could not read as far as its id: the client waits all the same.
  write_(mcp::encode(mcp::Answer{.id = id_, .result = answer.result}));
}

bool AnswerReader::is_new(const std::string& text) {
  const auto hash = std::hash<std::string>()(text);
  if (const auto found = repeated_.find(hash); found != repeated_.end()) {
    repeated_.erase(found);
    return false;
  }
  said_.messages.insert(hash);
  return true;
}

}  // namespace toolway::cli::mcp_serve

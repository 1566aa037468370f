#include "cli/mcp_serve/answer_reader.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "mcp/client_messages.h"
#include "mcp/fields.h"

namespace toolway::cli::mcp_serve {
namespace {

/// Of results that are looked at: that of `initialize`.
constexpr std::size_t kShort = 64UL << 10;

std::string header(const tools::http::HttpHead& head, std::string_view name) {
  const auto* found = tools::http::find_header(head.headers, name);
  return found != nullptr ? *found : std::string();
}

/// What may come twice with the same words, and is news each time.
bool tells_change(const mcp::Notification& notification) {
  return notification.method.ends_with("/list_changed") ||
         notification.method == "notifications/resources/updated";
}

}  // namespace

std::string on_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  std::ranges::replace(text, '\r', ' ');
  return text;
}

AnswerReader::AnswerReader(std::optional<mcp::RequestId> id, SaidBefore& said, Sinks sinks,
                           OnMismatch on_mismatch)
    : id_(std::move(id)),
      said_(said),
      repeated_(said.messages),
      sinks_(std::move(sinks)),
      on_mismatch_(on_mismatch),
      events_(
          [this](const tools::http::SseEvent& event) {
            if (!event.data.empty()) message(event.data);
          },
          kMaxMessage) {}

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
  auto decoded = mcp::decode_message(text, kMessageBounds);
  if (!decoded) {
    // What is not a message of the protocol is told in words, by who asked.
    if (streams_) spdlog::warn("the gateway sent no message: {}", decoded.error().message);
    return;
  }
  if (const auto* answer = std::get_if<mcp::Answer>(&*decoded)) return take_answer(*answer, text);
  if (const auto* notification = std::get_if<mcp::Notification>(&*decoded))
    return take_notification(*notification, text);
  // A question that comes again has another id, and is the same one.
  const auto& question = std::get<mcp::Request>(*decoded);
  if (is_new(question.method + to_text(question.params))) sinks_.write(on_one_line(text));
}

void AnswerReader::take_notification(const mcp::Notification& notification,
                                     const std::string& text) {
  if (mcp::is_tools_changed(notification)) sinks_.tools_changed();
  if (tells_change(notification) || is_new(text)) return sinks_.write(on_one_line(text));
  if (notification.method == "notifications/subscriptions/acknowledged") tell_of_gap(notification);
}

/// A subscription that begins again may have missed a change.
void AnswerReader::tell_of_gap(const mcp::Notification& acknowledged) {
  const auto* honored = mcp::member(acknowledged.params, "notifications");
  const auto* meta = mcp::member(acknowledged.params, "_meta");
  if (honored == nullptr || meta == nullptr) return;
  for (const std::string list : {"tools", "prompts", "resources"})
    if (mcp::flag(*honored, (list + "ListChanged").c_str()))
      message(mcp::encode(mcp::Notification{.method = "notifications/" + list + "/list_changed",
                                            .params = {{"_meta", *meta}}}));
}

void AnswerReader::take_answer(const mcp::Answer& answer, const std::string& text) {
  if (!id_) return;
  if (on_mismatch_ == OnMismatch::kHoldBack && !answer.result &&
      answer.result.error().code == mcp::kHeaderMismatch) {
    mismatch_ = true;
    return;
  }
  answered_ = true;
  if (answer.id == id_) {
    if (answer.result && text.size() <= kShort) result_ = *answer.result;
    return sinks_.write(on_one_line(text));
  }
  // Of a message that the gateway could not read as far as its id: the client waits all the same.
  sinks_.write(mcp::encode(mcp::Answer{.id = id_, .result = answer.result}));
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

#include "gateway/endpoints/face_stream.h"

#include <utility>

#include "base/json.h"

namespace toolway::gateway::endpoints {
namespace {

using tools::messages::Finish;
using tools::messages::Message;

std::string text_at(const Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && found != object.end() && found->is_string()
             ? found->get<std::string>()
             : std::string();
}

Finish finish_of(std::string_view word) {
  if (word == "cut_off") return Finish::kLength;
  if (word == "refused") return Finish::kRefusal;
  if (word == "filtered") return Finish::kFiltered;
  return Finish::kStop;
}

}  // namespace

Message message_of_turn(const Json& result, std::string model) {
  Message message{.role = tools::messages::Role::kAssistant,
                  .finish = finish_of(text_at(result, "finish")),
                  .model = std::move(model)};
  if (auto reply = text_at(result, "reply"); !reply.empty())
    message.parts.push_back({.kind = tools::messages::Part::Kind::kText, .text = std::move(reply)});
  if (result.is_object() && result.contains("usage"))
    message.usage = tools::messages::Usage{.input = result["usage"].value("input", 0ULL),
                                           .output = result["usage"].value("output", 0ULL)};
  return message;
}

FaceError face_error(tools::exports::ModelApi api, std::string_view code,
                     std::string_view message) {
  FaceError error{.status = 500, .body = {}};
  std::string_view type = "api_error";
  if (code == "rate_limited") {
    error.status = 429;
    type = "rate_limit_error";
  } else if (code == "invalid_arguments" || code == "invalid_request" || code == "too_long") {
    error.status = 400;
    type = "invalid_request_error";
  } else if (code == "not_configured" || code == "overloaded" || code == "unavailable") {
    error.status = 503;
    type = "overloaded_error";
  }
  error.body = tools::messages::api_error(api, type, message);
  return error;
}

FaceStream::FaceStream(std::unique_ptr<wire::EventStream> events, tools::exports::ModelApi api,
                       tools::messages::ReplyIdentity identity)
    : events_(std::move(events)),
      api_(api),
      model_(identity.model),
      writer_(tools::messages::make_api_writer(api, std::move(identity))),
      reader_([this](const tools::http::SseEvent& event) { take(event); }) {}

loop::Task<FaceStream::Turn> FaceStream::next(std::string& out) {
  if (!std::exchange(begun_, true)) {
    out += writer_->begin();
    if (!out.empty()) co_return Turn::kEvents;
  }
  for (;;) {
    if (ended_) co_return Turn::kEnded;
    std::string raw;
    const auto turn = co_await events_->next(raw);
    if (!raw.empty()) {
      const auto read = reader_.feed(raw);
      if (!read) co_return Turn::kEnded;
      out += std::exchange(out_, {});
      if (!out.empty()) co_return Turn::kEvents;
    }
    if (turn != Turn::kEvents) co_return turn;
  }
}

void FaceStream::take(const tools::http::SseEvent& event) {
  if (ended_ || (event.type != "progress" && event.type != "completed")) return;
  const auto json = parse_json(event.data);
  if (!json || !json->is_object()) return;
  if (event.type == "completed") return end(*json);
  const auto data = json->find("data");
  if (data == json->end() || !data->is_array()) return;
  for (const auto& part : *data) {
    if (text_at(part, "type") != "text") continue;
    const auto piece = text_at(part, "text");
    out_ += writer_->text(piece);
    said_ += piece;
  }
}

void FaceStream::end(const Json& completed) {
  ended_ = true;
  if (text_at(completed, "outcome") == "succeeded") {
    auto result = completed.value("result", Json());
    // A turn says more than its last message: what came before calls was shown, too.
    if (result.is_object() && !said_.empty()) result["reply"] = said_;
    out_ += writer_->end(message_of_turn(result, model_));
    return;
  }
  const auto error = completed.value("error", Json());
  auto said = face_error(api_, text_at(error, "code"), text_at(error, "message"));
  out_ += "event: error\ndata: " + to_text(said.body) + "\n\n";
}

}  // namespace toolway::gateway::endpoints

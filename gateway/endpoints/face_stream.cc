#include "gateway/endpoints/face_stream.h"

#include <utility>

#include "base/json.h"
#include "gateway/endpoints/face_error.h"

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

FaceStream::FaceStream(std::unique_ptr<wire::EventStream> events, tools::exports::ModelApi api,
                       tools::messages::ReplyIdentity identity, Left left)
    : events_(std::move(events)),
      api_(api),
      call_(identity.id),
      model_(identity.model),
      writer_(tools::messages::make_api_writer(api, std::move(identity))),
      reader_([this](const tools::http::SseEvent& event) { take(event); }),
      left_(std::move(left)) {}

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

loop::Task<void> FaceStream::left() {
  if (!ended_ && left_) co_await left_();
}

void FaceStream::take(const tools::http::SseEvent& event) {
  if (ended_ || (event.type != "progress" && event.type != "completed")) return;
  const auto json = parse_json(event.data);
  if (!json || !json->is_object()) return;
  if (event.type == "completed") return end(*json);
  const auto data = json->find("data");
  if (data == json->end() || !data->is_array()) return;
  shown_.begin_attempt(json->value("attempt", 0U));
  for (const auto& part : *data) {
    const auto type = text_at(part, "type");
    if (type == "tool_call") shown_.end_message();
    if (type == "text") say(text_at(part, "text"));
    if (ended_) return;
  }
}

void FaceStream::say(std::string_view piece) {
  const auto text = shown_.add(piece);
  if (!text) return differ();
  if (!text->empty()) out_ += writer_->text(*text);
}

/// Nothing takes back what the client has.
void FaceStream::differ() {
  fail("unavailable",
       "the process that ran this turn ended, and the model, asked again, says something else; the "
       "whole reply will be the result of call " +
           call_);
}

void FaceStream::end(const Json& completed) {
  if (text_at(completed, "outcome") != "succeeded") {
    const auto error = completed.value("error", Json());
    return fail(text_at(error, "code"), text_at(error, "message"));
  }
  auto result = completed.value("result", Json());
  const auto rest = shown_.complete(text_at(result, "reply"));
  if (!rest && shown_.began_again()) return differ();
  if (rest && !rest->empty()) out_ += writer_->text(*rest);
  ended_ = true;
  // A turn says more than its last message: what came before calls was shown, too.
  if (result.is_object() && !shown_.all().empty()) result["reply"] = shown_.all();
  out_ += writer_->end(message_of_turn(result, model_));
}

void FaceStream::fail(std::string_view code, std::string_view message) {
  ended_ = true;
  const auto error = face_error(api_, code, message);
  out_ += "event: error\ndata: " + to_text(error.body) + "\n\n";
}

}  // namespace toolway::gateway::endpoints

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gateway/endpoints/shown_text.h"
#include "gateway/wire/event_stream.h"
#include "proto/toolway/v1/call.pb.h"
#include "tools/http/sse_reader.h"
#include "tools/messages/api_writer.h"

namespace toolway::gateway::endpoints {

/// What a turn replied, as a model's message.
tools::messages::Message message_of_turn(const Json& result, std::string model);

/// The events of a turn in the words of a model's API. On the io_context's thread.
class FaceStream final : public wire::EventStream {
 public:
  /// What is done when the client goes before the end.
  using Left = std::function<loop::Task<void>()>;

  /// `events` are those of the turn's call.
  FaceStream(std::unique_ptr<wire::EventStream> events, tools::exports::ModelApi api,
             tools::messages::ReplyIdentity identity, Left left);
  loop::Task<Turn> next(std::string& out) override;
  void stop() override { events_->stop(); }
  void quiet_after(std::chrono::milliseconds silence) override { events_->quiet_after(silence); }
  loop::Task<void> left() override;

 private:
  void take(const tools::http::SseEvent& event);
  void say(std::string_view piece);
  void differ();
  void end(const Json& completed);
  void fail(std::string_view code, std::string_view message);

  const std::unique_ptr<wire::EventStream> events_;
  const tools::exports::ModelApi api_;
  const std::string call_;
  const std::string model_;
  const std::unique_ptr<tools::messages::ApiWriter> writer_;
  tools::http::SseReader reader_;
  const Left left_;
  std::string out_;  ///< what the events so far come to
  ShownText shown_;
  bool begun_ = false;
  bool ended_ = false;
};

}  // namespace toolway::gateway::endpoints

#pragma once

#include <optional>
#include <string>

#include "tools/executors/http/http_config.h"
#include "tools/executors/http/http_retry.h"
#include "tools/http/http_engine.h"
#include "tools/http/ndjson_reader.h"
#include "tools/http/sse_reader.h"
#include "tools/model/tool.h"
#include "tools/templates/redaction.h"

namespace toolway::tools::executors::http {

/// Makes a call's result of a server's answer, as it comes. For one attempt; one thread.
class HttpAnswer final : public tools::http::HttpReceiver {
 public:
  struct Of {
    const model::Spec& spec;
    const HttpConfig& config;
    const templates::Redaction& redaction;
    model::Progress& progress;
  };
  explicit HttpAnswer(Of of);

  Want on_head(const tools::http::HttpHead& head) override;
  Want on_body(std::string_view piece) override;

  struct AttemptEnd {
    model::Execution execution;
    FailedAttempt failed{};  ///< when it is an error
  };
  /// What came of it. `now`: for Retry-After. Call it once.
  AttemptEnd conclude(const tools::http::HttpEnd& end, std::chrono::system_clock::time_point now);
  /// Something was reported already: another attempt would report it again.
  bool reported() const { return items_ > 0 && of_.spec.multi_step; }

 private:
  Want take(Result<void> fed);
  void take_event(const tools::http::SseEvent& event);
  void take_item(Json item);
  model::Execution result();
  model::Execution document(Json json) const;
  model::ToolError status_error(std::chrono::system_clock::time_point now) const;

  const Of of_;
  tools::http::HttpHead head_;
  bool success_ = false;
  std::string body_;
  tools::http::SseReader events_;
  tools::http::NdjsonReader lines_;
  std::size_t items_ = 0;
  Json kept_ = Json::array();
  bool until_reached_ = false;
  std::optional<model::ToolError> fault_;
};

/// How a transfer that did not bring an answer reads to the tool's caller.
model::ToolError error_of(const tools::http::HttpEnd& end);

}  // namespace toolway::tools::executors::http

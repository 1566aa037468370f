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

namespace toolway::tools {

/// Makes a call's result of a server's answer, as it comes. For one attempt; one thread.
class HttpAnswer final : public HttpReceiver {
 public:
  struct Of {
    const Spec& spec;
    const HttpConfig& config;
    const Redaction& redaction;
    Progress& progress;
  };
  explicit HttpAnswer(Of of);

  Want on_head(const HttpHead& head) override;
  Want on_body(std::string_view piece) override;

  struct Outcome {
    Execution execution;
    FailedAttempt failed{};  ///< when it is an error
  };
  /// What came of it. `now`: for Retry-After. Call it once.
  Outcome outcome(const HttpEnd& end, std::chrono::system_clock::time_point now);
  /// Something was reported already: another attempt would report it again.
  bool reported() const { return items_ > 0 && of_.spec.multi_step; }

 private:
  Want take(Result<void> fed);
  void take_event(const SseEvent& event);
  void take_item(Json item);
  Execution result();
  Execution document(Json json) const;
  ToolError status_error(std::chrono::system_clock::time_point now) const;

  const Of of_;
  HttpHead head_;
  bool success_ = false;
  std::string body_;
  SseReader events_;
  NdjsonReader lines_;
  std::size_t items_ = 0;
  Json kept_ = Json::array();
  bool until_reached_ = false;
  std::optional<ToolError> fault_;
};

/// How a transfer that did not bring an answer reads to the tool's caller.
ToolError error_of(const HttpEnd& end);

}  // namespace toolway::tools

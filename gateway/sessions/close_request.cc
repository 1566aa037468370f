#include "gateway/sessions/close_request.h"

#include "gateway/wire/request_body.h"

namespace toolway::gateway {

Answer<CloseRequest> parse_close_request(std::string_view body) {
  constexpr std::chrono::milliseconds kLongest{300'000};
  auto json = parse_body(body.empty() ? "{}" : body);
  if (!json) return refuse(std::move(json.error()));
  BodyReader reader(*json, "");
  reader.only({"pending", "timeout_ms"});
  CloseRequest request;
  if (const std::string* pending = reader.text("pending")) {
    if (*pending == "wait") {
      request.pending = v1::SessionRecord::CLOSING_WAIT;
    } else if (*pending == "detach") {
      request.pending = v1::SessionRecord::CLOSING_DETACH;
    } else if (*pending == "cancel") {
      request.pending = v1::SessionRecord::CLOSING_CANCEL;
    } else {
      reader.complain("pending", "enum", "expected wait, detach or cancel");
    }
  }
  if (const auto ms = reader.count("timeout_ms")) {
    request.timeout = std::chrono::milliseconds(*ms);
    if (request.timeout > kLongest) reader.complain("timeout_ms", "maximum", "at most 300000");
  }
  if (!reader.errors().empty()) return refuse(invalid_request(reader.errors()));
  return request;
}

}  // namespace toolway::gateway

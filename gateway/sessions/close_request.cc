#include "gateway/sessions/close_request.h"

#include "base/text.h"
#include "base/try.h"
#include "gateway/sessions/session.h"
#include "gateway/wire/request_body.h"

namespace toolway::gateway::sessions {

namespace {

constexpr std::chrono::milliseconds kMaxTimeout{300'000};

}  // namespace

wire::HttpResult<CloseRequest> parse_close_request(std::string_view body) {
  ASSIGN_OR_RETURN(auto json, wire::parse_body(body.empty() ? "{}" : body));
  Mistakes mistakes;
  wire::BodyReader reader(json, mistakes);
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
      reader.wrong("pending", "expected wait, detach or cancel", "enum");
    }
  }
  if (const auto ms = wire::read_count(reader, "timeout_ms"); ms > 0) {
    request.timeout = std::chrono::milliseconds(ms);
    if (request.timeout > kMaxTimeout) reader.wrong("timeout_ms", "at most 300000", "maximum");
  }
  if (mistakes.count() > 0) return wire::refuse(wire::invalid_request(std::move(mistakes).take()));
  return request;
}

wire::HttpResult<DeleteRequest> parse_delete_request(const wire::Target& target) {
  RETURN_IF_ERROR(target.only({"pending", "timeout_ms"}));
  DeleteRequest request;
  if (const auto pending = target.query("pending")) {
    if (*pending != "cancel")
      return wire::refuse(ErrorCode::kInvalidRequest,
                          "?pending= takes cancel; without it, a session with calls in progress is "
                          "not deleted");
    request.cancel = true;
  }
  if (const auto text = target.query("timeout_ms")) {
    std::int64_t ms = 0;
    if (!parse_number(*text, ms) || ms < 1 || ms > kMaxTimeout.count())
      return wire::refuse(ErrorCode::kInvalidRequest,
                          "?timeout_ms= takes milliseconds from 1 to 300000");
    request.timeout = std::chrono::milliseconds(ms);
  }
  return request;
}

bool SessionDeletion::operator()(v1::SessionRecord& record) const {
  if (record.session_key() != key.text()) return false;
  v1::SessionRecord left;
  left.set_tenant_id(record.tenant_id());
  left.set_user_id(record.user_id());
  left.set_session_id(record.session_id());
  left.set_session_key(record.session_key());
  left.set_state(v1::SessionRecord::STATE_DELETED);
  left.set_created_at_us(record.created_at_us());
  left.set_updated_at_us(to_unix_us(now));
  left.set_closed_at_us(to_unix_us(now));
  record = std::move(left);
  return true;
}

bool SessionClosing::operator()(v1::SessionRecord& record) const {
  if (record.state() == v1::SessionRecord::STATE_CLOSED) return false;
  record.set_state(v1::SessionRecord::STATE_CLOSED);
  record.set_closing(how);
  record.set_closed_at_us(to_unix_us(now));
  record.set_updated_at_us(to_unix_us(now));
  if (has_namespaces(record, seen)) record.set_toolset_digest(toolset_digest);
  return true;
}

}  // namespace toolway::gateway::sessions

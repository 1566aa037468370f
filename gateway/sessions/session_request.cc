#include "gateway/sessions/session_request.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/try.h"
#include "gateway/sessions/session.h"
#include "gateway/wire/json_text.h"
#include "gateway/wire/request_body.h"
#include "proto/codec.h"
#include "tools/model/all_namespaces.h"

namespace toolway::gateway::sessions {
namespace {

constexpr std::size_t kMaxNamespaces = 32;
constexpr std::size_t kMaxMetadataBytes = 16 * 1024;

/// Sorted, each once; "*" already covers every other name.
void put_in_order(std::vector<std::string>& namespaces) {
  if (std::find(namespaces.begin(), namespaces.end(), tools::model::kAllNamespaces) !=
      namespaces.end())
    return namespaces.assign(1, std::string(tools::model::kAllNamespaces));
  std::sort(namespaces.begin(), namespaces.end());
  namespaces.erase(std::unique(namespaces.begin(), namespaces.end()), namespaces.end());
}

void read_namespaces(wire::BodyReader& reader, std::vector<std::string>& namespaces) {
  const Json* list = reader.list("namespaces");
  if (list == nullptr) return;
  if (list->size() > kMaxNamespaces) {
    return reader.wrong("namespaces", fmt::format("at most {}", kMaxNamespaces), "maxItems");
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Json& item = (*list)[i];
    const auto* name = item.get_ptr<const std::string*>();
    if (name == nullptr || (!valid_name(*name) && *name != tools::model::kAllNamespaces)) {
      reader.mistakes().add(
          {.place = fmt::format("/namespaces/{}", i),
           .message = "expected a name of [A-Za-z0-9_-]{1,64}, or \"*\" for every namespace",
           .keyword = name != nullptr ? "pattern" : "type"});
      continue;
    }
    namespaces.push_back(*name);
  }
  put_in_order(namespaces);
}

/// Whether adding `namespaces` would give the session more than it has.
bool lacks_one_of(const v1::SessionRecord& record, const std::vector<std::string>& namespaces) {
  const auto has = [&record](std::string_view name) {
    return std::ranges::find(record.namespaces(), name) != record.namespaces().end();
  };
  return !has(tools::model::kAllNamespaces) && !std::ranges::all_of(namespaces, has);
}

}  // namespace

wire::HttpResult<SessionRequest> parse_session_request(std::string_view body) {
  ASSIGN_OR_RETURN(auto json, wire::parse_body(body));
  Mistakes mistakes;
  wire::BodyReader reader(json, mistakes);
  reader.only({"session_id", "namespaces", "metadata"});
  SessionRequest request;
  bool bad_id = false;
  if (const std::string* id = reader.text("session_id")) {
    bad_id = !valid_session_id(*id);
    request.session_id = *id;
  }
  read_namespaces(reader, request.namespaces);
  if (reader.map("metadata") != nullptr) {
    if (const auto text = wire::member_text(body, "metadata")) {
      request.metadata = std::string(*text);
    } else {
      request.metadata = to_text(json["metadata"]);
    }
    if (request.metadata.size() > kMaxMetadataBytes) {
      reader.wrong("metadata", fmt::format("at most {} bytes", kMaxMetadataBytes), "maxLength");
    }
  }
  if (mistakes.count() > 0) return wire::refuse(wire::invalid_request(std::move(mistakes).take()));
  if (bad_id) {
    return wire::refuse(
        ErrorCode::kInvalidIdentifier,
        "/session_id: expected 1 to 128 characters of [A-Za-z0-9._:@-], and not . or ..");
  }
  if (request.namespaces.empty()) request.namespaces.emplace_back("default");
  return request;
}

wire::HttpResult<std::vector<std::string>> parse_added_namespaces(std::string_view body) {
  ASSIGN_OR_RETURN(auto json, wire::parse_body(body));
  Mistakes mistakes;
  wire::BodyReader reader(json, mistakes);
  reader.only({"namespaces"});
  std::vector<std::string> added;
  read_namespaces(reader, added);
  if (mistakes.count() == 0 && added.empty())
    reader.wrong("namespaces", "expected one name or more", "minItems");
  if (mistakes.count() > 0) return wire::refuse(wire::invalid_request(std::move(mistakes).take()));
  return added;
}

wire::HttpResult<std::vector<std::string>> with_namespaces(const v1::SessionRecord& record,
                                                           const std::vector<std::string>& added) {
  std::vector<std::string> all(record.namespaces().begin(), record.namespaces().end());
  all.insert(all.end(), added.begin(), added.end());
  put_in_order(all);
  if (all.size() > kMaxNamespaces)
    return wire::refuse(ErrorCode::kInvalidRequest,
                        fmt::format("the session would have {} namespaces, and {} is the limit; "
                                    "\"*\" stands for every namespace",
                                    all.size(), kMaxNamespaces));
  return all;
}

bool NamespaceGain::operator()(v1::SessionRecord& record) const {
  if (record.state() != v1::SessionRecord::STATE_OPEN || seen == wanted ||
      !has_namespaces(record, seen))
    return false;
  record.clear_namespaces();
  for (const auto& ns : wanted) record.add_namespaces(ns);
  record.set_toolset_digest(toolset_digest);
  record.set_updated_at_us(to_unix_us(now));
  return true;
}

v1::SessionRecord new_session(const SessionRequest& request, const wire::Caller& caller,
                              SessionKey key, WallTime now) {
  v1::SessionRecord record;
  record.set_tenant_id(caller.tenant_id);
  record.set_user_id(caller.user_id);
  record.set_session_id(request.session_id);
  record.set_session_key(key.text());
  for (const auto& ns : request.namespaces) record.add_namespaces(ns);
  record.set_metadata(request.metadata);
  record.set_state(v1::SessionRecord::STATE_OPEN);
  record.set_created_at_us(to_unix_us(now));
  record.set_updated_at_us(to_unix_us(now));
  record.set_active_at_us(to_unix_us(now));
  return record;
}

wire::HttpResult<void> check_reopen(const v1::SessionRecord& record,
                                    const std::vector<std::string>& namespaces) {
  if (!has_namespaces(record, namespaces)) {
    const auto list = fmt::format("{}", fmt::join(record.namespaces(), ", "));
    return wire::refuse(
        ErrorCode::kSessionConflict,
        lacks_one_of(record, namespaces)
            ? fmt::format(
                  "the session exists with namespaces {}: ask for these, add others to it with POST "
                  "/v1/sessions/{{s}}/namespaces, or open another session_id",
                  list)
            : fmt::format("the session exists with namespaces {}, which include those you name: "
                          "ask for these, or open another session_id",
                          list));
  }
  return {};
}

void write_session(wire::ObjectText& object, std::string& out, const v1::SessionRecord& record) {
  object.text("session_id", record.session_id());
  const bool closed = record.state() == v1::SessionRecord::STATE_CLOSED;
  object.text("state", proto::session_state_name(record.state()));
  object.text_or_null("closing",
                      closed ? proto::closing_name(record.closing()) : std::string_view());
  object.time_us("closed_at", closed ? record.closed_at_us() : 0);
  object.begin("namespaces");
  wire::write_list(out, record.namespaces(), wire::append_string);
  object.text_or_null("toolset_digest", record.toolset_digest());
  object.json("metadata", record.metadata().empty() ? "{}" : record.metadata());
  object.time_us("created_at", record.created_at_us());
  object.time_us("updated_at", record.updated_at_us());
  object.time_us("active_at", record.active_at_us());
}

void write_warnings(wire::ObjectText& object, std::string& out,
                    const std::vector<std::string>& warnings) {
  object.begin("warnings");
  wire::write_list(out, warnings, wire::append_string);
}

}  // namespace toolway::gateway::sessions

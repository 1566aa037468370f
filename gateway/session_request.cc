#include "gateway/session_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "gateway/json_text.h"
#include "gateway/request_body.h"

namespace toolway::gateway {
namespace {

constexpr std::size_t kMostNamespaces = 32;
constexpr std::size_t kMostMetadata = 16 * 1024;

void read_namespaces(BodyReader& reader, std::vector<std::string>& namespaces) {
  const Json* list = reader.array("namespaces");
  if (list == nullptr) return;
  if (list->size() > kMostNamespaces) {
    return reader.complain("namespaces", "maxItems", fmt::format("at most {}", kMostNamespaces));
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Json& item = (*list)[i];
    if (!item.is_string() || !valid_name(item.get_ref<const std::string&>())) {
      reader.add({{fmt::format("/namespaces/{}", i), item.is_string() ? "pattern" : "type",
                   "expected a name of [A-Za-z0-9_-]{1,64}"}});
      continue;
    }
    namespaces.push_back(item.get<std::string>());
  }
}

}  // namespace

Answer<SessionRequest> parse_session_request(std::string_view body) {
  auto json = parse_body(body);
  if (!json) return refuse(std::move(json.error()));
  BodyReader reader(*json, "");
  reader.only({"session_id", "namespaces", "metadata"});
  SessionRequest request;
  bool bad_id = false;
  if (const std::string* id = reader.text("session_id")) {
    bad_id = !valid_session_id(*id);
    request.session_id = *id;
  }
  read_namespaces(reader, request.namespaces);
  if (reader.object("metadata") != nullptr) {
    if (const auto text = member_text(body, "metadata")) {
      request.metadata = std::string(*text);
    } else {
      request.metadata = to_text((*json)["metadata"]);
    }
    if (request.metadata.size() > kMostMetadata) {
      reader.complain("metadata", "maxLength", fmt::format("at most {} bytes", kMostMetadata));
    }
  }
  if (!reader.errors().empty()) return refuse(invalid_request(reader.errors()));
  if (bad_id) {
    return refuse(ErrorCode::kInvalidIdentifier,
                  "/session_id: expected 1 to 128 characters of [A-Za-z0-9._:@-]");
  }
  if (request.namespaces.empty()) request.namespaces.emplace_back("default");
  std::sort(request.namespaces.begin(), request.namespaces.end());
  request.namespaces.erase(std::unique(request.namespaces.begin(), request.namespaces.end()),
                           request.namespaces.end());
  return request;
}

v1::SessionRecord new_session(const SessionRequest& request, const Caller& caller, SessionKey key,
                              WallTime now) {
  v1::SessionRecord record;
  record.set_tenant_id(std::string(kTenant));
  record.set_user_id(caller.user_id);
  record.set_session_id(request.session_id);
  record.set_session_key(key.text());
  for (const auto& ns : request.namespaces) record.add_namespaces(ns);
  record.set_metadata(request.metadata);
  record.set_state(v1::SessionRecord::STATE_OPEN);
  record.set_created_at_us(to_unix_us(now));
  record.set_updated_at_us(to_unix_us(now));
  return record;
}

Answer<void> check_reopen(const v1::SessionRecord& record,
                          const std::vector<std::string>& namespaces) {
  const auto& has = record.namespaces();
  if (!std::equal(has.begin(), has.end(), namespaces.begin(), namespaces.end())) {
    std::string list;
    for (const auto& ns : has) list += (list.empty() ? "" : ", ") + ns;
    return refuse(ErrorCode::kSessionConflict,
                  fmt::format("the session is there already, with namespaces {}; ask for these, "
                              "or take another session_id",
                              list));
  }
  if (record.state() == v1::SessionRecord::STATE_CLOSED) {
    return refuse(ErrorCode::kSessionClosed, "the session is closed; take another session_id");
  }
  return {};
}

void write_session(ObjectText& object, std::string& out, const v1::SessionRecord& record) {
  object.text("session_id", record.session_id());
  object.text("state",
              record.state() == v1::SessionRecord::STATE_CLOSED ? "closed" : "open");
  object.begin("namespaces");
  out.push_back('[');
  for (int i = 0; i < record.namespaces_size(); ++i) {
    if (i > 0) out.push_back(',');
    append_string(out, record.namespaces(i));
  }
  out.push_back(']');
  object.json("metadata", record.metadata().empty() ? "{}" : record.metadata());
  object.time_us("created_at", record.created_at_us());
  object.time_us("updated_at", record.updated_at_us());
}

}  // namespace toolway::gateway

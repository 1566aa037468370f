#include "persistence/collector/approval_rows.h"

#include "persistence/collector/table_layout.h"
#include "proto/approvals.h"

namespace toolway::persistence::collector {
namespace {

/// What has become of it.
struct Change {
  std::string_view state;
  std::uint32_t seq = 0;
  std::int64_t decided_at_us = 0;  ///< 0: it waits
  std::string_view decided_by{};
};

/// No other way to write it is tried when Postgres refuses it.
template <typename Message>
Row encode(const Message& message, const Change& said, std::string& bytes) {
  Row row{.key = uuid_bytes(message.call_id()),
          .sequence = said.seq,
          .offset = bytes.size(),
          .json = JsonPlacement::kMessage};
  CopyEncoder out(bytes);
  out.begin_row(static_cast<std::uint16_t>(layout_of(Table::kApprovals).columns.size()));
  out.uuid(row.key);
  out.text(message.tenant_id().empty() ? "default" : std::string_view(message.tenant_id()));
  out.text(message.user_id());
  out.text(message.labels().namespace_());
  out.text(message.labels().tool());
  out.time(message.submitted_at_us());
  out.int4(said.seq > INT32_MAX ? -1 : static_cast<std::int32_t>(said.seq));
  out.text(said.state);
  out.time_or_null(said.decided_at_us);
  out.text_or_null(said.decided_by);
  row.length = bytes.size() - row.offset;
  return row;
}

}  // namespace

std::optional<Row> encode_approval(const v1::CallRequest& request, std::string& bytes) {
  if (!proto::waits_for_approval(request)) return std::nullopt;
  return encode(request, {.state = proto::held_state::kWaiting}, bytes);
}

std::optional<Row> encode_approval(const v1::CallEvent& event, std::string& bytes) {
  Change said{.state = proto::held_state_after(event), .seq = event.seq()};
  if (said.state.empty()) return std::nullopt;
  if (said.state != proto::held_state::kWaiting) {
    said.decided_at_us = event.time_us();
    if (const auto* vote = proto::newest_vote(event)) said.decided_by = vote->user_id();
  }
  return encode(event, said, bytes);
}

}  // namespace toolway::persistence::collector

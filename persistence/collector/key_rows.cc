#include "persistence/collector/key_rows.h"

#include <algorithm>

#include "persistence/collector/table_layout.h"
#include "proto/subjects.h"

namespace toolway::persistence::collector {

Result<Row> encode_api_key(const Message& message, v1::ApiKeyRecord& record, std::string& bytes) {
  const auto prefix = proto::bucket_subject(proto::kApiKeysBucket, "");
  if (!message.subject.starts_with(prefix) || message.subject.size() == prefix.size() ||
      !record.ParseFromArray(message.payload.data(), static_cast<int>(message.payload.size())))
    return fail(ErrorCode::kInternal, "it is not an entry of bucket api_keys");
  const auto id = message.subject.substr(prefix.size());
  Row row{.offset = bytes.size()};
  std::copy_n(id.begin(), std::min(id.size(), row.key.size()), row.key.begin());

  CopyEncoder out(bytes);
  out.begin_row(static_cast<std::uint16_t>(layout_of(Table::kApiKeys).columns.size()));
  out.text(id);
  out.text(record.tenant_id().empty() ? "default" : std::string_view(record.tenant_id()));
  out.text(record.user_id());
  out.bytes(record.sha256());
  out.texts(record.roles());
  out.texts(record.namespaces());
  out.text(record.note());
  out.time_or_null(record.created_at_us());
  out.text(record.created_by());
  out.time_or_null(record.expires_at_us());
  out.time_or_null(record.revoked_at_us());
  out.text(record.revoked_by());
  out.time_or_null(record.used_at_us());
  out.int8(message.incarnation);
  out.int8(static_cast<std::int64_t>(message.sequence));
  return row;
}

}  // namespace toolway::persistence::collector

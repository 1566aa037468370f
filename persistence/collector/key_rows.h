#pragma once

#include <string>

#include "base/result.h"
#include "persistence/collector/row.h"
#include "proto/toolway/v1/api_key.pb.h"

/// Entries of bucket `api_keys`, as rows of the table of that name. Pure.
namespace toolway::persistence::collector {

/// Decodes `message` into `record`, and appends the row to `bytes`. Errors: why it is not an entry
/// of the bucket.
Result<Row> encode_api_key(const Message& message, v1::ApiKeyRecord& record, std::string& bytes);

}  // namespace toolway::persistence::collector

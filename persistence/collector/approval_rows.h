#pragma once

#include <optional>
#include <string>

#include "persistence/collector/row.h"
#include "proto/toolway/v1/call.pb.h"

/// What messages say about approvals, as rows of table `approvals`. Pure.
namespace toolway::persistence::collector {

/// A call that waits for approval. Appends the row to `bytes`; nothing: it does not wait.
std::optional<Row> encode_approval(const v1::CallRequest& request, std::string& bytes);
/// What an event makes of the approval of its call; nothing: it says nothing about one.
std::optional<Row> encode_approval(const v1::CallEvent& event, std::string& bytes);

}  // namespace toolway::persistence::collector

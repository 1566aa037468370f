#pragma once

#include <string>
#include <vector>

#include "bus/bus.h"
#include "bus/nats_connection.h"
#include "proto/subjects.h"

namespace toolway::bus {

/// What the server checks before it stores a publication.
inline std::vector<NatsHeader> publish_headers(const Publication& publication) {
  std::vector<NatsHeader> headers;
  if (!publication.message_id.empty())
    headers.push_back({proto::kMessageIdHeader.data(), publication.message_id});
  if (publication.expected_last) {
    headers.push_back(
        {proto::kExpectedLastHeader.data(), std::to_string(*publication.expected_last)});
  }
  return headers;
}

}  // namespace toolway::bus

#pragma once

#include <string>

#include "proto/toolway/v1/call.pb.h"

namespace toolway::proto {

/// `<namespace>.<tool>`: what messages, metrics and spans call the tool of a call.
inline std::string qualified_name(const v1::CallLabels& labels) {
  return labels.namespace_() + "." + labels.tool();
}

}  // namespace toolway::proto

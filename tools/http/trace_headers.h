#pragma once

#include "base/trace_context.h"
#include "tools/http/http_message.h"

namespace toolway::tools::http {

/// Says which span a request comes from (W3C Trace Context §3), unless it has a `traceparent` of
/// its own.
void add_trace(HttpHeaders& headers, const TraceContext& trace);

}  // namespace toolway::tools::http

#include "tools/http/trace_headers.h"

namespace toolway::tools::http {

void add_trace(HttpHeaders& headers, const TraceContext& trace) {
  if (!trace.valid() || find_header(headers, "traceparent") != nullptr) return;
  headers.push_back({"traceparent", trace.traceparent()});
  if (!trace.state.empty() && find_header(headers, "tracestate") == nullptr) {
    headers.push_back({"tracestate", trace.state});
  }
}

}  // namespace toolway::tools::http

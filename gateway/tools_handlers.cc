// Lists of tools, as clients and models want them.
#include "gateway/handlers.h"
#include "gateway/tool_filter.h"

namespace toolway::gateway {

Task<Answer<Response>> session_tools(Services& services, const Asked& asked) {
  if (auto known = asked.target.only({"format"}); !known) {
    co_return refuse(std::move(known.error()));
  }
  const auto format = parse_tool_format(asked.target);
  if (!format) co_return refuse(format.error());
  auto session = co_await services.sessions.find(asked.caller, asked.id);
  if (!session) co_return refuse(std::move(session.error()));
  co_return Response{.body = tools_json(*services.tools_view.of((*session)->namespaces, *format, (*session)->record.session_key()))};
}

Answer<Response> list_tools(Services& services, const Asked& asked) {
  if (auto known = asked.target.only({"format", "kind", "namespace", "category", "q"}); !known) {
    return refuse(std::move(known.error()));
  }
  const auto format = parse_tool_format(asked.target);
  if (!format) return refuse(format.error());
  const auto filter = parse_tool_filter(asked.target);
  if (!filter) return refuse(filter.error());
  return Response{.body = tools_json(*services.tools_view.all(*format, *filter))};
}

}  // namespace toolway::gateway

// Lists of tools, as clients and models want them.
#include "gateway/endpoints/tools_handlers.h"

#include "base/try.h"
#include "gateway/catalogue/tool_filter.h"

namespace toolway::gateway::endpoints {
namespace {

loop::Task<wire::HttpResult<wire::Response>> list_answer(const answers::AnswerRoom& answers,
                                                         Result<catalogue::ToolListPtr> list) {
  CO_RETURN_IF_ERROR(list);
  const std::size_t bytes = (*list)->json.size();
  auto write = [list = std::move(*list)](std::string& out) { catalogue::append_tools(out, *list); };
  wire::Response response;
  co_return co_await answers::written(answers, std::move(response), bytes,
                                      answers::Sent::kIfThereIsRoom, std::move(write));
}

}  // namespace

loop::Task<wire::HttpResult<wire::Response>> session_tools(const ToolsContext& context,
                                                           const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({"format"}));
  CO_ASSIGN_OR_RETURN(const auto format, catalogue::parse_tool_format(routed.target));
  CO_ASSIGN_OR_RETURN(auto session, co_await context.sessions.find(routed.caller, routed.id));
  auto list = co_await context.tools.of(session->namespaces, format, session->record.session_key(),
                                        routed.grants);
  co_return co_await list_answer(context.answers, std::move(list));
}

loop::Task<wire::HttpResult<wire::Response>> list_tools(const ToolsContext& context,
                                                        const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({"format", "kind", "namespace", "category", "q"}));
  CO_ASSIGN_OR_RETURN(const auto format, catalogue::parse_tool_format(routed.target));
  CO_ASSIGN_OR_RETURN(auto filter, catalogue::parse_tool_filter(routed.target));
  auto list = co_await context.tools.all(format, std::move(filter));
  co_return co_await list_answer(context.answers, std::move(list));
}

}  // namespace toolway::gateway::endpoints

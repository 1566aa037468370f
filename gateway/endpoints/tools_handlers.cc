// Lists of tools, as clients and models want them.
#include "gateway/endpoints/tools_handlers.h"

#include "gateway/catalogue/tool_filter.h"

namespace toolway::gateway {
namespace {

Task<Answer<Response>> list_answer(const AnswerRoom& answers, Result<ToolListPtr> list) {
  if (!list) co_return refuse(std::move(list.error()));
  const std::size_t bytes = (*list)->json.size();
  auto write = [list = std::move(*list)](std::string& out) { append_tools(out, *list); };
  Response response;
  co_return co_await written(answers, std::move(response), bytes, Sent::kIfThereIsRoom,
                             std::move(write));
}

}  // namespace

Task<Answer<Response>> session_tools(const ToolsContext& context, const Asked& asked) {
  if (auto known = asked.target.only({"format"}); !known) {
    co_return refuse(std::move(known.error()));
  }
  const auto format = parse_tool_format(asked.target);
  if (!format) co_return refuse(format.error());
  auto session = co_await context.sessions.find(asked.caller, asked.id);
  if (!session) co_return refuse(std::move(session.error()));
  auto list =
      co_await context.tools.of((*session)->namespaces, *format, (*session)->record.session_key());
  co_return co_await list_answer(context.answers, std::move(list));
}

Task<Answer<Response>> list_tools(const ToolsContext& context, const Asked& asked) {
  if (auto known = asked.target.only({"format", "kind", "namespace", "category", "q"}); !known) {
    co_return refuse(std::move(known.error()));
  }
  const auto format = parse_tool_format(asked.target);
  if (!format) co_return refuse(format.error());
  auto filter = parse_tool_filter(asked.target);
  if (!filter) co_return refuse(filter.error());
  auto list = co_await context.tools.all(*format, std::move(*filter));
  co_return co_await list_answer(context.answers, std::move(list));
}

}  // namespace toolway::gateway

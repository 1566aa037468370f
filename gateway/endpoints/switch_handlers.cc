// /v1/switches: what operators switch off.
#include "gateway/endpoints/switch_handlers.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "base/json.h"
#include "base/try.h"
#include "gateway/operators/operator_identity.h"
#include "gateway/operators/operator_name.h"
#include "gateway/operators/switch_request.h"
#include "gateway/wire/json_text.h"
#include "proto/audit.h"
#include "proto/subjects.h"

namespace toolway::gateway::endpoints {
namespace {

OrderedJson shown(const std::string& name, const proto::Switch& off) {
  return {{"name", name}, {"reason", off.reason}, {"by", off.by}, {"at", off.at}};
}

/// Writes the entry, and waits until this gateway acts by it: the bucket's change is on its way.
loop::Task<wire::HttpResult<void>> write(const SwitchesContext& context, std::string name,
                                         std::string value) {
  constexpr std::chrono::seconds kBoardWait{2};
  constexpr std::chrono::milliseconds kPollInterval{5};
  std::uint64_t revision = 0;
  auto before = co_await context.bus.get_switch(name);
  if (before) {
    revision = before->revision;
  } else if (before.error().code != ErrorCode::kNotFound) {
    co_return wire::refuse(wire::bus_problem(std::move(before.error())));
  }
  const bool off = !value.empty();
  auto written = co_await context.bus.put_switch(name, std::move(value), revision);
  if (!written) {
    if (written.error().code == ErrorCode::kWrongLastSequence)
      co_return wire::refuse(ErrorCode::kWrongLastSequence,
                             "another operator switched it at the same time: look at GET "
                             "/v1/switches, then try again");
    co_return wire::refuse(wire::bus_problem(std::move(written.error())));
  }
  const auto deadline = context.clock.monotonic() + kBoardWait;
  while (context.board.now()->all().contains(name) != off && context.clock.monotonic() < deadline)
    co_await loop::pause(kPollInterval);
  co_return wire::HttpResult<void>{};
}

/// It is in force: when the audit cannot be told, only our log says so.
loop::Task<void> tell_audit(const SwitchesContext& context, v1::AuditRecord record,
                            const wire::RoutedRequest& routed) {
  record.set_object(routed.id);
  record.set_tenant_id(routed.caller.tenant_id);
  record.set_method(routed.caller.method.empty() ? std::string(extensions::kByOperator)
                                                 : routed.caller.method);
  record.set_key_id(routed.caller.key_id);
  // Not in the expression that awaits: g++ 12 destroys an aggregate twice that is made there.
  bus::Publication publication{.subject = proto::audit_subject("gateway"),
                               .payload = proto::encode(record),
                               .message_id = record.id()};
  const auto told = co_await context.bus.publish(std::move(publication));
  if (!told)
    spdlog::error("the audit has no record of {} of {} by {}: {}", record.what(), record.object(),
                  record.user_id(), told.error().message);
}

std::string operator_of(const wire::RoutedRequest& routed) {
  return routed.caller.user_id.empty() ? std::string(operators::kOperator) : routed.caller.user_id;
}

}  // namespace

loop::Task<wire::HttpResult<wire::Response>> list_switches(const SwitchesContext& context,
                                                           const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  OrderedJson rows = OrderedJson::array();
  const auto switches = context.board.now();
  for (const auto& [name, off] : switches->all()) rows.push_back(shown(name, off));
  const OrderedJson answer = {{"disabled", std::move(rows)}};
  co_return wire::Response{.body = to_text(answer)};
}

loop::Task<wire::HttpResult<wire::Response>> switch_off(const SwitchesContext& context,
                                                        const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  CO_RETURN_IF_ERROR(operators::check_switch_name(routed.id));
  CO_ASSIGN_OR_RETURN(const auto request, operators::parse_switch_request(routed.request.body));
  if (!request.future)
    CO_RETURN_IF_ERROR(operators::check_offered(routed.id, *context.registry.now()));
  const proto::Switch off{.reason = request.reason,
                          .by = operators::name_of(routed.caller, request.by),
                          .at = wire::time_text(context.clock.wall())};
  CO_RETURN_IF_ERROR(co_await write(context, routed.id, proto::encode(off)));
  auto record = proto::audit_record("switched_off", context.clock.wall());
  OrderedJson details{{"reason", off.reason}};
  const bool known = operators::is_known(routed.caller);
  record.set_user_id(known ? routed.caller.user_id : off.by);
  if (record.user_id() != off.by) details["by"] = off.by;
  record.set_details(to_text(details));
  co_await tell_audit(context, std::move(record), routed);
  co_return wire::Response{.body = to_text(shown(routed.id, off))};
}

loop::Task<wire::HttpResult<wire::Response>> switch_on(const SwitchesContext& context,
                                                       const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  CO_RETURN_IF_ERROR(operators::check_switch_name(routed.id));
  CO_RETURN_IF_ERROR(operators::check_switched_off(routed.id, *context.board.now()));
  CO_RETURN_IF_ERROR(co_await write(context, routed.id, std::string()));
  auto record = proto::audit_record("switched_on", context.clock.wall());
  record.set_user_id(operator_of(routed));
  co_await tell_audit(context, std::move(record), routed);
  const auto ns = routed.id.substr(0, routed.id.find('.'));
  const OrderedJson answer = {
      {"name", routed.id},
      {"namespace_disabled", ns != routed.id && context.board.now()->all().contains(ns)}};
  co_return wire::Response{.body = to_text(answer)};
}

}  // namespace toolway::gateway::endpoints

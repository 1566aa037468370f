#include "tests/simulation/clients.h"

#include "tests/simulation/sim_tools.h"

namespace toolway::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

}  // namespace

std::string session_key(std::uint64_t number) {
  return fmt::format("{:032x}", 0xabcd0000 + number);
}

v1::CallRequest Clients::draw(std::uint64_t number) {
  Random& random = world_.random();
  const ToolTraits& tool = tool_traits()[random.below(tool_traits().size())];
  v1::CallRequest request;
  request.set_session_key(session_key(number % kSessions));
  request.set_tenant_id("default");
  request.set_user_id("user");
  request.set_session_id("session");
  request.set_pool("native");
  request.mutable_labels()->set_namespace_("sim");
  request.mutable_labels()->set_tool(tool.name);
  request.mutable_labels()->set_multi_step(tool.multi_step);
  request.mutable_limits()->set_run_ms(static_cast<std::uint32_t>(tool.run_limit.count()));
  if (random.per_mille(200)) request.mutable_limits()->set_total_ms(20'000);
  if (random.per_mille(100)) request.mutable_limits()->set_queue_ms(15'000);
  const bool long_one = random.per_mille(300);
  const auto ms = long_one ? random.below(40'000) : random.below(300);
  request.set_arguments(fmt::format(R"({{"ms":{},"reports":{},"fails":{}}})", ms, random.below(6),
                                    random.per_mille(600) ? random.below(4) : 0));
  if (tool.requires_approval) {
    // Its time to live; its gateway makes a time of it.
    const Micros lives = random.between(seconds(2), seconds(200));
    request.mutable_hold()->set_quorum(static_cast<std::uint32_t>(1 + random.below(2)));
    request.mutable_hold()->set_expires_at_us(lives.count());
  }
  return request;
}

/// Each request makes another call, unless its key says that it is the same.
v1::CallRequest Clients::with_id(v1::CallRequest request) {
  request.set_call_id(fmt::format("0192a000-0000-7000-8000-{:012x}", ++ids_));
  return request;
}

void Clients::ask(std::uint64_t number, Micros until) {
  const v1::CallRequest request = with_id(draw(number));
  const std::string key =
      world_.random().per_mille(400) ? fmt::format("key{}", number) : std::string();
  send(request, key);
  if (!key.empty()) repeat_later(request, key, until);
  cancel_later(request);
  if (request.has_hold()) decide_later(request);
}

void Clients::send(const v1::CallRequest& request, const std::string& key) {
  GatewayLife* const gateway = gateway_();
  if (gateway == nullptr) return;
  gateway->process().after(Micros(0), [gateway, request, key] {
    key.empty() ? gateway->submit(request) : gateway->submit(request, key);
  });
  if (traits_of(request.labels().tool()).asks) answer_later(request.call_id());
}

void Clients::repeat_later(const v1::CallRequest& request, const std::string& key, Micros until) {
  for (int i = 0; i < 3; ++i) {
    Random& random = world_.random();
    const Micros soon = random.between(milliseconds(500), seconds(15));
    const Micros later = random.between(seconds(15), minutes(5));
    const Micros when = random.per_mille(400) ? soon : later;
    if (!weather_.strikes(Fault::kRepeat, 600) || world_.now() + when > until) continue;
    world_.after(when, [this, request, key] { send(with_id(request), key); });
  }
}

void Clients::cancel_later(const v1::CallRequest& request) {
  // Often before it starts, or while it ends.
  Random& random = world_.random();
  const Micros soon = random.between(Micros(0), milliseconds(400));
  const Micros later = random.between(Micros(0), seconds(30));
  const Micros when = random.per_mille(500) ? soon : later;
  if (!weather_.strikes(Fault::kCancel, 300)) return;
  world_.after(when, [this, id = request.call_id()] { cancel(id); });
  if (weather_.strikes(Fault::kCancel, 300)) {
    world_.after(when + milliseconds(1), [this, id = request.call_id()] { cancel(id); });
  }
}

void Clients::decide_later(const v1::CallRequest& request) {
  Random& random = world_.random();
  const auto votes = random.below(5);
  for (std::uint64_t i = 0; i < votes; ++i) {
    v1::Vote vote;
    vote.set_user_id(fmt::format("approver{}", random.below(3)));
    vote.set_approve(random.per_mille(850));
    const Micros soon = random.between(Micros(0), seconds(2));
    const Micros later = random.between(Micros(0), seconds(150));
    world_.after(random.per_mille(600) ? soon : later,
                 [this, id = request.call_id(), vote] { decide(id, vote); });
  }
  const Micros when = random.between(Micros(0), seconds(60));
  if (!weather_.strikes(Fault::kForge, 200)) return;
  world_.after(when, [this, id = request.call_id()] { forge(id); });
}

void Clients::answer_later(const std::string& call_id) {
  Random& random = world_.random();
  const Micros soon = random.between(Micros(0), milliseconds(500));
  const Micros later = random.between(Micros(0), seconds(20));
  world_.after(random.per_mille(500) ? soon : later, [this, call_id] {
    const auto found = checker_.calls().find(call_id);
    if (found != checker_.calls().end() && found->second.completed) return;
    answer(call_id);
    answer_later(call_id);
  });
}

void Clients::answer(const std::string& call_id) {
  const auto found = checker_.calls().find(call_id);
  GatewayLife* const gateway = gateway_();
  if (found == checker_.calls().end() || found->second.stored == 0 || gateway == nullptr) return;
  gateway::calls::Answers given;
  for (const char* key : kAskedKeys)
    if (world_.random().per_mille(600))
      given[key] = {{"role", "user"}, {"content", fmt::format("{} {}", key, ++answers_)}};
  gateway->process().after(Micros(0), [this, gateway, given, request = found->second.request] {
    gateway->answer(request, given, tables_);
  });
}

void Clients::decide(const std::string& call_id, const v1::Vote& vote) {
  GatewayLife* const gateway = gateway_();
  if (gateway == nullptr) return;
  gateway->process().after(
      Micros(0), [this, gateway, call_id, vote] { gateway->decide(call_id, vote, tables_); });
}

void Clients::forge(const std::string& call_id) {
  const auto found = checker_.calls().find(call_id);
  GatewayLife* const gateway = gateway_();
  if (found == checker_.calls().end() || found->second.stored == 0 || gateway == nullptr) return;
  gateway->process().after(Micros(0),
                           [gateway, request = found->second.request] { gateway->forge(request); });
}

/// A client cancels a stored call, whatever has become of it.
void Clients::cancel(const std::string& call_id) {
  const auto found = checker_.calls().find(call_id);
  GatewayLife* const gateway = gateway_();
  if (found == checker_.calls().end() || found->second.stored == 0 || gateway == nullptr) return;
  gateway->process().after(Micros(0), [this, gateway, request = found->second.request] {
    gateway->cancel(request, tables_);
  });
}

}  // namespace toolway::simulation

// What clients send: targets, headers and bodies.
#include <cstdint>
#include <string_view>

#include "base/json.h"
#include "gateway/call_request.h"
#include "gateway/event_id.h"
#include "gateway/prefer.h"
#include "gateway/route.h"
#include "gateway/session_request.h"
#include "gateway/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace toolway;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (const auto target = gateway::Target::parse(input)) {
    (void)gateway::match_route("GET", target->path());
    (void)gateway::parse_limit(*target, 100, 1000);
  }
  if (const auto id = gateway::parse_event_id(input)) {
    if (input != "0" && id->text() != input) __builtin_trap();
  }
  (void)gateway::preferred_wait(input);
  (void)gateway::parse_session_request(input);
  (void)gateway::parse_batch(input, 4096);
  const auto call = gateway::parse_call(input, 4096);
  if (call) {
    // What is passed on byte for byte must be what was checked.
    const auto again = parse_json(call->arguments_text);
    if (!again || *again != call->arguments) __builtin_trap();
  } else if (!parse_json(gateway::problem_json(call.error(), "r"))) {
    __builtin_trap();
  }
  return 0;
}

// Arbitrary bytes as what a client of /mcp sends, in its body and as what it was handed before.
// Nothing may crash; only a gateway can make what it seals; and what is refused is said in valid
// JSON.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/utf8.h"
#include "gateway/mcp/questions.h"
#include "gateway/mcp/rpc_request.h"
#include "gateway/mcp/rpc_session.h"
#include "gateway/mcp/stream_id.h"

namespace {

using namespace toolway;
using namespace toolway::gateway;

void read(std::string_view body, const gateway::mcp::RpcHeaders& headers) {
  const auto message = gateway::mcp::read_message(body, headers);
  if (message) return;
  const auto text = gateway::mcp::failure_text(message.error());
  if (!valid_utf8(text) || !parse_json(text)) std::abort();
}

void open(std::string_view text) {
  static const auto keys = *SealKeys::parse(SealKeys::new_line("k"));
  static const WallTime now{std::chrono::days(20'000)};
  const wire::Caller caller;
  if (gateway::mcp::open_session_id(keys, caller, text, now) ||
      gateway::mcp::open_stream_event(keys, caller, "s", text, now) ||
      gateway::mcp::open_state(keys, caller, text, now) ||
      gateway::mcp::open_question(keys, caller, text, now))
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  open(text);
  read(text, {});
  read(text, {.revision = "2025-11-25", .session = "s"});
  for (const char* method : {"tools/call", "tasks/get", "subscriptions/listen"})
    read(text, {.revision = "2026-07-28", .method = method, .name = "greet"});
  return 0;
}

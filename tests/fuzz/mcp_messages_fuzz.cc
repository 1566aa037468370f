// Arbitrary bytes as what an MCP server sends. Nothing may crash; what is read is written
// and read again as the same message.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/utf8.h"
#include "mcp/client_messages.h"
#include "mcp/http_headers.h"
#include "mcp/negotiation.h"
#include "mcp/tool_list.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace toolway;
  using namespace toolway::mcp;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)toolway::mcp::id_at_beginning(text);
  auto message = toolway::mcp::decode_message(text);
  if (!message) return 0;
  std::visit(
      [](const auto& read) {
        const auto written = toolway::mcp::encode(read);
        const auto again = toolway::mcp::decode_message(written);
        if (!again || std::visit([](const auto& one) { return toolway::mcp::encode(one); },
                                 *again) != written)
          std::abort();
      },
      *message);
  if (const auto* request = std::get_if<toolway::mcp::Request>(&*message))
    (void)toolway::mcp::encode(toolway::mcp::answer_to(*request));
  if (const auto* notification = std::get_if<toolway::mcp::Notification>(&*message))
    (void)toolway::mcp::decode_progress(notification->params);
  const auto* answer = std::get_if<toolway::mcp::Answer>(&*message);
  if (answer == nullptr) return 0;
  (void)toolway::mcp::after_discover(*answer);
  (void)toolway::mcp::after_initialize(*answer);
  if (const auto page = toolway::mcp::decode_tool_page(text)) {
    for (const auto& tool : page->tools) (void)toolway::mcp::mirrored_parameters(tool.input_schema);
    for (const auto& refused : page->refused) {
      if (!toolway::valid_utf8(refused)) std::abort();
    }
  }
  if (!answer->result) return 0;
  for (const auto revision : toolway::mcp::kRevisions) {
    if (const auto read = toolway::mcp::decode_tool_call(*answer->result, revision);
        !read && !toolway::valid_utf8(read.error().message))
      std::abort();
  }
  return 0;
}

// What clients send: bytes of a connection, targets, headers and bodies.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/strict_json.h"
#include "base/text.h"
#include "gateway/calls/call_request.h"
#include "gateway/edge/trusted_peers.h"
#include "gateway/edge/web_guard.h"
#include "gateway/sessions/session_request.h"
#include "gateway/wire/event_id.h"
#include "gateway/wire/media_type.h"
#include "gateway/wire/prefer.h"
#include "gateway/wire/request_reader.h"
#include "gateway/wire/route.h"
#include "gateway/wire/target.h"

namespace {

using namespace toolway;
using toolway::gateway::wire::RequestReader;

constexpr toolway::gateway::wire::RequestBounds kBounds{.header = 256, .lines = 8, .body = 256};

/// What a connection makes of `input` when it comes in pieces of `size` bytes.
std::string requests_of(std::string_view input, std::size_t size) {
  RequestReader reader(kBounds);
  std::string seen;
  for (;;) {
    switch (reader.step()) {
      case RequestReader::Step::kHead: continue;
      case RequestReader::Step::kRefused:
        return seen + " refused " +
               std::to_string(toolway::gateway::wire::status_of(reader.problem()));
      case RequestReader::Step::kWhole: {
        const auto& head = reader.head();
        // None that is taken leaves a doubt about who asks for what, or where it ends.
        if (head.count("Host") > 1 || head.count("X-Toolway-User") > 1 ||
            head.lines.size() > kBounds.lines)
          __builtin_trap();
        if (head.find("Transfer-Encoding") && head.find("Content-Length")) __builtin_trap();
        if (reader.body().size() > kBounds.body) __builtin_trap();
        if (!reader.has_body() && !reader.body().empty()) __builtin_trap();
        seen += std::string(head.method) + " " + std::string(head.target);
        for (const auto& [name, value] : head.lines)
          seen += "\n" + std::string(name) + ":" + std::string(value);
        seen += "\n\n" + reader.body();
        reader.next();
        continue;
      }
      case RequestReader::Step::kMore: break;
    }
    if (reader.waiting() > kBounds.header + size) __builtin_trap();
    if (input.empty()) return seen;
    const auto piece = input.substr(0, size);
    std::memcpy(reader.prepare(piece.size()).data(), piece.data(), piece.size());
    reader.commit(piece.size());
    input.remove_prefix(piece.size());
  }
}

void read_connection(std::string_view input) {
  const auto whole = requests_of(input, 4096);
  for (const std::size_t size : {1U, 5U}) {
    const auto pieces = requests_of(input, size);
    // Of what is too large, more or less may have come when that is seen.
    if (whole.ends_with("431") || pieces.ends_with("431")) continue;
    if (pieces != whole) __builtin_trap();
  }
}

void read_header_values(std::string_view input) {
  static const auto guard = toolway::gateway::edge::WebGuard::create(
      {.bind_host = "127.0.0.1", .loopback = true, .allow_hosts = {}, .allow_origins = {}});
  const auto host = toolway::gateway::wire::parse_host(input);
  if (guard->admit({.method = "POST", .host = input}) &&
      (!host || !toolway::gateway::wire::names_loopback(*host)))
    __builtin_trap();
  if (guard->admit({.method = "POST", .host = "localhost:1", .origin = input}) &&
      !toolway::same_word(input, "http://localhost:1") &&
      !toolway::same_word(input, "https://localhost:1")) {
    __builtin_trap();
  }
  (void)toolway::gateway::wire::is_json_type(input);
  (void)toolway::gateway::edge::TrustedPeers::parse({std::string(input)});
}

/// The strict reader takes what the other takes, except keys that are there twice.
void read_json(std::string_view input) {
  const auto plain = toolway::parse_json(input);
  const auto strict = toolway::parse_strict_json(input);
  if (strict && (!plain || *plain != *strict)) __builtin_trap();
  if (!strict && plain && strict.error().message.find("appears twice") == std::string::npos)
    __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (const auto target = toolway::gateway::wire::Target::parse(input)) {
    (void)toolway::gateway::wire::match_route("GET", target->path());
    (void)toolway::gateway::wire::parse_limit(*target, 100, 1000);
  }
  if (const auto id = toolway::gateway::wire::parse_event_id(input)) {
    if (input != "0" && id->text() != input) __builtin_trap();
  }
  (void)toolway::gateway::wire::preferred_wait(input);
  read_connection(input);
  read_header_values(input);
  read_json(input);
  (void)toolway::gateway::sessions::parse_session_request(input);
  const auto body = toolway::gateway::wire::parse_any_body(input);
  if (!body) {
    if (!toolway::parse_json(toolway::gateway::wire::problem_json(body.error(), "r")))
      __builtin_trap();
    return 0;
  }
  (void)toolway::gateway::calls::parse_batch(*body, 4096);
  const auto call = toolway::gateway::calls::parse_call(*body, 4096);
  if (call) {
    // What is passed on byte for byte must be what was checked.
    const auto again = toolway::parse_json(call->arguments_text);
    if (!again || *again != call->arguments) __builtin_trap();
  } else if (!toolway::parse_json(toolway::gateway::wire::problem_json(call.error(), "r"))) {
    __builtin_trap();
  }
  return 0;
}

// What scrapers ask with, receivers answer, operators set and the kernel says.
#include <cstdint>
#include <string>
#include <string_view>

#include "monitoring/exposition.h"
#include "monitoring/otlp/answer.h"
#include "monitoring/otlp/named_texts.h"
#include "monitoring/process_stats.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace toolway;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  (void)toolway::monitoring::choose_exposition(input);
  (void)toolway::monitoring::otlp::rejected_spans(
      {.status = 200, .retry_after = {}, .body = std::string(input)});
  (void)toolway::monitoring::parse_process_stat(
      input, {.ticks_per_second = 100, .page_size = 4096, .boot_time = 0});
  if (const auto texts = toolway::monitoring::otlp::parse_named_texts(input)) {
    for (const auto& [name, value] : *texts) {
      // Each becomes a line of a request.
      if (name.empty() || (name + value).find_first_of("\r\n") != std::string::npos)
        __builtin_trap();
    }
  }
  return 0;
}

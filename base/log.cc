#include "base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>

namespace toolway {

void start_logging(const std::string& process, const std::string& level) {
  auto logger = std::make_shared<spdlog::logger>(
      process, std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_level(spdlog::level::from_str(level));
  logger->flush_on(spdlog::level::info);
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %^%-7l%$ %n: %v", spdlog::pattern_time_type::utc);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace toolway

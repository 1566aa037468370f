#include "base/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <atomic>
#include <memory>

#include "base/log_text.h"

namespace toolway {
namespace {

/// Of the whole process, as spdlog's loggers are.
std::atomic<bool> writes_records{false};

/// The name of the logger whose lines are already members of an object.
constexpr const char* kRecords = "toolway.records";

std::string_view view(spdlog::string_view_t text) { return {text.data(), text.size()}; }

/// What is logged, on one line.
class OneLine final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& to) override {
    const auto text = log_text(view(message.payload));
    to.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<spdlog::custom_flag_formatter> clone() const override {
    return std::make_unique<OneLine>();
  }
};

std::unique_ptr<spdlog::formatter> text_lines() {
  auto formatter = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc,
                                                               spdlog::details::os::default_eol);
  formatter->add_flag<OneLine>('*').set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %^%-7l%$ %n: %*");
  return formatter;
}

class JsonLines final : public spdlog::formatter {
 public:
  explicit JsonLines(std::string process)
      : process_(std::move(process)), time_(spdlog::pattern_time_type::utc, "") {
    time_.set_pattern("%Y-%m-%dT%H:%M:%S.%fZ");
  }
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& to) override {
    spdlog::memory_buf_t time;
    time_.format(message, time);
    auto fields = view(message.logger_name) == kRecords
                      ? OrderedJson::parse(view(message.payload), nullptr, false)
                      : OrderedJson{{"message", view(message.payload)}};
    const auto level = spdlog::level::to_string_view(message.level);
    const auto line = log_json({time.data(), time.size()}, view(level), process_, fields);
    to.append(line.data(), line.data() + line.size());
    to.push_back('\n');
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<JsonLines>(process_);
  }

 private:
  const std::string process_;
  spdlog::pattern_formatter time_;
};

}  // namespace

void start_logging(const std::string& process, const std::string& level, LogFormat format) {
  const bool json = format == LogFormat::kJson;
  const spdlog::sink_ptr sink =
      json ? spdlog::sink_ptr(std::make_shared<spdlog::sinks::stderr_sink_mt>())
           : std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  auto logger = std::make_shared<spdlog::logger>(process, sink);
  logger->set_level(spdlog::level::from_str(level));
  logger->flush_on(spdlog::level::info);
  logger->set_formatter(json ? std::unique_ptr<spdlog::formatter>(new JsonLines(process))
                             : text_lines());
  spdlog::drop(kRecords);
  if (json) {
    auto records = std::make_shared<spdlog::logger>(kRecords, sink);
    records->flush_on(spdlog::level::info);
    spdlog::register_logger(std::move(records));
  }
  writes_records = json;
  spdlog::set_default_logger(std::move(logger));
}

bool logs_records() { return writes_records; }

void log_record(spdlog::level::level_enum level, std::string_view event,
                const OrderedJson& fields) {
  const auto records = spdlog::get(kRecords);
  if (!records) return;
  OrderedJson line{{"event", event}};
  line.update(fields);
  records->log(level, "{}", to_text(line));
}

}  // namespace toolway

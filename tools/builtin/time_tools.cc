#include "tools/builtin/time_tools.h"

#include <utility>

#include "base/try.h"
#include "tools/builtin/time_zones.h"
#include "tools/native/native.h"

namespace toolway::tools::builtin {
namespace {

class CurrentTime {
 public:
  static constexpr native::ToolInfo info{
      .name = "get_current_time",
      .ns = "time",
      .description = "The current date and time, in UTC or in any IANA time zone.",
      .topic = "Current time",
      .category = "time",
      .read_only = true,
      .idempotent = true};
  struct Args {
    std::string timezone = "UTC";
    static constexpr auto fields =
        std::to_array<native::Field>({{.name = "timezone",
                                       .description = "IANA time zone, e.g. \"Europe/Berlin\".",
                                       .has_default = true}});
  };
  struct Output {
    std::string iso8601;
    std::int64_t unix = 0;
    std::string timezone;
    std::string utc_offset;
  };

  explicit CurrentTime(std::shared_ptr<const Clock> clock) : clock_(std::move(clock)) {}

  Result<Output> run(const Args& args, model::ToolContext&) const {
    const auto now = clock_->wall();
    ASSIGN_OR_RETURN(auto zoned, in_zone(now, args.timezone));
    return Output{zoned.iso8601,
                  std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count(),
                  zoned.timezone, zoned.utc_offset};
  }

 private:
  std::shared_ptr<const Clock> clock_;
};
BOOST_DESCRIBE_STRUCT(CurrentTime::Args, (), (timezone))
BOOST_DESCRIBE_STRUCT(CurrentTime::Output, (), (iso8601, unix, timezone, utc_offset))

}  // namespace

std::vector<std::shared_ptr<const model::Tool>> time_tools(std::shared_ptr<const Clock> clock) {
  return {native::make_native_tool<CurrentTime>(std::move(clock))};
}

}  // namespace toolway::tools::builtin

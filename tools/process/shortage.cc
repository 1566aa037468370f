#include "tools/process/shortage.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "base/pause.h"

namespace toolway::tools::process {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{50};
constexpr milliseconds kMaxPause{1'000};

}  // namespace

tl::unexpected<Error> no_thread(std::string_view what, const std::system_error& error) {
  return fail(ErrorCode::kOverloaded,
              fmt::format("{}: cannot start a thread: {}", what, error.code().message()));
}

bool tells_shortage(std::string_view text) {
  for (const int error : {EAGAIN, ENOMEM, EMFILE, ENFILE}) {
    if (text.find(strerrordesc_np(error)) != std::string_view::npos) return true;
  }
  return text.find("can't start new thread") != std::string_view::npos;  // Python's
}

Result<void> start_when_possible(std::string_view what, const std::stop_token& stop,
                                 const std::function<Result<void>()>& start) {
  for (auto wait = kFirstPause;; wait = std::min(2 * wait, kMaxPause)) {
    auto started = start();
    if (started || started.error().code != ErrorCode::kOverloaded) return started;
    if (wait == kFirstPause) spdlog::warn("a {} has to wait: {}", what, started.error().message);
    if (!pause(wait, stop))
      return fail(ErrorCode::kCancelled,
                  "the call was asked to stop while it waited: " + started.error().message);
  }
}

}  // namespace toolway::tools::process

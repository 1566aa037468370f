#include "cli/stack/server_watch.h"

#include <fmt/format.h>

namespace toolway::cli {

bool ServerWatch::look_after(Time now, const Say& say) {
  if (restarting_.valid()) {
    if (restarting_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
    const auto restarted = restarting_.get();
    if (restarted) {
      say(fmt::format("{} is back, pid {}", server_.name, server_.pid()));
      return true;
    }
    say(fmt::format("{} cannot be started: {}", server_.name, restarted.error().message));
    has_ended(now, say);
  } else if (!start_again_at_ && !server_.alive()) {
    say(fmt::format("{} ended; its log is {}", server_.name, server_.log_file));
    has_ended(now, say);
  }
  if (start_again_at_ && *start_again_at_ <= now) {
    start_again_at_.reset();
    started_at_ = now;
    restarting_ = std::async(std::launch::async, server_.restart);
  }
  return false;
}

void ServerWatch::has_ended(Time now, const Say& say) {
  const auto delay = delay_.next(now - started_at_);
  start_again_at_ = now + delay;
  if (delay_.hopeless())
    say(fmt::format("{} does not stay up, and a restart does not cure what is wrong; calls wait until it "
                    "does. Its log is {}. Trying again every {} s", server_.name, server_.log_file,
                    delay.count() / 1000));
  else
    say(fmt::format("{} is started again in {} ms", server_.name, delay.count()));
}

void ServerWatch::finish() {
  if (restarting_.valid()) restarting_.wait();
}

}  // namespace toolway::cli

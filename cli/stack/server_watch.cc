#include "cli/stack/server_watch.h"

#include <fmt/format.h>

#include <system_error>

namespace toolway::cli::stack {
namespace {

constexpr std::chrono::seconds kAskEvery{1};

}  // namespace

bool ServerWatch::supervise(Time now, DiskState disk, const Say& say) {
  if (restarting_.valid()) {
    if (restarting_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
    const auto restarted = restarting_.get();
    silence_.heard();
    if (restarted) {
      say(fmt::format("{} is back, pid {}", server_.name, server_.pid()));
      return true;
    }
    say(fmt::format("{} cannot be started: {}", server_.name, restarted.error().message));
    has_ended(now, say);
  } else if (!start_again_at_ && !server_.alive()) {
    say(fmt::format("{} ended; its log is {}", server_.name, server_.log_file));
    has_ended(now, say);
  } else if (!start_again_at_) {
    listen(now);
    look_at_silence(now, disk, say);
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
    say(
        fmt::format("{} does not stay up, and restarting does not help; calls wait until it "
                    "does. Its log is {}. Trying again every {} s",
                    server_.name, server_.log_file, delay.count() / 1000));
  else
    say(fmt::format("starting {} again in {} ms", server_.name, delay.count()));
}

void ServerWatch::listen(Time now) {
  if (!server_.answers) return;
  if (asking_.valid()) {
    if (asking_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
    if (asking_.get()) silence_.heard();
  }
  if (now - asked_at_ < kAskEvery) return;
  asked_at_ = now;
  try {
    asking_ = std::async(std::launch::async, server_.answers);
    silence_.asked(now);
  } catch (const std::system_error&) {
    silence_.heard();  // no thread to ask on: that says nothing about the server
  }
}

void ServerWatch::look_at_silence(Time now, DiskState disk, const Say& say) {
  const auto verdict = judge_silence(silence_.length(now), disk);
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(silence_.length(now)).count();
  const bool says_so = verdict == SilentServer::kWaitForRoom && !waits_for_room_;
  waits_for_room_ = verdict == SilentServer::kWaitForRoom;
  if (says_so)
    say(fmt::format(
        "{} (pid {}) is running but has not answered for {} s; it will be restarted once its disk has room",
        server_.name, server_.pid(), seconds));
  if (verdict != SilentServer::kStartAgain) return;
  say(fmt::format(
      "{} (pid {}) is running but has not answered for {} s: killing and restarting it; its log is {}",
      server_.name, server_.pid(), seconds, server_.log_file));
  silence_.heard();
  started_at_ = now;
  restarting_ = std::async(std::launch::async, [this] {
    server_.kill();
    return server_.restart();
  });
}

void ServerWatch::finish() {
  if (restarting_.valid()) restarting_.wait();
  if (asking_.valid()) asking_.wait();
}

}  // namespace toolway::cli::stack

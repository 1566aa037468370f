#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "gateway/loop/io_post.h"
#include "monitoring/metrics.h"

namespace toolway::gateway::loop {

/// Writes /metrics on its own thread: with a thousand tools that takes milliseconds, and the
/// requests on the io_context's thread would have to wait.
class Scraper {
 public:
  Scraper(monitoring::Metrics& metrics, std::shared_ptr<IoPost> io_post)
      : metrics_(metrics), io_post_(std::move(io_post)) {}
  ~Scraper() { pool_.join(); }

  /// Held by an answer to a scrape until it is sent. Null: kMaxPlaces are held by others, whose
  /// clients may not read. On the io_context's thread.
  std::shared_ptr<const void> place() const {
    return places_.use_count() > kMaxPlaces ? nullptr : places_;
  }

  /// Errors: kOverloaded when several scrapes already wait.
  Task<Result<std::string>> scrape(monitoring::Exposition format) {
    auto start = [this, format](auto callback) {
      if (waiting_.fetch_add(1) >= kMaxWaiting) {
        waiting_.fetch_sub(1);
        callback(fail(ErrorCode::kOverloaded, "too many scrapes at once"));
        return;
      }
      asio::post(pool_, [this, format, callback = std::move(callback)]() mutable {
        auto text = metrics_.scrape(format);
        waiting_.fetch_sub(1);
        callback(std::move(text));
      });
    };
    return await_callback<std::string>(io_post_, std::move(start));
  }

 private:
  static constexpr int kMaxWaiting = 8;
  static constexpr int kMaxPlaces = 8;
  monitoring::Metrics& metrics_;
  std::shared_ptr<IoPost> io_post_;
  std::atomic<int> waiting_{0};
  const std::shared_ptr<const void> places_ = std::make_shared<char>();  ///< its owners are counted
  asio::thread_pool pool_{1};
};

}  // namespace toolway::gateway::loop

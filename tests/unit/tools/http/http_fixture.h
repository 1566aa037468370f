#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/awaiting.h"
#include "tests/support/scripted_server.h"
#include "tools/http/http_engine.h"

namespace toolway::test {

/// Keeps an answer, and lets the test act on it as it comes.
class KeptAnswer final : public tools::http::HttpReceiver {
 public:
  Want on_head(const tools::http::HttpHead& answer_head) override {
    head = answer_head;
    return after_head ? after_head() : Want::kMore;
  }
  Want on_body(std::string_view piece) override {
    body += piece;
    return after_piece ? after_piece() : Want::kMore;
  }
  tools::http::HttpHead head;
  std::string body;
  std::function<Want()> after_head;
  std::function<Want()> after_piece;
};

/// The engine against servers on loopback, which it may reach.
class HttpEngineTest : public ::testing::Test {
 protected:
  using Why = tools::http::HttpEnd::Why;
  using Limit = tools::http::HttpEnd::Limit;
  using Reached = tools::http::HttpEnd::Reached;

  static std::shared_ptr<const tools::http::AddressPolicy> allow(
      const std::vector<std::string>& entries) {
    return std::make_shared<const tools::http::AddressPolicy>(
        *tools::http::AddressPolicy::create(entries));
  }
  static tools::http::HttpRequest request(const std::string& url,
                                          const std::string& method = "GET") {
    return {.method = method, .url = url, .addresses = allow({"127.0.0.1", "::1"})};
  }
  tools::http::HttpEnd run(const tools::http::HttpRequest& asked) {
    answer_ = KeptAnswer();
    return engine_->run(asked, answer_, stop_.get_token());
  }
  tools::http::HttpEnd get(const std::string& url) { return run(request(url)); }

  /// A server's answer that is the same bytes every time, and keeps the connection.
  static ScriptedServer::Answer always(std::string bytes) {
    return [bytes = std::move(bytes)](ScriptedConnection& to, const std::string&) {
      return to.send(bytes);
    };
  }
  /// The same, and then the connection is closed.
  static ScriptedServer::Answer once(std::string bytes) {
    return [bytes = std::move(bytes)](ScriptedConnection& to, const std::string&) {
      return to.send(bytes) && false;
    };
  }

  /// Until a server can send nothing more: it stands still while another request comes and goes.
  void await_standstill(const std::atomic<std::size_t>& sent) {
    std::size_t last = 0;
    do {
      last = sent;
      KeptAnswer other;
      ScriptedServer other_server(always(ScriptedServer::ok("x")));
      for (int i = 0; i < 50; ++i) engine_->run(request(other_server.url()), other, {});
    } while (sent != last);
  }

  void restart(tools::http::HttpEngineOptions options) {
    engine_ = *tools::http::HttpEngine::start(std::move(options));
  }

  std::shared_ptr<tools::http::HttpEngine> engine_ = *tools::http::HttpEngine::start();
  KeptAnswer answer_;
  std::stop_source stop_;
};

}  // namespace toolway::test

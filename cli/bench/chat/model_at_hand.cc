#include "cli/bench/chat/model_at_hand.h"

#include <fmt/format.h>

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <list>
#include <map>
#include <thread>

#include "base/mutex.h"
#include "chat/providers/model_server.h"
#include "chat/providers/scripted_provider.h"

namespace toolway::cli::bench::chat {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace providers = toolway::chat::providers;
using asio::ip::tcp;
using toolway::tools::messages::Role;

constexpr unsigned kWords = 60;
constexpr std::chrono::milliseconds kWordInterval{50};
/// Of a request: a long conversation.
constexpr std::uint64_t kMaxBodyBytes = 64UL << 20;

std::string script_text() {
  return fmt::format(
      "turns:\n"
      "  - when: wait\n    replies: [{{text: Done.}}]\n"
      "  - when: stream\n    replies: [{{text: '{}', word_ms: {}}}]\n"
      "  - replies: [{{calls: [{{tool: bench.echo, arguments: {{payload: {}}}}}]}}, {{text: "
      "Done.}}]\n",
      streamed_text(), kWordInterval.count(), std::string(64, 'x'));
}

/// The words of an answer as they are sent: in chunks, on a connection that stays.
class Answer {
 public:
  explicit Answer(tcp::socket& socket) : socket_(socket) {}

  providers::AnswerSink sink() {
    return {.head =
                [this](int status, std::string_view type) {
                  out_ = fmt::format(
                      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nTransfer-Encoding: chunked\r\n\r\n",
                      status, status == 200 ? "OK" : "Error", type);
                },
            .body =
                [this](std::string_view bytes) {
                  if (bytes.empty()) return;
                  out_ += fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes);
                  send();
                }};
  }
  bool end() {
    out_ += "0\r\n\r\n";
    send();
    return !error_;
  }

 private:
  void send() {
    asio::write(socket_, asio::buffer(out_), error_);
    out_.clear();
  }
  tcp::socket& socket_;
  std::string out_;
  boost::system::error_code error_;
};

class AsioModelAtHand final : public ModelAtHand {
 public:
  AsioModelAtHand()
      : acceptor_(context_, {asio::ip::address_v4::loopback(), 0}),
        script_(providers::make_scripted_provider(providers::read_script(script_text(), "bench"))),
        accepting_([this] { accept_all(); }) {}

  ~AsioModelAtHand() override {
    release();
    // A blocked accept ends with a connection, and each connection's reading with its shutdown.
    ending_ = true;
    boost::system::error_code ignored;
    tcp::socket last(context_);
    last.connect(acceptor_.local_endpoint(), ignored);
    accepting_.join();
    const MutexLock lock(mutex_);
    for (auto& one : connections_) one.socket.shutdown(tcp::socket::shutdown_both, ignored);
  }

  std::string url() const override {
    return fmt::format("http://127.0.0.1:{}/v1", acceptor_.local_endpoint().port());
  }
  unsigned held() const override { return held_; }
  void release() override {
    released_ = true;
    released_.notify_all();
  }
  Served take(const std::string& message) override {
    const MutexLock lock(mutex_);
    const auto node = served_.extract(message);
    return node ? node.mapped() : Served{};
  }

 private:
  struct Connection {
    tcp::socket socket;
    std::jthread thread{};
  };

  /// The script, which says what it was asked.
  class NotingProvider final : public providers::Provider {
   public:
    NotingProvider(AsioModelAtHand& model, Steady::time_point begun)
        : model_(model), begun_(begun) {}
    const std::string& id() const override { return model_.script_->id(); }
    tools::exports::ModelApi api() const override { return model_.script_->api(); }
    providers::ReplyResult ask(const providers::ModelRequest& request,
                               const providers::OnText& on_text, std::stop_token stop) override {
      for (const auto* message : request.messages)
        if (message->role == Role::kUser) said = message->text;
      if (said.find("wait") != std::string::npos) model_.hold();
      auto reply = model_.script_->ask(
          request,
          [&](std::string_view text) {
            if (!first_text) first_text = Steady::now();
            on_text(text);
          },
          std::move(stop));
      // Before the answer's last bytes: who has those may ask at once what was done.
      model_.note(*this, begun_);
      return reply;
    }
    std::string said;
    std::optional<Steady::time_point> first_text;

   private:
    AsioModelAtHand& model_;
    const Steady::time_point begun_;
  };

  void hold() {
    if (released_) return;
    ++held_;
    released_.wait(false);
    --held_;
  }

  void accept_all() {
    for (;;) {
      tcp::socket socket(context_);
      boost::system::error_code error;
      acceptor_.accept(socket, error);
      if (ending_) return;
      if (error) continue;
      socket.set_option(tcp::no_delay(true), error);
      const MutexLock lock(mutex_);
      auto& added = connections_.emplace_back(Connection{.socket = std::move(socket)});
      added.thread = std::jthread([this, &added] { serve(added.socket); });
    }
  }

  void serve(tcp::socket& socket) {
    boost::beast::flat_buffer buffer;
    for (;;) {
      boost::system::error_code error;
      http::request_parser<http::string_body> parser;
      parser.body_limit(kMaxBodyBytes);
      http::read(socket, buffer, parser, error);
      if (error) return;
      Answer answer(socket);
      NotingProvider asked(*this, Steady::now());
      providers::serve_model(tools::exports::ModelApi::kOpenAi, parser.get().body(), asked,
                             answer.sink(), {});
      if (!answer.end()) return;
    }
  }

  void note(const NotingProvider& asked, Steady::time_point begun) {
    const auto busy = std::chrono::duration<double, std::milli>(Steady::now() - begun).count();
    const MutexLock lock(mutex_);
    auto& served = served_[asked.said];
    ++served.requests;
    served.busy_ms += busy;
    if (!served.first_text) served.first_text = asked.first_text;
  }

  asio::io_context context_;
  tcp::acceptor acceptor_;
  const std::unique_ptr<providers::Provider> script_;
  std::atomic<bool> released_ = false;
  std::atomic<bool> ending_ = false;
  std::atomic<unsigned> held_ = 0;
  Mutex mutex_;
  std::map<std::string, Served> served_ GUARDED_BY(mutex_);  // by message
  std::list<Connection> connections_ GUARDED_BY(mutex_);
  std::jthread accepting_;
};

}  // namespace

std::string streamed_text() {
  std::string text;
  for (unsigned i = 0; i < kWords; ++i) text += fmt::format("{}word {}", i == 0 ? "" : " ", i);
  return text;
}

Result<std::unique_ptr<ModelAtHand>> ModelAtHand::start() {
  try {
    return std::make_unique<AsioModelAtHand>();
  } catch (const boost::system::system_error& error) {
    return fail(ErrorCode::kInternal, fmt::format("cannot listen on loopback: {}", error.what()));
  }
}

}  // namespace toolway::cli::bench::chat

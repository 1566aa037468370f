#include "tests/chaos/model_host.h"

#include <fmt/format.h>

#include <atomic>
#include <boost/asio.hpp>
#include <mutex>
#include <thread>

#include "cli/talk/model_connection.h"
#include "tests/chaos/event_seen.h"
#include "tests/chaos/planned_model.h"

namespace toolway::chaos {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t kShown = 4000;
/// Each is taken up while a model thinks.
constexpr std::size_t kThreads = 48;
constexpr int kBadRequest = 400;

class LoopbackModel final : public ModelHost {
 public:
  explicit LoopbackModel(std::uint64_t seed)
      : model_(make_planned_model(seed)),
        acceptor_(context_, {asio::ip::address_v4::loopback(), 0}),
        port_(acceptor_.local_endpoint().port()) {
    accept();
    thread_ = std::jthread([this] { context_.run(); });
  }
  ~LoopbackModel() override {
    context_.stop();
    thread_.join();
    stop_.request_stop();
    threads_.join();
  }

  std::string url() const override { return fmt::format("http://127.0.0.1:{}", port_); }
  std::uint64_t requests() const override { return requests_; }
  std::vector<Refused> refused() const override {
    const std::lock_guard lock(mutex_);
    return refused_;
  }
  std::vector<Refused> mixed() const override {
    const std::lock_guard lock(mutex_);
    return mixed_;
  }

 private:
  void accept() {
    acceptor_.async_accept(sockets_, [this](error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (!error)
        asio::post(threads_, [this, socket = std::make_shared<tcp::socket>(std::move(socket))] {
          cli::talk::serve_model_connection(
              *socket,
              [this](auto api, const std::string& body, const chat::providers::AnswerSink& sink) {
                answer(api, body, sink);
              });
        });
      accept();
    });
  }

  void answer(tools::exports::ModelApi api, const std::string& body,
              const chat::providers::AnswerSink& sink) {
    ++requests_;
    if (const auto owners = owners_in(body); owners.find(' ') != std::string::npos)
      note(mixed_, {.why = "tokens of " + owners, .request = body});
    int answered = 0;
    std::string said;
    const chat::providers::AnswerSink heard{.head =
                                                [&](int status, std::string_view type) {
                                                  answered = status;
                                                  sink.head(status, type);
                                                },
                                            .body =
                                                [&](std::string_view bytes) {
                                                  if (answered == kBadRequest) said += bytes;
                                                  sink.body(bytes);
                                                }};
    chat::providers::serve_model(api, body, *model_, heard, stop_.get_token());
    if (answered == kBadRequest) note(refused_, {.why = said, .request = body});
  }

  void note(std::vector<Refused>& list, Refused what) {
    const std::lock_guard lock(mutex_);
    what.request.resize(std::min(what.request.size(), kShown));
    list.push_back(std::move(what));
  }

  const std::unique_ptr<chat::providers::Provider> model_;
  asio::io_context context_{1};
  asio::io_context sockets_{1};  ///< never run: its sockets block
  asio::thread_pool threads_{kThreads};
  tcp::acceptor acceptor_;
  const std::uint16_t port_;
  std::stop_source stop_;
  std::atomic<std::uint64_t> requests_{0};
  mutable std::mutex mutex_;  // over refused_ and mixed_
  std::vector<Refused> refused_;
  std::vector<Refused> mixed_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace

Result<std::unique_ptr<ModelHost>> ModelHost::start(std::uint64_t seed) {
  try {
    return std::make_unique<LoopbackModel>(seed);
  } catch (const boost::system::system_error& error) {
    return fail(ErrorCode::kInternal, std::string("cannot start a model: ") + error.what());
  }
}

}  // namespace toolway::chaos

#pragma once

#include <atomic>
#include <boost/asio.hpp>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace toolway::tools::loaders {

/// Answers each HTTP request on loopback with bytes that the test chose, one
/// connection at a time, and closes. Remembers what it was asked.
class TinyHttpServer {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  /// Writes the answer to `request`, or anything else.
  using Answer = std::function<void(Socket&, const std::string& request)>;

  explicit TinyHttpServer(Answer answer)
      : acceptor_(context_, {boost::asio::ip::address_v4::loopback(), 0}),
        answer_(std::move(answer)) {
    port_ = acceptor_.local_endpoint().port();
    thread_ = std::thread([this] { serve(); });
  }
  ~TinyHttpServer() {
    ending_ = true;
    boost::system::error_code ignored;
    Socket waker(context_);
    waker.connect({boost::asio::ip::address_v4::loopback(), port_}, ignored);
    thread_.join();
  }

  std::string url(const std::string& path = "/tools") const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
  }
  std::vector<std::string> requests() const {
    const std::scoped_lock lock(mutex_);
    return requests_;
  }

  static void send(Socket& socket, const std::string& bytes) {
    boost::system::error_code ignored;
    boost::asio::write(socket, boost::asio::buffer(bytes), ignored);
  }
  static std::string ok(const std::string& body, const std::string& headers = "") {
    return "HTTP/1.1 200 OK\r\nConnection: close\r\n" + headers +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }

 private:
  void serve() {
    for (;;) {
      Socket socket(context_);
      boost::system::error_code error;
      acceptor_.accept(socket, error);
      if (ending_ || error) return;
      std::string request;
      boost::asio::read_until(socket, boost::asio::dynamic_buffer(request), "\r\n\r\n", error);
      {
        const std::scoped_lock lock(mutex_);
        requests_.push_back(request);
      }
      answer_(socket, request);
    }
  }

  boost::asio::io_context context_;
  boost::asio::ip::tcp::acceptor acceptor_;
  const Answer answer_;
  std::uint16_t port_ = 0;
  std::atomic<bool> ending_ = false;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;  // under mutex_
  std::thread thread_;
};

}  // namespace toolway::tools::loaders

#pragma once

#include <boost/asio.hpp>

/// Asio, bound to the one io_context at compile time: no type-erased executors
/// on the path of a request.
namespace toolway::gateway {
namespace asio = boost::asio;
}  // namespace toolway::gateway

namespace toolway::gateway::loop {

using Executor = asio::io_context::executor_type;
template <typename T>
using Task = asio::awaitable<T, Executor>;
inline constexpr asio::use_awaitable_t<Executor> use_task{};
using Socket = asio::basic_stream_socket<asio::ip::tcp, Executor>;
using Acceptor = asio::basic_socket_acceptor<asio::ip::tcp, Executor>;
using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>, Executor>;

/// Waits until `timer` expires or is cancelled; says nothing about which.
inline Task<void> wait_on(Timer& timer) {
  boost::system::error_code ignored;
  auto token = asio::redirect_error(use_task, ignored);
  co_await timer.async_wait(token);
}

/// Waits for `delay`.
inline Task<void> pause(std::chrono::milliseconds delay) {
  Timer timer(co_await asio::this_coro::executor, delay);
  co_await wait_on(timer);
}

}  // namespace toolway::gateway::loop

#include <fmt/format.h>

#include <boost/asio/ip/tcp.hpp>
#include <thread>

#include "base/os/file_io.h"
#include "chat/providers/scripted_provider.h"
#include "cli/talk/model_connection.h"
#include "cli/talk/verbs.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/report.h"

namespace toolway::cli::talk {
namespace {

namespace asio = boost::asio;
namespace providers = chat::providers;
using asio::ip::tcp;

void serve_connection(tcp::socket socket, const std::shared_ptr<providers::Provider>& model) {
  serve_model_connection(socket,
                         [&](auto api, const std::string& body, const providers::AnswerSink& sink) {
                           providers::serve_model(api, body, *model, sink, {});
                         });
}

}  // namespace

int serve_script(const ServeOptions& options) {
  auto opened = providers::open_scripted_provider(options.script);
  if (!opened) return terminal::report_error(opened.error());
  const std::shared_ptr<providers::Provider> model = std::move(*opened);
  asio::io_context context;
  tcp::acceptor acceptor(context);
  boost::system::error_code error;
  const tcp::endpoint endpoint(asio::ip::address_v4::loopback(),
                               static_cast<std::uint16_t>(options.port));
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error)
    return terminal::report_error(
        {ErrorCode::kInternal, fmt::format("cannot listen on 127.0.0.1:{}: {}. Choose another "
                                           "--port",
                                           options.port, error.message())});
  const auto port = acceptor.local_endpoint().port();
  if (!options.port_file.empty())
    if (const auto told = os::write_whole_file(options.port_file, std::to_string(port)); !told)
      return terminal::report_error(told.error());
  fmt::print("serving {} at http://127.0.0.1:{}/v1, until Ctrl-C\n", options.script, port);
  std::fflush(stdout);
  while (true) {
    tcp::socket socket(context);
    acceptor.accept(socket, error);
    // Each has a thread: a script may let its client wait.
    if (!error) std::thread(serve_connection, std::move(socket), model).detach();
  }
}

}  // namespace toolway::cli::talk

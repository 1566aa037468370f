#pragma once

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/intrusive/list.hpp>
#include <memory>

#include "gateway/handlers.h"

namespace toolway::gateway {

/// One client: reads its requests and answers them in order, one coroutine. Kept
/// alive by that coroutine; a sweeper ends what takes too long.
class Connection final : public std::enable_shared_from_this<Connection>,
                         public PeerWatch,
                         public boost::intrusive::list_base_hook<boost::intrusive::link_mode<
                             boost::intrusive::auto_unlink>> {
 public:
  Connection(Services& services, Socket socket);
  Task<void> run();
  /// Ends what is over its deadline.
  void sweep(std::chrono::steady_clock::time_point now);
  /// Answers the request under way, and refuses one that is on its way to us; an event stream
  /// ends, with a word to reconnect. Then closes.
  void drain();
  void close();

  void watch(Timer& wake) override;
  void unwatch() override;
  bool gone() const override { return gone_; }

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  enum class Phase { kIdle, kReading, kAnswering, kWriting };
  enum class Read { kRequest, kEnd, kRefused };

  void enter(Phase phase);
  Task<Read> read_request(Problem& problem);
  Request view(const Parser& parser);
  Task<bool> answer();
  /// Counts what an answer holds while it is sent; or why it is not. What was done is not
  /// refused for the length of its answer, nor are the figures that show what goes on.
  std::optional<Problem> hold(Response& response, bool must_be_sent);
  /// The same of a request while it is read and answered. False: there is not so much left.
  bool hold_request();
  Task<bool> write(const Response& response, bool keep_alive, bool head);
  Task<bool> write_text(std::string_view text);
  Task<bool> write_stream(BodyStream& stream);
  void watch_follower();
  Task<bool> write_events(Feed& feed, bool chunked);
  Task<void> linger();

  Services& services_;
  Socket socket_;
  boost::beast::flat_buffer buffer_;
  std::unique_ptr<Parser> parser_;
  Peer peer_ = Peer::kRemote;
  Phase phase_ = Phase::kIdle;
  std::chrono::steady_clock::time_point deadline_;
  bool timed_out_ = false;
  bool draining_ = false;
  bool gone_ = false;
  Timer* wake_ = nullptr;
  Feed* feed_ = nullptr;
  MemoryBudget::Share request_memory_;
};

}  // namespace toolway::gateway

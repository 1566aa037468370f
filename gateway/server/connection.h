#pragma once

#include <boost/intrusive/list.hpp>
#include <memory>

#include "gateway/endpoints/handle.h"
#include "gateway/server/request_metrics.h"
#include "gateway/wire/request_reader.h"
#include "monitoring/tracer.h"

namespace toolway::gateway::server {

/// What a connection needs to read requests and to answer them.
struct ConnectionContext {
  const endpoints::Endpoints& endpoints;
  edge::Edge& edge;
  wire::MemoryBudget& request_bytes;  ///< of requests alone, as they came
  wire::MemoryBudget& memory;
  RequestMetrics& requests;
  monitoring::Gauge& in_flight;
  monitoring::Gauge& followers;
  monitoring::Tracer& tracer;
  const Clock& clock;
  std::chrono::seconds read_timeout{};   ///< for one whole request, once begun
  std::chrono::seconds idle_timeout{};   ///< between requests
  std::chrono::seconds write_timeout{};  ///< for one response or event
};

/// One client: reads its requests and answers them in order, one coroutine. Kept
/// alive by that coroutine; a sweeper ends what takes too long.
class Connection final : public std::enable_shared_from_this<Connection>,
                         public wire::PeerWatch,
                         public boost::intrusive::list_base_hook<
                             boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  /// `context` must outlive it.
  Connection(const ConnectionContext& context, loop::Socket socket, asio::ip::address peer);
  loop::Task<void> run();
  /// Ends what is past its deadline.
  void sweep(MonotonicTime now);
  /// Answers the request in progress, and refuses one that is on its way to us; an event stream
  /// ends, with a word to reconnect. Then closes.
  void drain();
  void close();
  /// Since when it has waited for a request; nothing while it reads or answers one.
  std::optional<MonotonicTime> idle_since() const;
  const asio::ip::address& peer() const { return peer_; }

  void watch(loop::Timer& wake) override;
  void unwatch() override;
  bool gone() const override { return gone_; }
  void take_closing_for_leaving() override { closing_is_leaving_ = true; }

 private:
  enum class Phase { kIdle, kReading, kAnswering, kWriting };
  enum class Read { kRequest, kEnd, kRefused };

  void enter(Phase phase);
  /// A follower whose credential has ended is sent away.
  void look_at_credential(MonotonicTime now);
  loop::Task<Read> read_request(wire::Problem& problem);
  bool account();
  wire::Request view();
  loop::Task<bool> answer();
  /// Counts what a request holds while it is read and answered. False: not that much is left.
  bool hold_request();
  loop::Task<bool> write(const wire::Response& response, bool keep_alive, bool head);
  loop::Task<bool> write_text(std::string_view text);
  loop::Task<bool> write_stream(wire::BodyStream& stream);
  void watch_follower();
  loop::Task<bool> write_events(wire::EventStream& events, bool chunked);
  loop::Task<void> linger(std::size_t most);

  const ConnectionContext& context_;
  loop::Socket socket_;
  const asio::ip::address peer_;
  const bool trusted_;
  wire::RequestReader reader_;
  Phase phase_ = Phase::kIdle;
  MonotonicTime idle_since_;
  MonotonicTime deadline_;
  bool timed_out_ = false;
  bool draining_ = false;
  bool gone_ = false;
  bool closing_is_leaving_ = false;  ///< of the request that is answered
  loop::Timer* wake_ = nullptr;
  wire::EventStream* events_ = nullptr;
  std::function<bool()> credential_holds_;
  MonotonicTime next_look_{};
  bool expelled_ = false;
  wire::MemoryBudget::Share request_bytes_;   ///< what the reader holds, for --request-mib
  wire::MemoryBudget::Share request_memory_;  ///< what it becomes, for --memory-budget
};

}  // namespace toolway::gateway::server

#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "cli/client/http_client.h"
#include "cli/mcp_serve/answer_reader.h"
#include "cli/mcp_serve/client_line.h"
#include "cli/mcp_serve/session_board.h"

namespace toolway::cli::mcp_serve {

struct Reached {
  const Clock& clock;
  client::ClientOptions http{};          ///< the gateway, with the engine that all share
  std::string path = "/mcp";             ///< of the endpoint
  std::chrono::milliseconds patience{};  ///< with a gateway that is not there
};

/// Takes one line of the client to the gateway, and its answer back. A gateway that is not there
/// is asked again until `patience` has passed: every request may be repeated, since one that calls
/// a tool has an Idempotency-Key. A session that the gateway refuses is opened again, with what
/// the client sent. Blocks; many at once, each on a thread of its own.
class Exchange {
 public:
  /// `write` takes a line from any thread. All outlive this.
  Exchange(const Reached& reached, SessionBoard& board,
           const std::function<void(const std::string&)>& write)
      : reached_(reached), board_(board), write_(write) {}

  /// Returns once the answer went out, or `stop` is requested: then none does.
  void run(const std::string& text, const ClientLine& line, std::stop_token stop) const;

 private:
  struct Try;
  enum class Next { kDone, kAgain, kNewSession, kGiveUp };

  Next ask_once(Try& attempt) const;
  Next read_status(Try& attempt, AnswerReader& reader) const;
  Result<Agreed> handshake(const Agreed& before, const std::stop_token& stop) const;
  client::HttpClient::Headers headers_of(const Try& attempt, const Agreed& agreed) const;
  void give_up(const Try& attempt) const;

  const Reached& reached_;
  SessionBoard& board_;
  const std::function<void(const std::string&)>& write_;
};

}  // namespace toolway::cli::mcp_serve

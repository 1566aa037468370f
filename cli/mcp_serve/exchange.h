#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "cli/client/http_client.h"
#include "cli/mcp_serve/answer_reader.h"
#include "cli/mcp_serve/client_line.h"
#include "cli/mcp_serve/parameter_headers.h"
#include "cli/mcp_serve/reached.h"
#include "cli/mcp_serve/session_board.h"

namespace toolway::cli::mcp_serve {

/// Takes one line of the client to the gateway, and its answer back. A gateway that is not there
/// is asked again until `patience` has passed: every request may be repeated, since one that calls
/// a tool has an Idempotency-Key. A session that the gateway refuses is opened again, with what
/// the client sent. Calls of tools have the headers that the tools' schemas ask for. Blocks; many
/// at once, each on a thread of its own.
class Exchange {
 public:
  /// `write` takes a line from any thread. All outlive this.
  Exchange(const Reached& reached, SessionBoard& board, ParameterHeaders& parameters,
           const std::function<void(const std::string&)>& write)
      : reached_(reached), board_(board), parameters_(parameters), write_(write) {}

  /// Returns once the answer went out, or `stop` is requested: then none does.
  void run(const std::string& text, const ClientLine& line, std::stop_token stop) const;

 private:
  struct Try;
  enum class Next { kDone, kAgain, kNewSession, kNewHeaders, kGiveUp };

  Next ask_once(Try& attempt) const;
  Next read_status(Try& attempt, AnswerReader& reader) const;
  Result<Agreed> handshake(const Agreed& before, const std::stop_token& stop) const;
  void learn_tools(const Try& attempt) const;
  Sinks sinks_of(const ClientLine& line) const;
  client::HttpClient::Headers headers_of(const Try& attempt, const Agreed& agreed) const;
  void give_up(const Try& attempt) const;

  const Reached& reached_;
  SessionBoard& board_;
  ParameterHeaders& parameters_;
  const std::function<void(const std::string&)>& write_;
};

}  // namespace toolway::cli::mcp_serve

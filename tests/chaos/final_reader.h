#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "tests/chaos/agent.h"
#include "tests/chaos/final_state.h"
#include "tests/chaos/mcp_history.h"

namespace toolway::chaos {

/// Reads Postgres directly, as nothing in the product does. One thread.
class Database {
 public:
  /// Errors: kStoreUnavailable.
  static Result<std::unique_ptr<Database>> connect(const std::string& url);
  virtual ~Database() = default;
  /// How many recorded calls have no completion.
  virtual Result<std::uint64_t> incomplete() = 0;
  virtual Result<std::uint64_t> calls_recorded() = 0;
  /// Messages that were set aside.
  virtual Result<std::uint64_t> dead_events() = 0;
  virtual Result<std::vector<CallRow>> calls() = 0;
  /// Those without a completion whose tool asks.
  virtual Result<std::vector<CallRow>> asking() = 0;
  /// What was asked and answered, in the order of the calls' logs.
  virtual Result<std::vector<Question>> questions() = 0;
  virtual Result<Decided> decided() = 0;
  virtual Result<std::vector<TurnEnd>> turns() = 0;
  /// With their messages, and without what gateways show.
  virtual Result<std::vector<ConversationEnd>> conversations() = 0;
  /// How many records of the audit no seal covers yet.
  virtual Result<std::uint64_t> unsealed() = 0;
  /// In order; completions are events.
  virtual Result<std::vector<EventRow>> events(const Watched& session) = 0;
};

/// The answer's JSON, asked for again where it is refused for now; null when it stays refused,
/// which is counted in `history`.
OrderedJson get_patiently(cli::client::HttpClient& client, const std::string& target,
                          const char* what, History& history);

enum class Mailbox { kRead, kLeft };

/// What a gateway says of a session. Asks again where it is refused for now; what stays odd is
/// counted in `history`.
GatewayView view_of(const Place& place, const Watched& session, Mailbox mailbox, History& history);

/// The starts that the tools have written, in order; a last line cut by a kill is left out.
std::vector<Trace> read_traces(const std::string& file);

}  // namespace toolway::chaos

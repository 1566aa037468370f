#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gateway/mcp/mcp_context.h"
#include "gateway/mcp/subscriptions.h"
#include "mcp/revision.h"

namespace toolway::gateway::mcp {

/// What a client is told after a look.
struct Due {
  std::vector<std::string> messages{};
  bool over = false;  ///< it may not watch any longer
};

/// What changes for a client without its having asked just now: lists, and resources that it has
/// subscribed to. A look costs little while nothing has changed: gateways have thousands of
/// streams. On the io_context's thread.
class ChangeWatch {
 public:
  struct Of {
    const McpContext& context;  ///< must outlive it
    ReadTask read_task;
    wire::Caller caller;
    std::string session_id;
    std::string mcp_session{};  ///< its client's, which has the subscriptions; empty: it has none
    toolway::mcp::Revision revision;
  };
  struct Wanted {
    bool tools = false;
    bool prompts = false;
    bool resources = false;
    SubscriptionsPtr subscriptions{};  ///< of a client without a session; null: none
  };
  /// `meta`: of each message; null: there is none.
  ChangeWatch(Of of, Wanted wanted, Json meta);

  /// Takes the lists as those that its client knows. Errors: the bus's and the store's.
  loop::Task<Result<void>> begin();
  /// What has changed since the last look. Errors: it cannot be known now.
  loop::Task<Result<Due>> look();

 private:
  loop::Task<void> look_for_results(std::string session_key, Due& due);
  void look_at_offers(const SeenOffers& seen, Due& due);
  void tell(const char* method, Due& due, Json params = Json::object()) const;

  const Of of_;
  const Wanted wanted_;
  const Json meta_;
  bool begun_ = false;
  ToldResources told_;
  // What its client knows.
  std::string tools_;
  std::uint64_t offers_ = 0;  ///< the id of what `prompts_` and `resources_` are of
  std::uint64_t prompts_ = 0;
  std::uint64_t resources_ = 0;
};

}  // namespace toolway::gateway::mcp

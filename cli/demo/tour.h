#pragma once

#include <set>
#include <string>

#include "base/json.h"
#include "cli/client/http_client.h"
#include "cli/terminal/style.h"

namespace toolway::cli::demo {

/// What the steps of the demo share: which gateway they ask, what they print, which checks hold,
/// and which calls were made, to be found in the database at the end. One thread.
class Tour {
 public:
  static constexpr const char* kSession = "/v1/sessions/demo";

  Tour(client::HttpClient& client, const terminal::Style& style) : client_(client), style_(style) {}

  /// Numbers the steps.
  void heading(const std::string& title);
  void check(bool holds, const std::string& what);
  /// An answer that is not an object is printed, and becomes an empty one: the checks that follow
  /// fail.
  client::HttpAnswer ask(std::string_view method, const std::string& target,
                         const OrderedJson& body = {},
                         const client::HttpClient::Headers& headers = {});
  /// Calls `namespace.name` in the demo's session, waits for its end, prints a line, and remembers
  /// it.
  OrderedJson call(const std::string& tool, const OrderedJson& arguments);
  void remember(const OrderedJson& call);
  /// A call that had to fail.
  void remember_as_failed(const OrderedJson& call);
  /// Says how many checks hold; the exit status.
  int finish() const;

  const std::set<std::string>& calls() const { return calls_; }
  bool had_to_fail(const std::string& call_id) const { return failing_.contains(call_id); }
  client::HttpClient& client() { return client_; }
  const terminal::Style& style() const { return style_; }

 private:
  client::HttpClient& client_;
  const terminal::Style& style_;
  std::set<std::string> calls_;
  std::set<std::string> failing_;
  unsigned steps_ = 0;
  unsigned checks_ = 0;
  unsigned failed_ = 0;
};

}  // namespace toolway::cli::demo

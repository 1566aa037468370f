#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/client/verbs.h"
#include "cli/switches/operator_bucket.h"
#include "extensions/policy.h"

/// `toolway extensions`: an operator's verbs for the policy of a fleet, over NATS. Each prints, and
/// returns the exit status.
namespace toolway::cli::policies {

struct PolicyOptions {
  switches::FleetNats fleet;
  std::string file;  ///< an extensions.yaml
  std::string by;    ///< empty: the user of the operating system
  std::string tool;  ///< of show
  std::string as = "anonymous";
  std::string tenant = "default";
  std::vector<std::string> roles;
  std::uint64_t number = 0;    ///< of history: a version; 0: the list
  client::ClientOptions http;  ///< of the gateway that is asked for the tool
  terminal::View view;
};

/// Reads a file, and says every mistake with its line. Needs no server.
int check_policy(const PolicyOptions& options);
/// Puts a file in force, unless it has mistakes or is in force already.
int put_policy(const PolicyOptions& options);
/// What the policy (or the file) says about a caller's calls of a tool.
int show_policy(const PolicyOptions& options);
/// The versions that the bucket keeps, or the text of one.
int show_history(const PolicyOptions& options);

/// Null: none is in force. Errors: as PolicyBucket, and kInvalidSpec for one that this version
/// cannot read.
Result<extensions::PolicyPtr> policy_in_force(const switches::FleetNats& fleet);

/// Errors: kInvalidSpec with every mistake in a file.
Result<void> check_file(const std::string& file);
/// Puts the text of a file into a fleet's bucket. Returns the number of its version, which is in
/// force. Errors: kInvalidSpec with every mistake; kInvalidRequest (another command was quicker).
Result<std::uint64_t> put_policy_file(const switches::FleetNats& fleet, const std::string& file,
                                      const std::string& by);

}  // namespace toolway::cli::policies

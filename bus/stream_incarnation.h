#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace toolway::bus {

// A stream's incarnation is written into its description when it is provisioned. The server's own
// time of creation will not do: nats-server 2.9 replaces it by the time of its own start when a
// stream's configuration is changed after a restart, and shows that from the next restart on.

/// The description of a stream of that incarnation (milliseconds since the epoch).
std::string describe_incarnation(std::int64_t incarnation);

/// What a stream's description says, or, where it says nothing (another program wrote it, or it is
/// empty), `created`: the server's time of creation, which is right until then. Both in
/// milliseconds since the epoch.
std::int64_t incarnation_of(std::string_view description, std::int64_t created);

}  // namespace toolway::bus

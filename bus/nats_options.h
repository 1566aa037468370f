#pragma once

#include <nats/nats.h>

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "bus/jetstream_options.h"

namespace toolway::bus {

struct NatsOptionsDestroy {
  void operator()(natsOptions* options) const { natsOptions_Destroy(options); }
};
using NatsOptions = std::unique_ptr<natsOptions, NatsOptionsDestroy>;

/// How our connections behave, without who is called back; to the servers of `wanted` and `others`.
/// What is connected with them does not connect again by itself.
tl::expected<NatsOptions, natsStatus> nats_options(const JetStreamOptions& wanted,
                                                   const std::string& inboxes,
                                                   const std::vector<std::string>& others = {});

}  // namespace toolway::bus

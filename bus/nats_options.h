#pragma once

#include <nats/nats.h>

#include <memory>
#include <string>

#include "base/result.h"
#include "bus/jetstream_bus.h"

namespace toolway::bus {

struct NatsOptionsDestroy {
  void operator()(natsOptions* options) const { natsOptions_Destroy(options); }
};
using NatsOptions = std::unique_ptr<natsOptions, NatsOptionsDestroy>;

/// How our connections behave, without who is called back. Errors: kInternal, with nats.c's words.
Result<NatsOptions> nats_options(const JetStreamOptions& wanted, const std::string& inboxes);

}  // namespace toolway::bus

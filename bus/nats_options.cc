#include "bus/nats_options.h"

#include <algorithm>
#include <vector>

namespace toolway::bus {
namespace {

std::vector<std::string> split_urls(const std::string& urls) {
  std::vector<std::string> result;
  std::size_t from = 0;
  while (from <= urls.size()) {
    const auto comma = std::min(urls.find(',', from), urls.size());
    if (comma > from) result.push_back(urls.substr(from, comma - from));
    from = comma + 1;
  }
  return result;
}

}  // namespace

tl::expected<NatsOptions, natsStatus> nats_options(const JetStreamOptions& wanted,
                                                   const std::string& inboxes,
                                                   const std::vector<std::string>& others) {
  natsOptions* options = nullptr;
  natsStatus s = natsOptions_Create(&options);
  NatsOptions created(options);
  const auto set = [&s](auto function, auto... arguments) {
    if (s == NATS_OK) s = function(arguments...);
  };
  std::vector<std::string> urls = split_urls(wanted.url);
  urls.insert(urls.end(), others.begin(), others.end());
  std::vector<const char*> servers;
  for (const std::string& url : urls) servers.push_back(url.c_str());
  set(natsOptions_SetServers, options, servers.data(), static_cast<int>(servers.size()));
  set(natsOptions_SetName, options, wanted.name.c_str());
  set(natsOptions_SetCustomInboxPrefix, options, inboxes.c_str());
  // A NatsLink is connected once; its header says why.
  set(natsOptions_SetAllowReconnect, options, false);
  set(natsOptions_SetPingInterval, options, 5000);
  set(natsOptions_SetMaxPingsOut, options, 2);
  // Or a publication would wait for nats.c's flusher, which our loop replaces.
  set(natsOptions_SetSendAsap, options, true);
  if (s != NATS_OK) return tl::unexpected(s);
  return created;
}

}  // namespace toolway::bus

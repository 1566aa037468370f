#pragma once

#include <random>
#include <set>
#include <string>

#include "base/net/http_client.h"
#include "monitoring/otlp/answer.h"
#include "monitoring/otlp/cutoff.h"

namespace toolway::monitoring::otlp {

/// Sends a request until the receiver has accepted or refused it, or patience ends. Logs when the
/// receiver stops accepting requests, and when it accepts them again: not once per request. For one
/// thread.
class Sender {
 public:
  Sender(const OtlpOptions& options, const Cutoff& cutoff);

  /// What the receiver answered in the end; its verdict is kTaken, or the request is lost.
  OtlpAnswer send(const std::string& path, const std::string& body);
  /// Once. Whether the receiver accepted it.
  bool send_once(const std::string& path, const std::string& body);

 private:
  OtlpAnswer try_once(const std::string& path, const std::string& body, std::string& why);
  void say(Reception verdict, const std::string& path, const std::string& why);

  const std::string endpoint_;
  const OtlpRetries retries_;
  const Cutoff& cutoff_;
  net::HttpRequest request_;
  net::HttpClient http_;
  std::minstd_rand chance_;
  std::set<std::string, std::less<>> failing_;  ///< paths whose last request was not accepted
};

}  // namespace toolway::monitoring::otlp

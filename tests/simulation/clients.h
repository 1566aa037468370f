#pragma once

#include <functional>
#include <string>

#include "tests/simulation/gateway_life.h"

namespace toolway::simulation {

/// The session's names in subjects.
std::string session_key(std::uint64_t number);
inline constexpr std::uint64_t kSessions = 2;

/// Clients that ask for calls, cancel them, and repeat a request whose answer they do not know.
class Clients {
 public:
  /// `gateway`: a running one, or null.
  Clients(World& world, Weather& weather, Checker& checker, const Tables& tables,
          std::function<GatewayLife*()> gateway)
      : world_(world),
        weather_(weather),
        checker_(checker),
        tables_(tables),
        gateway_(std::move(gateway)) {}

  /// Asks for one call now, and does later what clients do about it. Nothing happens after `until`.
  void ask(std::uint64_t number, Micros until);

 private:
  v1::CallRequest draw(std::uint64_t number);
  v1::CallRequest with_id(v1::CallRequest request);
  void repeat_later(const v1::CallRequest& request, const std::string& key, Micros until);
  void cancel_later(const v1::CallRequest& request);
  void cancel(const std::string& call_id);
  /// Others decide about a held call, once or several times, in time or too late.
  void decide_later(const v1::CallRequest& request);
  void decide(const std::string& call_id, const v1::Vote& vote);
  /// Others answer what a tool asks, again and again until the call has ended, each in other words.
  void answer_later(const std::string& call_id);
  void answer(const std::string& call_id);
  void forge(const std::string& call_id);
  void send(const v1::CallRequest& request, const std::string& key);

  World& world_;
  Weather& weather_;
  Checker& checker_;
  const Tables& tables_;
  const std::function<GatewayLife*()> gateway_;
  std::uint64_t ids_ = 0;
  std::uint64_t answers_ = 0;
};

}  // namespace toolway::simulation

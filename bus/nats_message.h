#pragma once

#include <nats/nats.h>

#include <memory>
#include <string_view>

namespace toolway::bus {

/// A received message; owns it. Not copyable.
class NatsMessage {
 public:
  explicit NatsMessage(natsMsg* message) : message_(message) {}
  /// The server's word that no one receives what was sent, status "503". nats.c keeps to itself
  /// which request it is about: its subject is empty, as all of it.
  static NatsMessage no_responders() { return NatsMessage(nullptr); }
  std::string_view subject() const;
  std::string_view reply() const;
  std::string_view data() const;
  /// The last value of a header (the server adds its own after the
  /// publisher's); empty when there is none.
  std::string_view header(const char* name) const;
  /// The status of a message that only carries one ("404", "408" …); empty for a real message.
  std::string_view status() const;

 private:
  struct Destroy {
    void operator()(natsMsg* message) const;
  };
  std::unique_ptr<natsMsg, Destroy> message_;
};

}  // namespace toolway::bus

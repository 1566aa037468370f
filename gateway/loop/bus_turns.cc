#include "gateway/loop/bus_turns.h"

namespace toolway::gateway::loop {

void BusTurns::begin() {
  if (turns_ == nullptr) return;
  turns_->stop();
  auto& loop = turns_->loop();
  loop.ask_owner([this, &loop] { asio::post(io_, [&loop] { loop.end_turn(); }); });
  ready_ = std::make_unique<asio::posix::basic_stream_descriptor<Executor>>(io_, loop.fd());
  wait();
}

void BusTurns::wait() {
  ready_->async_wait(asio::posix::descriptor_base::wait_read,
                     [this](boost::system::error_code ended) {
                       if (ended) return;
                       turns_->loop().turn();
                       wait();
                     });
}

void BusTurns::end() {
  if (ready_) ready_->cancel();
}

BusTurns::~BusTurns() {
  if (!ready_) return;
  ready_->release();  // it is the loop's
  turns_->loop().ask_owner(nullptr);
  turns_->loop().disown();
  turns_->start();
}

}  // namespace toolway::gateway::loop

#include "bus/jetstream_provision.h"

#include <fmt/format.h>

#include <memory>

#include "base/try.h"
#include "bus/jetstream_batches.h"
#include "bus/nats_message.h"
#include "bus/stream_incarnation.h"

namespace toolway::bus {
namespace {

struct ContextDestroy {
  void operator()(jsCtx* context) const { jsCtx_Destroy(context); }
};
using Context = std::unique_ptr<jsCtx, ContextDestroy>;

struct StreamInfoDestroy {
  void operator()(jsStreamInfo* info) const { jsStreamInfo_Destroy(info); }
};
using StreamInfo = std::unique_ptr<jsStreamInfo, StreamInfoDestroy>;

std::int64_t incarnation_of(const jsStreamInfo& info) {
  const char* described = info.Config == nullptr ? nullptr : info.Config->Description;
  return bus::incarnation_of(described == nullptr ? "" : described, info.Created / 1'000'000);
}

tl::unexpected<Error> refused(const std::string& what, natsStatus status, jsErrCode code) {
  // nats.c keeps the server's words for the calling thread.
  natsStatus last = status;
  const char* words = nats_GetLastError(&last);
  const auto kind = status == NATS_TIMEOUT || status == NATS_NO_RESPONDERS ||
                            status == NATS_CONNECTION_CLOSED ||
                            status == NATS_CONNECTION_DISCONNECTED
                        ? ErrorCode::kBusUnavailable
                        : ErrorCode::kInternal;
  const char* advice =
      code != JSStorageResourcesExceededErr
          ? ""
          : "; nats-server reserves the limits of all streams: raise its max_file_store (without one it takes three quarters "
            "of the free disk), or pass a smaller --window-gib (docs/operations.md, \"What grows\")";
  return fail(kind, fmt::format("{}: {} ({}){}", what, words == nullptr ? "" : words,
                                static_cast<int>(code), advice));
}

tl::unexpected<Error> no_cluster(const StreamConfig& wanted) {
  return fail(
      ErrorCode::kInvalidRequest,
      fmt::format("stream {}: {} replicas need a cluster of nats-servers, and this one runs "
                  "alone: `toolway migrate --replicas 1`",
                  wanted.name, wanted.replicas));
}

Result<void> add_durable(jsCtx* context, const std::string& stream, const DurableConfig& wanted) {
  jsConsumerConfig config;
  jsConsumerConfig_Init(&config);
  config.Durable = wanted.name.c_str();
  config.DeliverPolicy = js_DeliverAll;
  config.AckPolicy = js_AckExplicit;
  config.AckWait = std::chrono::nanoseconds(wanted.ack_wait).count();
  config.MaxAckPending = static_cast<std::int64_t>(wanted.max_ack_pending);
  // Null, and not ">": a filter on a consumer of the whole stream is slow.
  config.FilterSubject = wanted.filter.empty() ? nullptr : wanted.filter.c_str();
  jsErrCode code{};
  const natsStatus s = js_AddConsumer(nullptr, context, stream.c_str(), &config, nullptr, &code);
  if (s == NATS_OK) return {};
  return refused(fmt::format("durable {} of stream {}", wanted.name, stream), s, code);
}

Result<void> add_stream(jsCtx* context, const StreamConfig& wanted) {
  jsStreamConfig config;
  jsStreamConfig_Init(&config);
  const char* subjects[] = {wanted.subjects.c_str()};
  config.Name = wanted.name.c_str();
  config.Subjects = subjects;
  config.SubjectsLen = 1;
  config.Retention = js_LimitsPolicy;
  config.Storage = js_FileStorage;
  config.Replicas = wanted.replicas;
  config.MaxAge = std::chrono::nanoseconds(wanted.max_age).count();
  config.MaxBytes = wanted.max_bytes;
  // The server refuses a window that is longer than what it keeps.
  const bool forgets_first = wanted.max_age.count() > 0 && wanted.max_age < kDuplicateWindow;
  config.Duplicates =
      std::chrono::nanoseconds(forgets_first ? wanted.max_age : kDuplicateWindow).count();
  config.AllowDirect = true;
  config.DenyDelete = true;
  if (wanted.bucket) {
    config.MaxMsgsPerSubject = 1;
    config.AllowRollup = true;
    config.Discard = wanted.drops_oldest ? js_DiscardOld : js_DiscardNew;
  } else {
    config.DenyPurge = true;
    config.Discard = js_DiscardOld;
  }
  jsRePublish republish;
  jsRePublish_Init(&republish);
  if (!wanted.republish_from.empty()) {
    republish.Source = wanted.republish_from.c_str();
    republish.Destination = wanted.republish_to.c_str();
    config.RePublish = &republish;
  }
  jsErrCode code{};
  jsStreamInfo* found = nullptr;
  natsStatus s = js_GetStreamInfo(&found, context, wanted.name.c_str(), nullptr, &code);
  if (s != NATS_OK && code == JSStreamNotFoundErr)
    s = js_AddStream(&found, context, &config, nullptr, &code);
  const StreamInfo info(found);
  if (s != NATS_OK)
    return code == JSStreamReplicasNotSupportedErr ? no_cluster(wanted)
                                                   : refused("stream " + wanted.name, s, code);
  // A server that runs alone takes this for a stream that it has, and then cannot read that stream
  // when it starts again.
  const auto* cluster = info->Cluster;
  const bool alone = cluster == nullptr || cluster->Name == nullptr || *cluster->Name == '\0';
  if (wanted.replicas > 1 && alone) return no_cluster(wanted);
  const std::string description = describe_incarnation(incarnation_of(*info));
  config.Description = description.c_str();
  // Not added again, which changes nothing either: nats-server would ask for the room of a second
  // one first.
  s = js_UpdateStream(nullptr, context, &config, nullptr, &code);
  if (s == NATS_OK) return {};
  return refused("stream " + wanted.name, s, code);
}

constexpr std::int64_t kAnswerMs = 5000;

Result<NatsMessage> ask(natsConnection* connection, const std::string& subject,
                        const std::string& text) {
  natsMsg* answer = nullptr;
  const natsStatus s = natsConnection_Request(&answer, connection, subject.c_str(), text.data(),
                                              static_cast<int>(text.size()), kAnswerMs);
  if (s != NATS_OK) return fail(ErrorCode::kBusUnavailable, natsStatus_GetText(s));
  return NatsMessage(answer);
}

/// By hand: nats.c does not know the setting.
Result<void> allow_batches(natsConnection* connection, const std::string& stream) {
  ASSIGN_OR_RETURN(const auto info, ask(connection, "$JS.API.STREAM.INFO." + stream, ""));
  ASSIGN_OR_RETURN(const auto request, api::allow_batches_request(info.data()));
  if (!request) return {};
  ASSIGN_OR_RETURN(const auto updated,
                   ask(connection, "$JS.API.STREAM.UPDATE." + stream, *request));
  return api::parse_update(updated.data());
}

}  // namespace

Result<void> provision_stream(natsConnection* connection, const StreamConfig& config,
                              Batches batches) {
  jsCtx* created = nullptr;
  const natsStatus s = natsConnection_JetStream(&created, connection, nullptr);
  if (s != NATS_OK) return fail(ErrorCode::kInternal, natsStatus_GetText(s));
  const Context context(created);
  RETURN_IF_ERROR(add_stream(created, config));
  if (batches == Batches::kWhereSyncedOnce) RETURN_IF_ERROR(allow_batches(connection, config.name));
  for (const DurableConfig& durable : config.durables) {
    RETURN_IF_ERROR(add_durable(created, config.name, durable));
  }
  return {};
}

}  // namespace toolway::bus

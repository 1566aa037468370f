// Switches in their bucket on NATS.
#include <fmt/format.h>

#include <cstdio>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/nearest_names.h"
#include "base/try.h"
#include "cli/stack/stack.h"
#include "cli/switches/offered_tools.h"
#include "cli/switches/operator_bucket.h"
#include "cli/switches/switch_desk.h"
#include "cli/switches/verbs.h"
#include "extensions/principal.h"
#include "proto/audit.h"
#include "proto/subjects.h"

namespace toolway::cli::switches {
namespace {

/// Named, or of the `toolway dev` whose NATS it is, or where client verbs look by default.
client::ClientOptions gateway_of(const SwitchOptions& options) {
  auto http = options.http;
  const auto file =
      stack::http_url_file(options.data.empty() ? stack::StackOptions().data : options.data);
  if (http.url.empty() && (options.nats.empty() || !options.data.empty())) {
    http.url = stack::first_line_of(file);
  }
  if (http.url.empty()) http.url = client::ClientOptions().url;
  return http;
}

Result<void> put(OperatorBucket& bucket, const bus::Entry& before, const std::string& value) {
  auto done = bucket.put(before, value);
  if (!done && done.error().code == ErrorCode::kWrongLastSequence) {
    return fail(ErrorCode::kInvalidRequest,
                "another command switched it at the same time: look at "
                "`toolway tools disabled`, then try again");
  }
  return done;
}

class NatsSwitches final : public SwitchDesk {
 public:
  NatsSwitches(std::unique_ptr<OperatorBucket> bucket, client::ClientOptions gateway)
      : bucket_(std::move(bucket)), gateway_(std::move(gateway)) {}

  Result<proto::Switches> all() override {
    ASSIGN_OR_RETURN(const auto entries, bucket_->list());
    proto::Switches switches;
    for (const auto& entry : entries) switches.take(entry.key, entry.value);
    return switches;
  }

  Result<proto::Switch> switch_off(const std::string& name, const proto::Switch& off,
                                   bool future) override {
    if (!future) RETURN_IF_ERROR(check_offered(name));
    ASSIGN_OR_RETURN(const auto before, bucket_->get(name));
    RETURN_IF_ERROR(put(*bucket_, before, proto::encode(off)));
    tell_audit("switched_off", name, off.by, {{"reason", off.reason}});
    return off;
  }

  Result<SwitchedOn> switch_on(const std::string& name) override {
    ASSIGN_OR_RETURN(const auto entries, bucket_->list());
    proto::Switches switches;
    bus::Entry own{name, "", 0};
    for (const auto& entry : entries) {
      switches.take(entry.key, entry.value);
      if (entry.key == name) own = entry;
    }
    if (!switches.all().contains(name)) {
      std::vector<std::string> names;
      for (const auto& [key, off] : switches.all()) names.push_back(key);
      const auto near = nearest_names(name, names);
      return fail(ErrorCode::kUnknownTool,
                  fmt::format("{} '{}' is not disabled{}", what(name), name,
                              near.empty() ? "" : "; did you mean " + quoted_choices(near) + "?"));
    }
    RETURN_IF_ERROR(put(*bucket_, own, ""));
    tell_audit("switched_on", name, os_user(), nullptr);
    const auto ns = name.substr(0, name.find('.'));
    return SwitchedOn{.namespace_disabled = ns != name && switches.all().contains(ns)};
  }

 private:
  void tell_audit(std::string_view what, const std::string& name, const std::string& by,
                  const OrderedJson& details) {
    auto record = proto::audit_record(what, SystemClock().wall());
    record.set_object(name);
    record.set_user_id(by);
    record.set_method(std::string(extensions::kByOperator));
    if (!details.is_null()) record.set_details(to_text(details));
    bucket_->tell_audit(record);
  }

  static const char* what(const std::string& key) {
    return key.find('.') == std::string::npos ? "namespace" : "tool";
  }

  Result<void> check_offered(const std::string& name) const {
    const auto offered = ask_whether_offered(gateway_, name);
    if (offered.answer == Offered::Answer::kNo) {
      return fail(
          ErrorCode::kUnknownTool,
          fmt::format(
              "{} Nothing was switched off. --future switches off what is not there yet, --url asks "
              "the gateway of another fleet ({} was asked)",
              offered.text.ends_with('?') ? offered.text : offered.text + ".", gateway_.url));
    }
    if (offered.answer == Offered::Answer::kNotKnown) {
      fmt::print(stderr, "toolway: warning: cannot tell whether there is a {} {}: {}\n", what(name),
                 name, offered.text);
    }
    return {};
  }

  const std::unique_ptr<OperatorBucket> bucket_;
  const client::ClientOptions gateway_;
};

}  // namespace

Result<std::unique_ptr<SwitchDesk>> switches_on_nats(const SwitchOptions& options) {
  ASSIGN_OR_RETURN(auto bucket, OperatorBucket::open({.nats = options.nats, .data = options.data},
                                                     proto::kSwitchesBucket));
  return std::make_unique<NatsSwitches>(std::move(bucket), gateway_of(options));
}

}  // namespace toolway::cli::switches

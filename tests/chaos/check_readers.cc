#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tests/chaos/checker.h"

namespace toolway::chaos {
namespace {

void check_stretch(const SessionEnd& end, const std::vector<EventSeen>& record,
                   const Stretch& stretch, Verdicts& verdicts) {
  const bool resumed = stretch.after != "0";
  const auto property = resumed ? Property::kExactResume : Property::kEventOrder;
  const auto wrong = [&](Property which, const std::string& what, const std::string& call) {
    verdicts.violated(which, {fmt::format("{} after {}: {}", stretch.gateway, stretch.after, what),
                              end.session, call});
  };
  EventId before = parse_event_id(stretch.after).value_or(EventId{});
  auto expected =
      std::upper_bound(record.begin(), record.end(), before,
                       [](const EventId& id, const EventSeen& event) { return id < event.id; });
  verdicts.checked(property);
  for (const auto& event : stretch.events) {
    verdicts.checked(Property::kEventOrder);
    if (event.id <= before)
      return wrong(Property::kEventOrder,
                   fmt::format("{} comes after {}", event.id.text(), before.text()), event.call_id);
    if (expected == record.end())
      return wrong(property,
                   fmt::format("{} ({}) is not in the record", event.id.text(), event.type),
                   event.call_id);
    if (event.id > expected->id)
      return wrong(property, fmt::format("{} ({}) is missing", expected->id.text(), expected->type),
                   expected->call_id);
    if (event.id < expected->id)
      return wrong(property,
                   fmt::format("{} ({}) is not in the record", event.id.text(), event.type),
                   event.call_id);
    if (event.digest != expected->digest)
      return wrong(Property::kAgreement,
                   fmt::format("{} had other bytes than the record", event.id.text()),
                   event.call_id);
    verdicts.expect(Property::kPrivacy, event.owners.empty() || event.owners == stretch.user,
                    {fmt::format("{} was shown a token of {}", stretch.user, event.owners),
                     end.session, event.call_id});
    before = event.id;
    ++expected;
  }
}

}  // namespace

void check_stretches(const SessionEnd& end, const std::vector<const Stretch*>& stretches,
                     Verdicts& verdicts) {
  if (end.views.empty()) return;
  for (const auto* stretch : stretches)
    check_stretch(end, end.views.front().page, *stretch, verdicts);
}

void check_mailbox(const SessionEnd& end, const std::vector<const MailPage*>& pages,
                   Verdicts& verdicts) {
  if (end.views.empty() || !end.views.front().mailbox_read) return;
  const auto& mailbox = end.views.front().mailbox;
  const auto wrong = [&](const std::string& what, const std::string& call = {}) {
    verdicts.violated(Property::kMailbox, {what, end.session, call});
  };
  for (const auto& view : end.views) {
    verdicts.checked(Property::kMailbox);
    if (view.mailbox != mailbox)
      wrong(view.gateway + " has another mailbox than " + end.views.front().gateway);
  }
  std::set<std::string> in_mailbox(mailbox.begin(), mailbox.end());
  if (in_mailbox.size() != mailbox.size()) wrong("a completion is in the mailbox twice");
  for (const auto& call : end.calls) {
    verdicts.checked(Property::kMailbox);
    if (!call.outcome.empty() && !in_mailbox.contains(call.call_id))
      wrong("a completion is not in the mailbox", call.call_id);
  }
  // What was read after acknowledged cursors, one after the other, is the beginning of the mailbox.
  std::vector<std::string> read;
  for (const auto* page : pages) {
    verdicts.expect(
        Property::kPrivacy, page->owners.empty() || page->owners == page->user,
        {fmt::format("{} was shown mail of {}", page->user, page->owners), end.session, {}});
    verdicts.checked(Property::kMailbox);
    const auto from =
        mailbox.begin() + static_cast<std::ptrdiff_t>(std::min(read.size(), mailbox.size()));
    const auto enough = static_cast<std::size_t>(mailbox.end() - from) >= page->calls.size();
    if (!enough || !std::equal(page->calls.begin(), page->calls.end(), from))
      return wrong(
          fmt::format(
              "the page after {} has other completions than the mailbox has after that cursor",
              page->after),
          page->calls.empty() ? std::string() : page->calls.front());
    if (page->acked) read.insert(read.end(), page->calls.begin(), page->calls.end());
  }
}

void check_session(const SessionEnd& end, const std::vector<const Stretch*>& stretches,
                   const std::vector<const MailPage*>& pages, Verdicts& verdicts) {
  check_agreement(end, verdicts);
  check_chains(end, verdicts);
  check_stretches(end, stretches, verdicts);
  check_mailbox(end, pages, verdicts);
}

}  // namespace toolway::chaos

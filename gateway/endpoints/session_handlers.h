#pragma once

#include "gateway/endpoints/restore.h"

namespace toolway::gateway::endpoints {

/// What opening and showing sessions needs.
struct SessionsContext {
  sessions::Sessions& sessions;
  catalogue::ToolsView& tools;
  const tools::model::LiveRegistry& registry;
  const mailbox::RecordWatch& recorded;
  const answers::PageSources& pages;
  const answers::AnswerRoom& answers;
};

/// `closed`: for a session of that name that is closed.
loop::Task<wire::HttpResult<wire::Response>> open_session(const SessionsContext& context,
                                                          const RestoreContext& closed,
                                                          const wire::RoutedRequest& routed);
/// The caller's session of this name; opened with all that the caller may use, if there is none.
/// For names that no client gives: with one that is mistyped it would get every namespace.
loop::Task<wire::HttpResult<sessions::SessionPtr>> session_or_new(const SessionsContext& context,
                                                                  const wire::RoutedRequest& routed,
                                                                  std::string session_id);
/// An open session gains namespaces; one that has them already is shown as it is. Errors: as
/// Sessions::change; session_closed; invalid_request.
loop::Task<wire::HttpResult<wire::Response>> add_namespaces(const SessionsContext& context,
                                                            const wire::RoutedRequest& routed);
loop::Task<wire::HttpResult<wire::Response>> show_session(const SessionsContext& context,
                                                          const wire::RoutedRequest& routed);
loop::Task<wire::HttpResult<wire::Response>> list_sessions(const SessionsContext& context,
                                                           const wire::RoutedRequest& routed);

}  // namespace toolway::gateway::endpoints

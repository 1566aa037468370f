#pragma once

#include <string>

#include "persistence/store/store_reader.h"

/// Whose completions a mailbox shows. Pure.
namespace toolway::persistence::store {

/// The rows of a page (page_query.h) of session $1, after the cursor ($2, $3), at most $4.
std::string mailbox_rows(Parents parents);

/// What a reader gets of a page of them: whether a turn made the call of a completion that is early
/// is not known yet, so the page ends there.
void end_before_early(Page<MailboxEntry>& page, Parents parents);

}  // namespace toolway::persistence::store

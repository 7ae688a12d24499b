/* What a user sets (S7), and whether the account is disabled (R2). */
#include "account.h"

#include "audience.h"
#include "channels.h"
#include "connections.h"
#include "conversations.h"
#include "frames.h"
#include "messages.h"
#include "periods.h"
#include "requests.h"
#include "rows.h"

#include <string.h>

/* Both are cut out of the audience from here on, until they are over. */
static void change_member(const conversation *conv, member *of,
                          const stored_user *now) {
  period *latest = periods_latest(of);
  for (size_t i = 0; i < of->period_count && of->off == now->receipts; i++) {
    period *in = &of->periods[i];
    if (now->receipts)
      periods_include(in, conv->last_seq, 'p');
    else
      periods_exclude(in, in->receipt + 1, 'p');
  }
  if (of->disabled != now->disabled && now->disabled)
    periods_exclude(latest, most(conv->last_seq + 1, latest->join_seq), 'd');
  if (of->disabled != now->disabled && !now->disabled)
    periods_include(latest, conv->last_seq, 'd');
  of->off = !now->receipts;
  of->disabled = now->disabled;
}

/* Rosters change, so those who are offline get them with the next row. */
static void change_conversation(server *self, conversation *conv, member *of,
                                const stored_user *now) {
  audience_take(conv, of);
  change_member(conv, of, now);
  audience_put(conv, of);
  conversations_save_member(self, conv, of);
  channels_changed(self, conv);
  if (conv->kind == SEEN_KIND_LARGE) return;
  conv->version = core_next_version(self);
  conversations_save(self, conv);
  messages_mark_all(conv, true);
}

/* Written last: a conversation that is loaded here is as it was before. */
void account_change(server *self, const stored_user *now) {
  rows list;
  rows_of(self, now->user, 0, SIZE_MAX, &list);
  for (size_t i = 0; i < list.count; i++) {
    conversation *conv = conversations_find(self, list.rows[i].conv);
    member *of = conv ? conversations_member(conv, now->user) : NULL;
    if (of) change_conversation(self, conv, of, now);
  }
  rows_free(&list);
  if (core_write(self))
    core_check(self, self->storage.put_user(self->storage.self, now));
}

stored_user account_of(server *self, const char *user) {
  stored_user found = {user, true, false, 0};
  int status = self->storage.get_user(self->storage.self, user, &found);
  core_check(self, status);
  found.user = user;
  return found;
}

void take_settings(server *self, connection *from, const json *frame,
                   uint64_t id) {
  bool receipts;
  if (!json_is_bool(json_member(frame, "receipts"), &receipts)) {
    refuse_invalid(from, id, "receipts: true or false");
    return;
  }
  stored_user now = account_of(self, from->person->user);
  if (now.receipts != receipts) {
    now.receipts = receipts;
    now.receipts_version = core_next_version(self);
    account_change(self, &now);
  }
  text told = frames_begin_answer("ack", id);
  text_member_quoted(&told, "of", "settings");
  text_member_bool(&told, "receipts", receipts);
  text_member_number(&told, "version", now.receipts_version);
  text_add(&told, ",\"items\":[],\"more\":false}");
  connection_answer(from, &told);
}

/* What the person does and what becomes of the app: into the inbox. */
#include <string.h>

#include "base/utf8.h"
#include "client/client.h"

enum { ID_MAX = 255 };

int sn_client_check_id(const char *id) {
  size_t size = id ? strlen(id) : 0;
  return size && size <= ID_MAX && sn_utf8_valid(id, size) ? SEEN_OK
                                                           : SEEN_EINVAL;
}

int sn_client_put(seen_client *client, const sn_said *said, const char *text) {
  int status = sn_inbox_put(&client->inbox, said, text);
  if (!status) sn_platform_signal_raise(&client->signal);
  return status;
}

static sn_said input_of(seen_input_type type) {
  return (sn_said){.type = SN_ACT_INPUT,
                   .u.input = {.size = sizeof(seen_input), .type = type}};
}

/* Of one conversation. */
static int act_on(seen_client *client, const char *conv, const sn_said *said) {
  int status = sn_client_check_id(conv);
  return status ? status : sn_client_put(client, said, conv);
}

static int act_plainly(seen_client *client, const char *conv,
                       seen_input_type type) {
  const sn_said said = input_of(type);
  return act_on(client, conv, &said);
}

static int act_up_to(seen_client *client, const char *conv,
                     seen_input_type type, uint64_t seq) {
  sn_said said = input_of(type);
  said.u.input.u.seq = (seen_optional_seq){seq != 0, seq};
  if (seq > SEEN_SEQ_MAX) return SEEN_ERANGE;
  return act_on(client, conv, &said);
}

static int switch_conv(seen_client *client, const char *conv,
                       seen_input_type type, bool on) {
  sn_said said = input_of(type);
  said.u.input.u.on = on;
  return act_on(client, conv, &said);
}

static int switch_all(seen_client *client, seen_input_type type, bool on) {
  sn_said said = input_of(type);
  said.u.input.u.on = on;
  return sn_client_put(client, &said, NULL);
}

int seen_client_opened(seen_client *client, const char *conv) {
  return act_plainly(client, conv, SEEN_INPUT_OPEN);
}

int seen_client_visible(seen_client *client, const char *conv, uint64_t first,
                        uint64_t last) {
  sn_said said = input_of(SEEN_INPUT_VISIBLE);
  said.u.input.u.range = (seen_run){first, last};
  if (last > SEEN_SEQ_MAX || first > last || (first == 0 && last > 0))
    return SEEN_ERANGE;
  return act_on(client, conv, &said);
}

int seen_client_visible_rows(seen_client *client, const char *conv,
                             const seen_list_row *rows, size_t count,
                             double height) {
  seen_run range;
  (void)seen_viewport_range(rows, rows ? count : 0, height, &range);
  return seen_client_visible(client, conv, range.lo, range.hi);
}

int seen_client_closed(seen_client *client, const char *conv) {
  return act_plainly(client, conv, SEEN_INPUT_CLOSE);
}

int seen_client_mark_read(seen_client *client, const char *conv, uint64_t seq) {
  return act_up_to(client, conv, SEEN_INPUT_MARK_READ, seq);
}

/* The engine is told what is to be shown: just below the first that counts. */
int seen_client_mark_unread(seen_client *client, const char *conv,
                            uint64_t seq) {
  sn_said said = input_of(SEEN_INPUT_MARK_UNREAD);
  if (seq > SEEN_SEQ_MAX) return SEEN_ERANGE;
  if (seq) said.u.input.u.seq = (seen_optional_seq){true, seq - 1};
  return act_on(client, conv, &said);
}

int seen_client_mark_all_read(seen_client *client) {
  return switch_all(client, SEEN_INPUT_READ_ALL, false);
}

int seen_client_clear_mentions(seen_client *client, const char *conv) {
  return act_plainly(client, conv, SEEN_INPUT_CLEAR_MENTIONS);
}

int seen_client_mute(seen_client *client, const char *conv, bool on) {
  return switch_conv(client, conv, SEEN_INPUT_MUTE, on);
}

int seen_client_pin(seen_client *client, const char *conv, bool on) {
  return switch_conv(client, conv, SEEN_INPUT_PIN, on);
}

int seen_client_forget(seen_client *client, const char *conv) {
  return act_plainly(client, conv, SEEN_INPUT_FORGET);
}

int seen_client_foreground(seen_client *client, bool on) {
  return switch_all(client, SEEN_INPUT_APP, on);
}

int seen_client_focus(seen_client *client, bool on) {
  return switch_all(client, SEEN_INPUT_FOCUS, on);
}

int seen_client_audit(seen_client *client) {
  return switch_all(client, SEEN_INPUT_AUDIT, false);
}

int seen_client_network_changed(seen_client *client) {
  const sn_said said = {.type = SN_ACT_NETWORK};
  return sn_client_put(client, &said, NULL);
}

int seen_client_token(seen_client *client, const char *token) {
  const sn_said said = {.type = SN_ACT_TOKEN, .u.has_token = token != NULL};
  if (token && !sn_token_valid(token)) return SEEN_EINVAL;
  return sn_client_put(client, &said, token);
}

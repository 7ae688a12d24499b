/*
 * Requests to the server: checked and encoded on the caller's thread, numbered,
 * and promised a reply before they go into the inbox.
 */
#include <seen/chat.h>

#include "base/fail.h"
#include "client/client.h"

enum { REQUESTS_MAX = 1000 };

/* A number, and a place for its reply. */
static int promise(seen_client *client, seen_act act, uint64_t *number,
                   seen_error *error) {
  int status = SEEN_OK;
  sn_client_lock(client);
  if (client->events.awaited_count >= REQUESTS_MAX)
    status = sn_fail(error, SEEN_EFULL, "%u requests wait already",
                     (uint64_t)REQUESTS_MAX);
  else if (sn_events_await(&client->events, client->request + 1, act))
    status = sn_fail_memory(error);
  else
    *number = ++client->request;
  sn_client_unlock(client);
  return status;
}

static void break_promise(seen_client *client, uint64_t number) {
  sn_client_lock(client);
  sn_events_expect_none(&client->events, number);
  sn_client_unlock(client);
}

static int put(seen_client *client, sn_request *request, seen_error *error) {
  const sn_said said = {.type = SN_ACT_REQUEST, .u.request = request};
  int status = sn_client_put(client, &said, NULL);
  if (!status) return SEEN_OK;
  sn_request_free(request);
  return sn_fail(error, status, "%s", seen_error_text(status));
}

static int ask(seen_client *client, const sn_ask *what, uint64_t *number,
               seen_error *error) {
  sn_request *request;
  uint64_t promised = 0;
  int status;
  if (!client->config.has_server)
    return sn_fail(error, SEEN_EUNSUPPORTED, "there is no server");
  if (sn_inbox_is_closed(&client->inbox))
    return sn_fail(error, SEEN_ECLOSED, "the client is closed");
  status = promise(client, what->act, &promised, error);
  if (status) return status;
  status = sn_request_new(what, promised, client->memory, &request, error);
  if (!status) status = put(client, request, error);
  if (status)
    break_promise(client, promised);
  else
    *number = promised;
  return status;
}

int seen_client_send(seen_client *client, const char *conv,
                     const seen_post *post, uint64_t *request,
                     seen_error *error) {
  const sn_ask what = {.act = SEEN_ACT_SEND, .conv = conv, .post = post};
  return ask(client, &what, request, error);
}

int seen_client_recall(seen_client *client, const char *conv, uint64_t seq,
                       uint64_t *request, seen_error *error) {
  const seen_post post = {
      .size = sizeof post, .kind = SEEN_MESSAGE_RECALL, .target = seq};
  return seen_client_send(client, conv, &post, request, error);
}

int seen_client_edit(seen_client *client, const char *conv, uint64_t seq,
                     const char *body, uint64_t *request, seen_error *error) {
  const seen_post post = {.size = sizeof post,
                          .kind = SEEN_MESSAGE_EDIT,
                          .target = seq,
                          .body = body};
  return seen_client_send(client, conv, &post, request, error);
}

int seen_client_history(seen_client *client, const char *conv, uint64_t before,
                        uint32_t limit, uint64_t *request, seen_error *error) {
  const sn_ask what = {
      .act = SEEN_ACT_HISTORY, .conv = conv, .before = before, .limit = limit};
  return ask(client, &what, request, error);
}

int seen_client_ask_readers(seen_client *client, const char *conv, uint64_t seq,
                            seen_ask which, const char *cursor, uint32_t limit,
                            uint64_t *request, seen_error *error) {
  const sn_ask what = {.act = SEEN_ACT_READERS,
                       .conv = conv,
                       .seq = seq,
                       .which = which,
                       .cursor = cursor,
                       .limit = limit};
  return ask(client, &what, request, error);
}

int seen_client_create(seen_client *client, const char *conv,
                       const seen_creation *creation, uint64_t *request,
                       seen_error *error) {
  const sn_ask what = {
      .act = SEEN_ACT_CREATE, .conv = conv, .create = creation};
  return ask(client, &what, request, error);
}

int seen_client_add(seen_client *client, const char *conv,
                    const char *const *users, size_t user_count, seen_role role,
                    uint64_t *request, seen_error *error) {
  const sn_ask what = {.act = SEEN_ACT_ADD,
                       .conv = conv,
                       .users = users,
                       .user_count = user_count,
                       .role = role};
  return ask(client, &what, request, error);
}

int seen_client_remove(seen_client *client, const char *conv,
                       const char *const *users, size_t user_count,
                       uint64_t *request, seen_error *error) {
  const sn_ask what = {.act = SEEN_ACT_REMOVE,
                       .conv = conv,
                       .users = users,
                       .user_count = user_count};
  return ask(client, &what, request, error);
}

int seen_client_join(seen_client *client, const char *conv, uint64_t *request,
                     seen_error *error) {
  const sn_ask what = {.act = SEEN_ACT_JOIN, .conv = conv};
  return ask(client, &what, request, error);
}

int seen_client_leave(seen_client *client, const char *conv, uint64_t *request,
                      seen_error *error) {
  const sn_ask what = {.act = SEEN_ACT_LEAVE, .conv = conv};
  return ask(client, &what, request, error);
}

int seen_client_receipts(seen_client *client, bool on, uint64_t *request,
                         seen_error *error) {
  const sn_ask what = {.act = SEEN_ACT_SETTINGS, .on = on};
  return ask(client, &what, request, error);
}

void seen_client_cancel(seen_client *client, uint64_t request) {
  const sn_said said = {.type = SN_ACT_CANCEL, .u.number = request};
  (void)sn_client_put(client, &said, NULL);
}

#define _POSIX_C_SOURCE 200809L

#include "client_net/recount.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { ANSWER_MAX = 1 << 20, NEWEST = 6 };

static int reach(uint16_t port) {
  struct sockaddr_in address;
  struct timeval most = {30, 0};
  int end = socket(AF_INET, SOCK_STREAM, 0);
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  if (end < 0) return -1;
  setsockopt(end, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
  if (connect(end, (struct sockaddr *)&address, sizeof address) == 0)
    return end;
  close(end);
  return -1;
}

/* All that comes until the server closes. */
static size_t receive(int end, char *into, size_t size) {
  size_t length = 0;
  ssize_t got;
  while (length + 1 < size &&
         (got = recv(end, into + length, size - length - 1, 0)) > 0)
    length += (size_t)got;
  into[length] = '\0';
  return length;
}

sn_json *recount_get(uint16_t port, const char *token, const char *path) {
  char question[TEST_TOKEN_MAX + 400];
  char *answer = malloc(ANSWER_MAX);
  const char *body = NULL;
  sn_json *json = NULL;
  int end = reach(port);
  int length =
      snprintf(question, sizeof question,
               "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
               "Authorization: Bearer %s\r\n\r\n",
               path, token);
  if (answer && end >= 0 &&
      send(end, question, (size_t)length, MSG_NOSIGNAL) == length) {
    (void)receive(end, answer, ANSWER_MAX);
    if (strncmp(answer, "HTTP/1.1 200", 12) == 0)
      body = strstr(answer, "\r\n\r\n");
  }
  if (body) (void)sn_json_parse(body + 4, strlen(body + 4), &json, NULL);
  if (end >= 0) close(end);
  free(answer);
  return json;
}

bool recount_ask(const test_server *server, const char *token, recount *out) {
  *out = (recount){.port = server->port, .token = token};
  out->rows = recount_get(server->port, token, "/im/conversations");
  out->totals = recount_get(server->port, token, "/im/unread");
  if (out->rows && out->totals) return true;
  recount_free(out);
  return false;
}

void recount_free(recount *of) {
  sn_json_free(of->rows);
  sn_json_free(of->totals);
  of->rows = of->totals = NULL;
}

static uint64_t number(const sn_json *object, const char *name) {
  uint64_t value = UINT64_MAX; /* of no field here */
  (void)sn_json_number(sn_json_member(object, name), &value);
  return value;
}

static bool flag(const sn_json *object, const char *name) {
  bool value = false;
  (void)sn_json_bool(sn_json_member(object, name), &value);
  return value;
}

static void same(const char *where, const char *what, uint64_t shown,
                 uint64_t counted, test_dump *why) {
  if (shown == counted) return;
  test_dump_say(why, "# %s: %s is %llu, the server has %llu\n", where, what,
                (unsigned long long)shown, (unsigned long long)counted);
}

static void compare_row(const sn_json *row, const char *device,
                        const seen_client *client, test_dump *why) {
  const sn_json *read = sn_json_member(row, "read");
  seen_state state = {.size = sizeof state};
  const char *id = "";
  char where[80];
  (void)sn_json_text(sn_json_member(row, "id"), &id);
  snprintf(where, sizeof where, "%s %s", device, id);
  if (seen_client_state(client, id, &state)) {
    test_dump_say(why, "# %s: it is not there\n", where);
    return;
  }
  same(where, "unread", state.unread, number(row, "unread"), why);
  same(where, "mentions", state.mentions,
       sn_json_count(sn_json_member(row, "mentions")), why);
  same(where, "last_seq", state.last_seq, number(row, "last_seq"), why);
  same(where, "read_seq", state.read_seq, number(read, "seq"), why);
  same(where, "epoch", state.server_read.epoch, number(read, "epoch"), why);
  same(where, "high", state.server_read.high, number(read, "high"), why);
  same(where, "marked unread", state.marked_unread,
       number(read, "seq") < number(read, "high"), why);
  same(where, "muted", state.muted, flag(row, "muted"), why);
  same(where, "pinned", state.pinned, flag(row, "pinned"), why);
  same(where, "updated_at", state.updated_at, number(row, "updated_at"), why);
  same(where, "pending", state.pending, false, why);
  same(where, "exact", state.exact, true, why);
}

static void compare_totals(const sn_json *counted, const char *device,
                           const seen_client *client, test_dump *why) {
  seen_totals shown;
  char where[80];
  snprintf(where, sizeof where, "%s in all", device);
  seen_client_totals(client, &shown);
  same(where, "unread", shown.unread, number(counted, "unread"), why);
  same(where, "conversations", shown.conversations,
       number(counted, "conversations"), why);
  same(where, "muted", shown.muted, number(counted, "muted"), why);
  same(where, "mentions", shown.mentions, number(counted, "mentions"), why);
}

void recount_compare(const recount *of, const char *device,
                     const seen_client *client, test_dump *why) {
  const sn_json *rows = sn_json_member(of->rows, "conversations");
  same(device, "rows", seen_client_count(client), sn_json_count(rows), why);
  for (const sn_json *row = sn_json_first(rows); row; row = sn_json_next(row))
    compare_row(row, device, client, why);
  compare_totals(of->totals, device, client, why);
}

/* What was counted of somebody whose receipts are off now stays shown until
 * the message is on screen again (R5), so that is no difference. */
static void compare_receipt(const sn_json *counted, const char *where,
                            const seen_receipt *shown, test_dump *why) {
  if (number(counted, "hidden")) return;
  same(where, "audience", shown->audience, number(counted, "audience"), why);
  same(where, "read", shown->read, number(counted, "read"), why);
  same(where, "delivered", shown->delivered, number(counted, "delivered"), why);
}

void recount_receipts(const recount *of, const char *device,
                      const seen_client *client, const char *conv,
                      test_dump *why) {
  seen_state state = {.size = sizeof state};
  if (seen_client_state(client, conv, &state)) return;
  for (uint64_t seq = state.last_seq; seq && seq + NEWEST > state.last_seq;
       seq--) {
    seen_receipt shown = {.size = sizeof shown};
    char path[120], where[120];
    sn_json *counted;
    snprintf(path, sizeof path, "/im/messages/%s:%llu/read-receipts", conv,
             (unsigned long long)seq);
    snprintf(where, sizeof where, "%s %s:%llu", device, conv,
             (unsigned long long)seq);
    counted = recount_get(of->port, of->token, path);
    if (counted && !seen_client_receipt(client, conv, seq, &shown))
      compare_receipt(counted, where, &shown, why);
    sn_json_free(counted);
  }
}

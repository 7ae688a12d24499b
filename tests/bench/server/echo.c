/*
 * What libwebsockets takes for a frame there and back: it echoes each, prints
 * the port, and ends by SIGTERM. With a database it makes a row of it durable
 * for each frame, before it answers.
 *
 * Usage: bench_echo [DATABASE]
 */
#include <libwebsockets.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 65536, RING = 1024, FRAME = 512 };

typedef struct session {
  unsigned char frames[RING][FRAME];
  size_t lengths[RING];
  unsigned first, count;
} session;

static volatile sig_atomic_t stopped;
static sqlite3_stmt *upsert; /* NULL: nothing is written */

static void open_database(const char *path) {
  sqlite3 *db;

  if (sqlite3_open(path, &db) != SQLITE_OK ||
      sqlite3_exec(db,
                   "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                   "CREATE TABLE position(conv TEXT, user TEXT, seq INT,"
                   " PRIMARY KEY(conv, user)) WITHOUT ROWID",
                   NULL, NULL, NULL) != SQLITE_OK ||
      sqlite3_prepare_v2(db,
                         "INSERT INTO position VALUES('g','u',1) ON CONFLICT"
                         " DO UPDATE SET seq=seq+1",
                         -1, &upsert, NULL) != SQLITE_OK) {
    fprintf(stderr, "bench_echo: %s: %s\n", path, sqlite3_errmsg(db));
    exit(1);
  }
}

static void write_row(void) {
  if (upsert == NULL) return;
  if (sqlite3_step(upsert) != SQLITE_DONE) abort();
  sqlite3_reset(upsert);
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason,
                    void *user, void *in, size_t length) {
  static unsigned char out[LWS_PRE + FRAME];
  session *self = user;
  unsigned at;

  switch (reason) {
  case LWS_CALLBACK_ESTABLISHED:
    self->first = self->count = 0;
    self->lengths[0] = 0;
    return 0;
  case LWS_CALLBACK_RECEIVE:
    at = (self->first + self->count) % RING;
    if (self->lengths[at] + length > FRAME || self->count == RING - 1)
      return -1;
    memcpy(self->frames[at] + self->lengths[at], in, length);
    self->lengths[at] += length;
    /* One that is cut by the end of what was read comes in two parts. */
    if (lws_remaining_packet_payload(wsi) > 0) return 0;
    write_row();
    self->count++;
    self->lengths[(at + 1) % RING] = 0;
    lws_callback_on_writable(wsi);
    return 0;
  case LWS_CALLBACK_SERVER_WRITEABLE:
    while (self->count > 0 && !lws_partial_buffered(wsi)) {
      at = self->first;
      memcpy(out + LWS_PRE, self->frames[at], self->lengths[at]);
      self->first = (self->first + 1) % RING;
      self->count--;
      if (lws_write(wsi, out + LWS_PRE, self->lengths[at], LWS_WRITE_TEXT) < 0)
        return -1;
    }
    if (self->count > 0) lws_callback_on_writable(wsi);
    return 0;
  default: return 0;
  }
}

static void on_signal(int number) {
  (void)number;
  stopped = 1;
}

int main(int count, char **arguments) {
  static const struct lws_protocols protocols[] = {
      {"echo", on_event, sizeof(session), 8192, 0, NULL, LWS_PRE + MOST_BYTES},
      {NULL, NULL, 0, 0, 0, NULL, 0}};
  struct lws_context_creation_info how;
  struct lws_context *context;

  if (count > 1) open_database(arguments[1]);
  memset(&how, 0, sizeof how);
  how.iface = "127.0.0.1";
  how.protocols = protocols;
  how.options =
      LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_DISABLE_IPV6;
  lws_set_log_level(LLL_ERR, NULL);
  signal(SIGTERM, on_signal);
  context = lws_create_context(&how);
  if (context == NULL) return 1;
  printf("listening on 127.0.0.1:%d\n",
         lws_get_vhost_listen_port(lws_create_vhost(context, &how)));
  fflush(stdout);
  while (!stopped && lws_service(context, 0) >= 0) {
  }
  lws_context_destroy(context);
  return 0;
}

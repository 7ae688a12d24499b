/*
 * A server in memory and whatever clients send it, a line each:
 *
 *   %        first of all: small limits
 *   a{…}     a frame from ann; A{…}: from her other device; so b, c, d, r,
 *            the last an admin's; who is not connected connects
 *   a-       ann's connection ends
 *   aGET …   a request; aPOST PATH BODY
 *   &…       the same, without a commit behind it
 *   +500     ms pass
 *   !        the server starts again
 *   ?7       the seventh call of the storage from now on fails
 *
 * What it says is JSON, whatever it was told; at the end its counts are those
 * of a recount.
 */
#include "fuzz/requests.h"
#include "fuzz/target.h"

#include "recount.h"
#include "server/faulty.h"

#include <cjson/cJSON.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  CONNECTIONS = 10,
  START = 1000000,
  MOST_LINES = 100,
  MOST_WAIT = 100000
};

typedef struct target {
  faulty storage;
  limits limits;
  server *server;
  connection *connections[CONNECTIONS]; /* NULL: not connected */
  uint64_t now;
  unsigned requests;
} target;

static const char *const names[CONNECTIONS / 2] = {"ann", "bob", "cy", "dan",
                                                   "root"};
static const char letters[] = "aAbBcCdDrR";

static identity who_is(size_t place) {
  identity who = {.admin = place / 2 == CONNECTIONS / 2 - 1};

  snprintf(who.user, sizeof who.user, "%s", names[place / 2]);
  return who;
}

static void open_server(target *self) {
  static const uint8_t key[32] = {1};
  int status;

  self->server = server_open(&self->storage.storage, &self->limits, NULL, key,
                             self->now, &status);
  REQUIRE(self->server != NULL);
}

static void choose_limits(limits *with, bool small) {
  limits_init(with);
  with->reports_per_second = with->requests_per_second =
      with->lists_per_second = 1000000;
  with->reports_burst = with->requests_burst = with->lists_burst = 1000000;
  if (!small) return;
  with->reports_per_second = with->reports_burst = 2;
  with->reports_parked = 2;
  with->items = with->added = with->page_rows = with->page_messages = 2;
  with->peer_limit = with->roster_limit = with->subscriptions = 2;
  with->queue_bytes = 4096;
  with->dirty_rows = 2;
  with->body_bytes = 16;
  with->cache_entries = 8;
}

static void begin(target *self, bool small) {
  storage inner;

  memset(self, 0, sizeof *self);
  REQUIRE(storage_memory_open(&inner, "b1") == SEEN_OK);
  faulty_begin(&self->storage, inner);
  choose_limits(&self->limits, small);
  self->now = START;
  open_server(self);
}

static void check_json(const char *text, size_t length) {
  cJSON *parsed = cJSON_ParseWithLength(text, length);

  REQUIRE(parsed != NULL && strlen(text) == length);
  cJSON_Delete(parsed);
}

static void gather(const target *self, connection *from) {
  const char *frame;
  size_t length;

  while ((frame = connection_next(from, &length)) != NULL) {
    REQUIRE(length <= self->limits.frame_bytes);
    check_json(frame, length);
  }
}

static void disconnect(target *self, size_t place) {
  if (self->connections[place] == NULL) return;
  server_disconnect(self->server, self->connections[place], self->now);
  self->connections[place] = NULL;
}

static void turn(target *self) {
  server_commit(self->server, self->now);
  while (server_next_waiting(self->server) != NULL)
    continue;
  for (size_t i = 0; i < CONNECTIONS; i++) {
    const char *reason;

    if (self->connections[i] == NULL) continue;
    gather(self, self->connections[i]);
    if (connection_closing(self->connections[i], &reason) != 0)
      disconnect(self, i);
  }
}

static void pass(target *self, uint64_t ms) {
  uint64_t end = self->now + ms;

  for (uint64_t due = server_deadline(self->server); due <= end;
       due = server_deadline(self->server)) {
    if (due > self->now) self->now = due;
    server_tick(self->server, self->now);
    turn(self);
    if (server_deadline(self->server) <= self->now) break;
  }
  self->now = end;
  server_tick(self->server, self->now);
}

static void restart(target *self) {
  memset(self->connections, 0, sizeof self->connections);
  server_close(self->server);
  self->storage.fails_at = 0;
  open_server(self);
}

static void request(target *self, size_t place, const char *line, size_t size) {
  identity who = who_is(place);
  char *text = target_text((const uint8_t *)line, size);
  char fresh[16];
  response came;

  snprintf(fresh, sizeof fresh, "f%u", self->requests++);
  came = requests_take(self->server, &who, text, fresh, self->now);
  if (came.status != 0) check_json(came.body, came.length);
  response_free(&came);
  free(text);
}

static void send_frame(target *self, size_t place, const char *frame,
                       size_t size) {
  identity who = who_is(place);
  connection **from = &self->connections[place];

  if (*from == NULL)
    *from = server_connect(self->server, &who, NULL, self->now);
  if (server_frame(self->server, *from, frame, size, self->now) != 0) {
    turn(self);
    disconnect(self, place);
  }
}

static void come_from(target *self, size_t place, const char *line,
                      size_t size) {
  if (size == 1 && *line == '-') {
    disconnect(self, place);
  } else if (size > 0 && (*line == 'G' || *line == 'P')) {
    request(self, place, line, size);
  } else {
    send_frame(self, place, line, size);
  }
}

static uint64_t number_of(const char *line, size_t size) {
  uint64_t number = 0;

  for (size_t i = 0; i < size && line[i] >= '0' && line[i] <= '9'; i++)
    if ((number = number * 10 + (uint64_t)(line[i] - '0')) > MOST_WAIT) break;
  return number > MOST_WAIT ? MOST_WAIT : number;
}

static void take_line(target *self, const char *line, size_t size) {
  bool commits = size > 0 && *line != '&';
  const char *letter;

  if (!commits && size > 0) line++, size--;
  if (size == 0) return;
  letter = strchr(letters, *line);
  if (*line == '+')
    pass(self, number_of(line + 1, size - 1));
  else if (*line == '!')
    restart(self);
  else if (*line == '?')
    self->storage.fails_at = number_of(line + 1, size - 1);
  else if (*line != '\0' && letter != NULL)
    come_from(self, (size_t)(letter - letters), line + 1, size - 1);
  if (commits) turn(self);
}

static void differs(void *self, const char *line) {
  (void)self;
  fprintf(stderr, "%s\n", line);
  target_stop("a recount finds what is told", __FILE__, __LINE__);
}

typedef struct conversations {
  char *names[64];
  size_t count;
} conversations;

static int note_row(void *self, const stored_row *row) {
  conversations *found = self;

  if (found->count < 64)
    found->names[found->count++] =
        target_text((const uint8_t *)row->conv, strlen(row->conv));
  return SEEN_OK;
}

static void recount_all(target *self) {
  const storage *over = &self->storage.storage;

  for (size_t i = 0; i < CONNECTIONS / 2; i++) {
    conversations found = {.count = 0};

    REQUIRE(over->each_row(over->self, names[i], 0, SIZE_MAX, &found,
                           note_row) == SEEN_OK);
    while (found.count > 0) {
      char *name = found.names[--found.count];

      REQUIRE(recount(over, name, differs, NULL) == SEEN_OK);
      free(name);
    }
  }
}

static void end(target *self) {
  const metrics *counted = server_metrics(self->server);

  self->storage.fails_at = 0;
  turn(self);
  REQUIRE(counted->read_above_audience == 0);
  REQUIRE(counted->position_above_last == 0);
  REQUIRE(counted->counts_drifted == 0);
  for (size_t i = 0; i < CONNECTIONS; i++)
    disconnect(self, i);
  server_close(self->server);
  recount_all(self);
  self->storage.storage.close(self->storage.storage.self);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  target_bytes lines = {bytes, bytes + size};
  target self;
  size_t length;
  char *line;

  begin(&self, size > 0 && *bytes == '%');
  for (int i = 0; i < MOST_LINES; i++) {
    line = target_line(&lines, &length);
    if (line == NULL) break;
    take_line(&self, line, length);
    free(line);
  }
  end(&self);
  return 0;
}

/*
 * A read, its report, the server's commit, its ack, and the client's word that
 * nothing is pending. An echo by a bare socket is the floor; since the server
 * answers when it has made the report durable, and an echo does not, one that
 * makes a row of SQLite durable before it answers stands beside it, and the
 * same server that is asked by a bare socket. A client is three threads: from
 * the host's to its own to the sockets', and back, are two hand-overs more.
 */
#include "figure.h"
#include "handover.h"
#include "parts.h"
#include "stand.h"

#include "../server/stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 25, TIMES = 20, SEQS = ROUNDS * TIMES };

typedef struct peers {
  stage on;
  char rows[FOLDER_BYTES +
            8]; /* of the echo that commits, beside the server's */
  stand client;
  program echo, writer;
  partner other;
  wire *to_echo, *to_writer, *to_server; /* bare sockets */
} peers;

static bool is_synced(const stand *self) {
  seen_connection_state state = {.size = sizeof state};
  seen_client_connection(self->client, &state);
  return state.connection == SEEN_CONNECTION_ONLINE && state.synced;
}

static bool has_arrived(const stand *self, uint64_t seq) {
  seen_state state = {.size = sizeof state};
  if (seen_client_state(self->client, "g", &state)) stand_fail("no row", NULL);
  return state.read_seq == seq && !state.pending;
}

static void join(peers *self, bool on_disk) {
  static char url[64], token[1024];
  stand *client = &self->client;
  snprintf(url, sizeof url, "ws://127.0.0.1:%d", self->on.server.port);
  snprintf(token, sizeof token, "%s", stage_token(&self->on, "u000000"));
  stand_init(client, "u000000");
  stand_remove("report.db");
  if (on_disk) client->options.path = stand_path("report.db");
  client->options.url = url;
  client->options.token = token;
  stand_open(client);
  stand_start(client);
  while (!is_synced(client))
    stand_hear(client);
}

static void begin(peers *self, bool on_disk, const char *server,
                  const char *echo) {
  wire *sender;
  stage_open(&self->on, server);
  sender = stage_join(&self->on, "sender");
  stage_create(sender, "g", "group", 0, 2);
  stage_send(sender, "g", SEQS, 64);
  wire_close(sender);
  partner_begin(&self->other);
  self->to_server = stage_join(&self->on, "u000001");
  join(self, on_disk);
  snprintf(self->rows, sizeof self->rows, "%s/echo", self->on.folder);
  self->echo = program_start(echo, (char *)NULL);
  self->writer = program_start(echo, self->rows, (char *)NULL);
  self->to_echo = wire_open(self->echo.port, "/", "echo", NULL);
  self->to_writer = wire_open(self->writer.port, "/", "echo", NULL);
}

static void remove_rows(const peers *self) {
  static const char *const tails[] = {"", "-wal", "-shm"};
  for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
    char path[sizeof self->rows + 8];
    snprintf(path, sizeof path, "%s%s", self->rows, tails[i]);
    unlink(path);
  }
}

static void end(peers *self) {
  stand_close(&self->client);
  wire_close(self->to_echo);
  wire_close(self->to_writer);
  wire_close(self->to_server);
  partner_end(&self->other);
  program_stop(&self->echo);
  program_stop(&self->writer);
  remove_rows(self);
  stage_close(&self->on);
  stand_remove("report.db");
}

static void report(stand *self, uint64_t first, figure *to) {
  for (uint64_t seq = first; seq < first + TIMES; seq++) {
    uint64_t began = stage_now();
    seen_client_mark_read(self->client, "g", seq);
    while (!has_arrived(self, seq))
      stand_hear(self);
    figure_add(to, stage_now() - began);
  }
}

static void ask(wire *peer, const char *answer, uint64_t first, figure *to) {
  char text[128];
  for (uint64_t seq = first; seq < first + TIMES; seq++) {
    uint64_t began = stage_now();
    snprintf(text, sizeof text,
             "{\"t\":\"read\",\"id\":%d,\"items\":[{\"conv\":\"g\","
             "\"epoch\":0,\"seq\":%d}]}",
             (int)seq, (int)seq);
    wire_ask(peer, text, answer);
    figure_add(to, stage_now() - began);
  }
}

typedef struct figures {
  figure echoed, written, asked, handed, reported;
} figures;

static void print(const char *title, figures *of) {
  figure_head(title);
  figure_floor("floor: a bare echo", &of->echoed);
  figure_floor("floor: an echo that commits a row first", &of->written);
  figure_floor("floor: the server, asked by a bare socket", &of->asked);
  figure_floor("floor: a hand-over to a thread and back", &of->handed);
  figure_beside("a report, to the echo", &of->reported,
                figure_at(&of->echoed, 50), 0);
  figure_beside(
      "a report, to the bare socket's and two hand-overs", &of->reported,
      figure_at(&of->asked, 50) + 2 * figure_at(&of->handed, 50), 1.3);
  figure_beside("a report, to the echo that commits", &of->reported,
                figure_at(&of->written, 50), 1.3);
}

static void compare(const char *title, bool on_disk, const char *server,
                    const char *echo) {
  static const char *const back = "{\"t\":\"read\"";
  figures *of = calloc(1, sizeof *of);
  peers self;
  if (of == NULL) abort();
  begin(&self, on_disk, server, echo);
  for (uint64_t round = 0; round < ROUNDS; round++) {
    uint64_t first = round * TIMES + 1;
    ask(self.to_echo, back, first, &of->echoed);
    ask(self.to_writer, back, first, &of->written);
    ask(self.to_server, "{\"t\":\"ack\"", first, &of->asked);
    for (int i = 0; i < TIMES; i++)
      partner_ask(&self.other, &of->handed);
    report(&self.client, first, &of->reported);
  }
  end(&self);
  print(title, of);
  free(of);
}

void measure_report(const char *server, const char *echo) {
  const char *had = getenv("TMPDIR");
  char *kept = had != NULL ? strdup(had) : NULL;
  compare("a report until its ack is taken, all on the disk", true, server,
          echo);
  if (access("/dev/shm", W_OK) == 0) {
    setenv("TMPDIR", "/dev/shm", 1);
    compare("the same, all in memory", false, server, echo);
  }
  if (kept != NULL)
    setenv("TMPDIR", kept, 1);
  else
    unsetenv("TMPDIR");
  free(kept);
}

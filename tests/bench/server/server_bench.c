/*
 * The server through real sockets, beside floors of the same run: reports
 * against upserts of SQLite and against an echo, counts and lists against a
 * query and a search, the cost of a message against that in a pair.
 *
 * Usage: server_bench SEEN-SERVER ECHO
 */
#include "bare.h"
#include "stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  CONVERSATIONS = 100,
  TOGETHER = 4, /* readers that share conversations */
  SHARED = 12,  /* conversations that they share, where there are many */
  READERS = 32,
  SEQS = 420,
  FRAMES = 300,   /* of a reader, each for all conversations */
  SINGLES = 5000, /* of a reader */
  AT_ONCE = 8,    /* frames of 100 in flight */
  SINGLES_AT_ONCE = 32,
  ASKED = 300,
  SENT = 400, /* of a round */
  ROUNDS = 5
};

static bool all_met = true;

static void row(const char *what, double figure, const char *unit, double floor,
                double ratio, double aim) {
  printf("  %-44s %12.1f %-4s", what, figure, unit);
  if (floor > 0) printf(" %12.1f %6.2fx", floor, ratio);
  if (aim > 0) {
    bool met = ratio >= aim;

    printf("  >= %.1fx %s", aim, met ? "met" : "MISSED");
    all_met = all_met && met;
  }
  printf("\n");
  fflush(stdout);
}

static size_t write_report(char *text, size_t room, size_t first, size_t count,
                           size_t seq) {
  int length = snprintf(text, room, "{\"t\":\"read\",\"id\":7,\"items\":[");

  for (size_t i = first; i < first + count; i++)
    length += snprintf(text + length, room - (size_t)length,
                       "%s{\"conv\":\"g%zu\",\"epoch\":0,\"seq\":%zu}",
                       i > first ? "," : "", i, seq);
  return (size_t)length +
         (size_t)snprintf(text + length, room - (size_t)length, "]}");
}

typedef struct load {
  size_t readers;
  size_t frames, at_once, items; /* of each reader */
  bool is_echo;
} load;

/* The n-th frame of a reader. */
static size_t write_nth(char *text, size_t room, const load *how, size_t reader,
                        size_t n) {
  size_t first = reader / TOGETHER * SHARED;

  if (how->items == CONVERSATIONS)
    return write_report(text, room, 0, CONVERSATIONS, n + 1);
  return write_report(text, room, first + n % SHARED, 1, n / SHARED + 1);
}

static size_t take_answers(wire *from, const load *how) {
  const char *answer;
  size_t length, count = 0;

  while ((answer = wire_next(from, &length)) != NULL) {
    bool is_ack = strncmp(answer, "{\"t\":\"ack\"", 10) == 0;

    if (is_ack && memmem(answer, length, "\"code\"", 6) != NULL) {
      fprintf(stderr, "server_bench: %.*s\n", (int)length, answer);
      exit(1);
    }
    count += how->is_echo || is_ack;
  }
  return count;
}

/* Items a second, over all readers. */
static double run_load(wire *const *peers, const load *how) {
  size_t sent[READERS] = {0}, answered[READERS] = {0}, done = 0;
  static char text[16384];
  uint64_t began = stage_now();

  while (done < how->readers * how->frames) {
    for (size_t i = 0; i < how->readers; i++)
      while (sent[i] < how->frames && sent[i] - answered[i] < how->at_once)
        wire_send(peers[i], text,
                  write_nth(text, sizeof text, how, i, sent[i]++));
    wire_turn(peers, how->readers);
    for (size_t i = 0; i < how->readers; i++) {
      size_t more = take_answers(peers[i], how);

      answered[i] += more;
      done += more;
    }
  }
  return (double)(how->readers * how->frames * how->items) * 1e9 /
         (double)(stage_now() - began);
}

/* Groups of a sender and some readers, with all that can be read. */
static void fill(const stage *on, const load *how) {
  wire *sender = stage_join(on, "sender");
  char name[16];

  for (size_t i = 0; i < CONVERSATIONS; i++) {
    size_t first = how->readers > TOGETHER ? i / SHARED * TOGETHER : 0;

    snprintf(name, sizeof name, "g%zu", i);
    stage_create(sender, name, "group", first, TOGETHER);
    stage_send(sender, name, SEQS, 64);
  }
  wire_close(sender);
}

static double run_reports(const char *server, const load *how) {
  wire *peers[READERS];
  char user[16];
  double rate;
  stage on = {.path = server};

  stage_open(&on, server);
  fill(&on, how);
  for (size_t i = 0; i < how->readers; i++) {
    snprintf(user, sizeof user, "u%06zu", i);
    peers[i] = stage_join(&on, user);
  }
  rate = run_load(peers, how);
  for (size_t i = 0; i < how->readers; i++)
    wire_close(peers[i]);
  stage_close(&on);
  return rate;
}

static double run_echo(const char *path, const load *how) {
  program echo = program_start(path, (char *)NULL);
  wire *peers[READERS];
  double rate;

  for (size_t i = 0; i < how->readers; i++)
    peers[i] = wire_open(echo.port, "/", "echo", NULL);
  rate = run_load(peers, how);
  for (size_t i = 0; i < how->readers; i++)
    wire_close(peers[i]);
  program_stop(&echo);
  return rate;
}

static double run_upserts(size_t batch, size_t transactions) {
  char folder[FOLDER_BYTES], path[FOLDER_BYTES + 8];
  static const char *const ends[] = {"", "-wal", "-shm"};
  double rate;

  stage_folder(folder);
  snprintf(path, sizeof path, "%s/db", folder);
  rate = bare_upserts(path, batch, transactions);
  for (size_t i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s/db%s", folder, ends[i]);
    remove(path);
  }
  remove(folder);
  return rate;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* Three of each, in turn; the medians. */
static void rate_row(const char *what, double *figures, double *floors,
                     double aim) {
  qsort(figures, 3, sizeof *figures, by_size);
  qsort(floors, 3, sizeof *floors, by_size);
  row(what, figures[1], "/s", floors[1], figures[1] / floors[1], aim);
}

static void report_rates(const char *server, const char *echo) {
  static const load batch = {TOGETHER, FRAMES, AT_ONCE, CONVERSATIONS, false},
                    apart = {TOGETHER, FRAMES, 1, CONVERSATIONS, false},
                    single = {READERS, SINGLES, SINGLES_AT_ONCE, 1, false},
                    echoed = {READERS, SINGLES, SINGLES_AT_ONCE, 1, true};
  double upserts[3], grouped[3], batches[3], aparts[3], singles[3], echoes[3];

  for (int i = 0; i < 3; i++) {
    upserts[i] = run_upserts(CONVERSATIONS, 1200);
    grouped[i] = run_upserts((size_t)TOGETHER * AT_ONCE * CONVERSATIONS, 60);
    batches[i] = run_reports(server, &batch);
    aparts[i] = run_reports(server, &apart);
    echoes[i] = run_echo(echo, &echoed);
    singles[i] = run_reports(server, &single);
  }
  printf("\nreports, durable when answered (items/s; floor; ratio)\n");
  rate_row("100 a frame; upserts, 100 a transaction", batches, upserts, 0.5);
  rate_row("the same; upserts, 3200 a transaction", batches, grouped, 0);
  rate_row("100, one frame in flight; upserts, 100", aparts, upserts, 0);
  rate_row("1 a frame; a bare echo", singles, echoes, 0.5);
}

/* Some of the members read, so that there is something to count. */
static void read_some(const stage *on, const char *conv, size_t members) {
  int to = request_open(on->server.port);
  char path[64], user[16], body[48];

  snprintf(path, sizeof path, "/im/conversations/%s/read-cursor", conv);
  for (size_t i = 0; i < members; i += members / 250) {
    snprintf(user, sizeof user, "u%06zu", i);
    snprintf(body, sizeof body, "{\"read_to_seq\":%zu}",
             (members + 499) / 500 + 1 + i % 20);
    request_ask(to, "POST", path, stage_token(on, user), body);
  }
  close_request(to);
}

/* Median µs of a request. */
static double ask(const stage *on, const char *path) {
  static double took[ASKED];
  int to = request_open(on->server.port);
  char token[1024];

  snprintf(token, sizeof token, "%s", stage_token(on, "sender"));
  for (int i = 0; i < ASKED; i++) {
    uint64_t began = stage_now();

    request_ask(to, "GET", path, token, "");
    took[i] = (double)(stage_now() - began) / 1000;
  }
  close_request(to);
  qsort(took, ASKED, sizeof *took, by_size);
  return took[ASKED / 2];
}

static void count_in(const stage *on, wire *sender, size_t members) {
  const char *kind = members > 500 ? "large" : "group";
  char conv[32], path[96], what[64];
  double us, floor;

  snprintf(conv, sizeof conv, "c%zu", members);
  stage_create(sender, conv, kind, 0, members - 1);
  stage_send(sender, conv, 20, 1);
  read_some(on, conv, members);
  snprintf(path, sizeof path, "/im/messages/%s:%zu/read-receipts", conv,
           (members + 498) / 500 + 10);
  us = ask(on, path);
  floor = bare_count_sql(members) / 1000;
  snprintf(what, sizeof what, "count, %zu members; an indexed query", members);
  row(what, us, "us", floor, us / floor, 0);
  snprintf(what, sizeof what, "count, %zu members; a search", members);
  floor = bare_count_tree(members) / 1000;
  printf("  %-44s %12.1f us   %12.3f%s\n", what, us, floor,
         us <= 1000 ? "           <= 1 ms met" : "           <= 1 ms MISSED");
  all_met = all_met && us <= 1000;
  if (members > 500) return;
  strcat(path, "?status=unread");
  us = ask(on, path);
  floor = bare_list_sql(members) / 1000;
  row("page of 100 readers, 500 members; a query", us, "us", floor, us / floor,
      0);
}

static void create_for_sends(wire *sender, size_t members) {
  char conv[32];

  snprintf(conv, sizeof conv, "s%zu", members);
  stage_create(sender, conv, members > 500 ? "large" : "group", 0, members - 1);
  stage_send(sender, conv, 100, 16);
}

static double send_in(wire *sender, size_t members) {
  char conv[32];
  uint64_t began;

  snprintf(conv, sizeof conv, "s%zu", members);
  began = stage_now();
  stage_send(sender, conv, SENT, 16);
  return (double)(stage_now() - began) / 1000 / SENT;
}

/* Sizes take turns, so that a slow moment of the disk meets all of them. */
static void send_rates(wire *sender, const size_t *sizes, size_t count) {
  double took[4][ROUNDS];
  char what[64];

  for (size_t i = 0; i < count; i++)
    create_for_sends(sender, sizes[i]);
  for (size_t round = 0; round < ROUNDS; round++)
    for (size_t i = 0; i < count; i++)
      took[i][round] = send_in(sender, sizes[i]);
  for (size_t i = 0; i < count; i++) {
    qsort(took[i], ROUNDS, sizeof *took[i], by_size);
    snprintf(what, sizeof what, "%zu members", sizes[i]);
    row(what, took[i][ROUNDS / 2], "us", took[0][ROUNDS / 2],
        took[i][ROUNDS / 2] / took[0][ROUNDS / 2], 0);
  }
}

static void counts_and_sends(const char *server) {
  static const size_t sizes[] = {2, 500, 20000, 100000};
  wire *sender;
  stage on = {.path = server};

  stage_open(&on, server);
  sender = stage_join(&on, "sender");
  printf("\nreaders of a message, by HTTP (us; floor; ratio)\n");
  for (size_t i = 1; i < 4; i++)
    count_in(&on, sender, sizes[i]);
  printf("\na message sent, durable (us; in a pair; ratio)\n");
  send_rates(sender, sizes, 4);
  wire_close(sender);
  stage_close(&on);
}

int main(int count, char **arguments) {
  if (count != 3) {
    fprintf(stderr, "usage: server_bench SEEN-SERVER ECHO\n");
    return 2;
  }
  counts_and_sends(arguments[1]);
  report_rates(arguments[1], arguments[2]);
  printf("\n%s\n", all_met ? "all aims are met" : "an aim is MISSED");
  return 0;
}

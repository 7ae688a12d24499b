/*
 * Programs are started by their path and ended by their pid; those of a
 * benchmark that fails end with it.
 */
#include "stage.h"

#include <jwt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char secret[] = "a secret of the benchmark, of no use elsewhere";

enum { ADDED = 500 };

uint64_t stage_now(void) {
  struct timespec at;

  clock_gettime(CLOCK_MONOTONIC, &at);
  return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

program program_start(const char *path, ...) {
  char *arguments[64], line[128], *colon;
  program self = {0, 0};
  size_t count = 1;
  va_list rest;
  int pipes[2];
  FILE *out;

  arguments[0] = strdup(path);
  va_start(rest, path);
  while ((arguments[count] = va_arg(rest, char *)) != NULL)
    count++;
  va_end(rest);
  if (pipe(pipes) != 0 || (self.pid = fork()) < 0) abort();
  if (self.pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(pipes[1], 1);
    close(pipes[0]);
    execv(path, arguments);
    _exit(127);
  }
  free(arguments[0]);
  close(pipes[1]);
  out = fdopen(pipes[0], "r");
  if (out == NULL || fgets(line, sizeof line, out) == NULL ||
      (colon = strrchr(line, ':')) == NULL) {
    fprintf(stderr, "%s did not start\n", path);
    exit(1);
  }
  self.port = (int)strtol(colon + 1, NULL, 10);
  fclose(out);
  return self;
}

void program_stop(const program *self) {
  kill(self->pid, SIGTERM);
  waitpid(self->pid, NULL, 0);
}

void stage_folder(char path[FOLDER_BYTES]) {
  const char *in = getenv("TMPDIR");

  snprintf(path, FOLDER_BYTES, "%s/server_bench.XXXXXX",
           in != NULL ? in : "/tmp");
  if (mkdtemp(path) == NULL) abort();
}

void stage_open(stage *self, const char *path) {
  char db[FOLDER_BYTES + 8];
  FILE *file;

  stage_folder(self->folder);
  snprintf(self->key, sizeof self->key, "%s/key", self->folder);
  snprintf(db, sizeof db, "%s/db", self->folder);
  file = fopen(self->key, "w");
  if (file == NULL) abort();
  fputs(secret, file);
  fclose(file);
  self->path = path;
  self->server = program_start(
      path, "--listen", "127.0.0.1:0", "--token-key", self->key, "--db", db,
      "--drain-ms", "0", "--log-level", "error", "--reports-per-second",
      "1000000", "--reports-burst", "1000000", "--requests-per-second",
      "1000000", "--requests-burst", "1000000", "--lists-per-second", "1000000",
      "--lists-burst", "1000000", (char *)NULL);
}

void stage_close(stage *self) {
  static const char *const names[] = {"key", "db", "db-wal", "db-shm",
                                      "db-lock"};
  char path[FOLDER_BYTES + 8];

  program_stop(&self->server);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "%s/%s", self->folder, names[i]);
    unlink(path);
  }
  rmdir(self->folder);
}

const char *stage_token(const stage *self, const char *user) {
  static char text[1024];
  jwt_t *token = NULL;
  char *made;

  (void)self;
  if (jwt_new(&token) != 0 || jwt_add_grant(token, "sub", user) != 0 ||
      jwt_set_alg(token, JWT_ALG_HS256, (const unsigned char *)secret,
                  (int)strlen(secret)) != 0 ||
      (made = jwt_encode_str(token)) == NULL)
    abort();
  snprintf(text, sizeof text, "%s", made);
  free(made);
  jwt_free(token);
  return text;
}

wire *stage_join(const stage *self, const char *user) {
  wire *made = wire_open(self->server.port, "/v1/socket", "seen.v1",
                         stage_token(self, user));

  wire_ask(made, "{\"t\":\"hello\",\"id\":1,\"device\":\"d\"}",
           "{\"t\":\"changes\"");
  return made;
}

/* An op that nobody had yet. */
static unsigned next_op(void) {
  static unsigned last;

  return ++last;
}

static void add_members(wire *by, const char *conv, size_t from, size_t to) {
  static char text[ADDED * 16 + 256];
  int length = snprintf(text, sizeof text,
                        "{\"t\":\"add\",\"id\":2,\"op\":\"op%u\",\"conv\":"
                        "\"%s\",\"users\":[",
                        next_op(), conv);

  for (size_t i = from; i < to; i++)
    length += snprintf(text + length, sizeof text - (size_t)length,
                       "%s\"u%06zu\"", i > from ? "," : "", i);
  snprintf(text + length, sizeof text - (size_t)length, "]}");
  wire_ask(by, text, "{\"t\":\"ack\"");
}

void stage_create(wire *by, const char *conv, const char *kind, size_t first,
                  size_t members) {
  char text[256];

  snprintf(text, sizeof text,
           "{\"t\":\"create\",\"id\":2,\"op\":\"op%u\",\"conv\":\"%s\","
           "\"kind\":\"%s\"}",
           next_op(), conv, kind);
  wire_ask(by, text, "{\"t\":\"ack\"");
  for (size_t at = first; at < first + members; at += ADDED)
    add_members(by, conv, at,
                at + ADDED < first + members ? at + ADDED : first + members);
}

void stage_send(wire *by, const char *conv, size_t count, size_t at_once) {
  size_t sent = 0, answered = 0, length;
  const char *answer;
  char text[256];

  while (answered < count) {
    while (sent < count && sent - answered < at_once) {
      int size = snprintf(text, sizeof text,
                          "{\"t\":\"send\",\"id\":3,\"op\":\"op%u\",\"conv\":"
                          "\"%s\",\"body\":\"as long as a line in a chat is\"}",
                          next_op(), conv);

      wire_send(by, text, (size_t)size);
      sent++;
    }
    wire_turn(&by, 1);
    while ((answer = wire_next(by, &length)) != NULL)
      answered += strncmp(answer, "{\"t\":\"ack\"", 10) == 0;
  }
}

/*
 * Starting and ending a server. It ends with this program, also where that is
 * killed.
 */
#include "started.h"

#include "clock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { READY_MS = 30000, END_MS = 10000 };

static bool make_folder(started *self) {
  const char *in = getenv("TMPDIR");

  snprintf(self->folder, sizeof self->folder, "%.200s/seen-load.XXXXXX",
           in != NULL ? in : "/tmp");
  if (mkdtemp(self->folder) == NULL) return false;
  snprintf(self->key, sizeof self->key, "%s/key", self->folder);
  snprintf(self->db, sizeof self->db, "%s/db", self->folder);
  return true;
}

/* A secret of this run. */
static bool make_key(const started *self) {
  FILE *random = fopen("/dev/urandom", "rb"), *key = fopen(self->key, "w");
  unsigned char bytes[32];
  bool good = random != NULL && key != NULL &&
              fread(bytes, 1, sizeof bytes, random) == sizeof bytes;

  for (size_t i = 0; good && i < sizeof bytes; i++)
    good = fprintf(key, "%02x", bytes[i]) == 2;
  if (random != NULL) fclose(random);
  if (key != NULL) good = fclose(key) == 0 && good;
  return good;
}

static void run_server(const started *self, const options *how) {
  static const char *const lifted[] = {
      "--reports-per-second", "--reports-burst",    "--requests-per-second",
      "--requests-burst",     "--lists-per-second", "--lists-burst"};
  const char *arguments[32] = {
      how->start, "--listen",   "127.0.0.1:0", "--token-key", self->key, "--db",
      self->db,   "--drain-ms", "0",           "--log-level", "warn"};
  char window[16];
  size_t count = 11;

  snprintf(window, sizeof window, "%u", (unsigned)how->window_ms);
  arguments[count++] = "--window-ms";
  arguments[count++] = window;
  for (size_t i = 0; !how->usual_limits && i < sizeof lifted / sizeof *lifted;
       i++) {
    arguments[count++] = lifted[i];
    arguments[count++] = "1000000";
  }
  /* A ^C is for this program, which ends the server after its load. */
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  execv(how->start, (char *const *)arguments);
  _exit(127);
}

/* The line that says where it listens; false: it did not come. */
static bool read_line(const started *self, char *line, size_t size) {
  uint64_t until = clock_precise() + READY_MS * 1000000ull;
  size_t length = 0;

  while (length + 1 < size) {
    struct pollfd wait = {self->out, POLLIN, 0};
    uint64_t now = clock_precise();

    if (now >= until) return false;
    if (poll(&wait, 1, (int)((until - now) / 1000000) + 1) <= 0) continue;
    if (read(self->out, line + length, 1) != 1) return false;
    if (line[length] == '\n') break;
    length++;
  }
  line[length] = '\0';
  return true;
}

static bool start(started *self, const options *how) {
  int pipes[2];

  if (pipe(pipes) != 0) return false;
  self->pid = fork();
  if (self->pid == 0) {
    dup2(pipes[1], 1);
    close(pipes[0]);
    close(pipes[1]);
    run_server(self, how);
  }
  close(pipes[1]);
  self->out = pipes[0];
  if (self->pid > 0) return true;
  self->pid = 0;
  close(self->out);
  return false;
}

bool started_open(started *self, options *how, char *why) {
  char line[256], *colon;

  memset(self, 0, sizeof *self);
  if (access(how->start, X_OK) != 0) {
    snprintf(why, WHY_BYTES, "--start %.256s: %s", how->start, strerror(errno));
    return false;
  }
  if (!make_folder(self) || !make_key(self) || !start(self, how)) {
    snprintf(why, WHY_BYTES, "no server can be started: %s", strerror(errno));
    started_close(self);
    return false;
  }
  if (!read_line(self, line, sizeof line) ||
      strncmp(line, "listening on ", 13) != 0 ||
      (colon = strrchr(line, ':')) == NULL) {
    snprintf(why, WHY_BYTES, "--start %.256s: it did not say where it listens",
             how->start);
    started_close(self);
    return false;
  }
  strcpy(how->host, "127.0.0.1");
  how->port = (uint32_t)strtoul(colon + 1, NULL, 10);
  how->token_key = self->key;
  return true;
}

static bool has_ended(const started *self) {
  return waitpid(self->pid, NULL, WNOHANG) != 0;
}

static void end(const started *self) {
  const struct timespec pause = {0, 5000000};
  uint64_t until = clock_precise() + END_MS * 1000000ull;

  kill(self->pid, SIGTERM);
  while (!has_ended(self)) {
    if (clock_precise() >= until) {
      kill(self->pid, SIGKILL);
      waitpid(self->pid, NULL, 0);
      return;
    }
    nanosleep(&pause, NULL);
  }
}

void started_close(started *self) {
  static const char *const files[] = {"key", "db", "db-wal", "db-shm",
                                      "db-lock"};
  char path[300];

  if (self->pid != 0) {
    end(self);
    close(self->out);
  }
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    snprintf(path, sizeof path, "%s/%s", self->folder, files[i]);
    unlink(path);
  }
  rmdir(self->folder);
  self->pid = 0;
}

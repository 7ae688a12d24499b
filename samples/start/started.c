#include "started.h"

#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WHY_BYTES = 512, READY_MS = 30000, END_MS = 10000, MOST_WORDS = 40 };

void started_path(const started *self, const char *name, char path[300]) {
  snprintf(path, 300, "%s/%s", self->folder, name);
}

/* A secret of this run. */
static bool make_key(const started *self) {
  FILE *random = fopen("/dev/urandom", "rb"), *key;
  unsigned char bytes[32];
  char path[300];
  bool good =
      random != NULL && fread(bytes, 1, sizeof bytes, random) == sizeof bytes;

  if (random != NULL) fclose(random);
  started_path(self, "key", path);
  if (!good || (key = fopen(path, "w")) == NULL) return false;
  for (size_t i = 0; good && i < sizeof bytes; i++)
    good = fprintf(key, "%02x", bytes[i]) == 2;
  return fclose(key) == 0 && good;
}

bool started_prepare(started *self, const char *program, const char *name,
                     char *why) {
  const char *in = getenv("TMPDIR");

  memset(self, 0, sizeof *self);
  self->program = program;
  if (access(program, X_OK) != 0) {
    snprintf(why, WHY_BYTES, "%.256s: %s", program, strerror(errno));
    return false;
  }
  snprintf(self->folder, sizeof self->folder, "%.200s/%.30s.XXXXXX",
           in != NULL ? in : "/tmp", name);
  if (mkdtemp(self->folder) != NULL && make_key(self)) return true;
  snprintf(why, WHY_BYTES, "%.256s: %s", self->folder, strerror(errno));
  started_close(self);
  return false;
}

static void become(const started *self, const char *const *words) {
  /* A ^C is for the sample, which ends the server when it is done with it. */
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  execv(self->program, (char *const *)words);
  _exit(127);
}

/* Runs the program; what it prints comes through `out`. */
static pid_t run(const started *self, const char *const *words, int *out) {
  int pipes[2];
  pid_t pid;

  if (pipe(pipes) != 0) return -1;
  if ((pid = fork()) == 0) {
    dup2(pipes[1], STDOUT_FILENO);
    close(pipes[0]);
    close(pipes[1]);
    become(self, words);
  }
  close(pipes[1]);
  *out = pipes[0];
  if (pid < 0) close(pipes[0]);
  return pid;
}

static uint64_t now_ms(void) {
  struct timespec at;

  clock_gettime(CLOCK_MONOTONIC, &at);
  return (uint64_t)at.tv_sec * 1000 + (uint64_t)at.tv_nsec / 1000000;
}

/* The first line; false: none came in time. */
static bool read_line(int from, char *line, size_t size) {
  uint64_t until = now_ms() + READY_MS, now;
  size_t length = 0;

  while (length + 1 < size && (now = now_ms()) < until) {
    struct pollfd wait = {from, POLLIN, 0};

    if (poll(&wait, 1, (int)(until - now)) <= 0) continue;
    if (read(from, line + length, 1) != 1) return false;
    if (line[length] == '\n') {
      line[length] = '\0';
      return true;
    }
    length++;
  }
  return false;
}

bool started_run(started *self, const char *const *settings, char *why) {
  char key[300], db[300], at[32], line[256];
  const char *words[MOST_WORDS + 1] =
      {self->program, "--listen", at, "--token-key", key, "--db", db},
                                 *colon;

  for (int count = 7; *settings != NULL && count < MOST_WORDS; count++)
    words[count] = *settings++;
  started_path(self, "key", key);
  started_path(self, "db", db);
  snprintf(at, sizeof at, "127.0.0.1:%d", self->port);
  self->pid = run(self, words, &self->out);
  if (self->pid < 0) {
    snprintf(why, WHY_BYTES, "%.256s: %s", self->program, strerror(errno));
    self->pid = 0;
    return false;
  }
  if (read_line(self->out, line, sizeof line) &&
      strncmp(line, "listening on ", 13) == 0 &&
      (colon = strrchr(line, ':')) != NULL) {
    self->port = (int)strtol(colon + 1, NULL, 10);
    return true;
  }
  snprintf(why, WHY_BYTES, "%.256s: it did not say where it listens",
           self->program);
  started_kill(self);
  return false;
}

static bool ended_well(pid_t pid) {
  int status = 0;

  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool started_ask(const started *self, const char *const *arguments, char *line,
                 size_t size) {
  const char *words[MOST_WORDS + 1] = {self->program};
  bool read;
  pid_t pid;
  int out;

  for (int count = 1; *arguments != NULL && count < MOST_WORDS; count++)
    words[count] = *arguments++;
  if ((pid = run(self, words, &out)) < 0) return false;
  read = read_line(out, line, size);
  close(out);
  return ended_well(pid) && read;
}

static void forget(started *self) {
  close(self->out);
  self->pid = 0;
}

void started_kill(started *self) {
  if (self->pid == 0) return;
  kill(self->pid, SIGKILL);
  waitpid(self->pid, NULL, 0);
  forget(self);
}

static void stop(started *self) {
  const struct timespec pause = {0, 5000000};
  uint64_t until = now_ms() + END_MS;

  if (self->pid == 0) return;
  kill(self->pid, SIGTERM);
  while (waitpid(self->pid, NULL, WNOHANG) == 0) {
    if (now_ms() >= until) {
      started_kill(self);
      return;
    }
    nanosleep(&pause, NULL);
  }
  forget(self);
}

static int drop(const char *path, const struct stat *state, int kind,
                struct FTW *walk) {
  (void)state;
  (void)kind;
  (void)walk;
  return remove(path);
}

void started_close(started *self) {
  stop(self);
  nftw(self->folder, drop, 8, FTW_DEPTH | FTW_PHYS);
}

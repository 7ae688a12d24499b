#include "served.h"

#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define READY_MS 30000

void served_path(const demo_server *served, const char *name, char path[300]) {
  snprintf(path, 300, "%s/%s", served->folder, name);
}

static bool make_key(const demo_server *served) {
  unsigned char bytes[32];
  char path[300];
  FILE *random = fopen("/dev/urandom", "rb"), *key;
  bool good =
      random != NULL && fread(bytes, 1, sizeof bytes, random) == sizeof bytes;

  if (random != NULL) fclose(random);
  served_path(served, "key", path);
  if (!good || (key = fopen(path, "w")) == NULL) return false;
  for (size_t i = 0; i < sizeof bytes; i++)
    fprintf(key, "%02x", bytes[i]);
  return fclose(key) == 0;
}

bool served_prepare(demo_server *served, const char *program) {
  const char *in = getenv("TMPDIR");

  memset(served, 0, sizeof *served);
  served->program = program;
  snprintf(served->folder, sizeof served->folder, "%.200s/seen-demo.XXXXXX",
           in != NULL ? in : "/tmp");
  return mkdtemp(served->folder) != NULL && make_key(served);
}

/* Runs the program with arguments; what it prints comes through `out`. */
static pid_t run(const demo_server *served, const char *const *arguments,
                 int *out) {
  int pipes[2];
  pid_t pid;

  if (pipe(pipes) != 0) return -1;
  if ((pid = fork()) == 0) {
    dup2(pipes[1], STDOUT_FILENO);
    close(pipes[0]);
    close(pipes[1]);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execv(served->program, (char *const *)arguments);
    _exit(127);
  }
  close(pipes[1]);
  *out = pipes[0];
  if (pid < 0) close(pipes[0]);
  return pid;
}

/* Reads the first line; false where none comes in time. */
static bool read_line(int from, char *line, size_t size) {
  size_t length = 0;

  while (length + 1 < size) {
    struct pollfd wait = {from, POLLIN, 0};

    if (poll(&wait, 1, READY_MS) <= 0 || read(from, line + length, 1) != 1)
      return false;
    if (line[length] == '\n') break;
    length++;
  }
  line[length] = '\0';
  return true;
}

static bool ended_well(pid_t pid) {
  int status = 0;

  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool served_import(const demo_server *served, const char *log,
                   const char *conv) {
  char db[300], line[512];
  const char *arguments[] = {served->program, "import", log, "--conv", conv,
                             "--db",          db,       NULL};
  pid_t pid;
  int out;

  served_path(served, "db", db);
  if ((pid = run(served, arguments, &out)) < 0) return false;
  read_line(out, line, sizeof line);
  close(out);
  return ended_well(pid);
}

bool served_start(demo_server *served) {
  char key[300], db[300], at[64], line[256];
  const char *arguments[] = {served->program,
                             "--listen",
                             at,
                             "--token-key",
                             key,
                             "--db",
                             db,
                             "--window-ms",
                             "200",
                             "--log-level",
                             "error",
                             NULL};
  const char *colon;

  served_path(served, "key", key);
  served_path(served, "db", db);
  snprintf(at, sizeof at, "127.0.0.1:%d", served->port);
  served->pid = run(served, arguments, &served->out);
  if (served->pid < 0) {
    served->pid = 0;
    return false;
  }
  if (!read_line(served->out, line, sizeof line) ||
      (colon = strrchr(line, ':')) == NULL) {
    served_kill(served);
    return false;
  }
  served->port = (int)strtol(colon + 1, NULL, 10);
  snprintf(served->url, sizeof served->url, "http://127.0.0.1:%d",
           served->port);
  return true;
}

void served_kill(demo_server *served) {
  if (served->pid == 0) return;
  kill(served->pid, SIGKILL);
  waitpid(served->pid, NULL, 0);
  close(served->out);
  served->pid = 0;
}

char *served_token(const demo_server *served, const char *user) {
  char key[300], *line = malloc(4096);
  const char *arguments[] = {
      served->program, "token", "--token-key", key, "--user", user,
      "--ttl",         "86400", NULL};
  pid_t pid;
  int out;
  bool read;

  served_path(served, "key", key);
  if (line == NULL || (pid = run(served, arguments, &out)) < 0) {
    free(line);
    return NULL;
  }
  read = read_line(out, line, 4096);
  close(out);
  if (ended_well(pid) && read) return line;
  free(line);
  return NULL;
}

static int drop(const char *path, const struct stat *state, int kind,
                struct FTW *walk) {
  (void)state;
  (void)kind;
  (void)walk;
  return remove(path);
}

void served_end(demo_server *served) {
  served_kill(served);
  nftw(served->folder, drop, 8, FTW_DEPTH | FTW_PHYS);
}

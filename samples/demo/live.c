#include "live.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAUSE_MAX_MS 8000 /* a long silence of the log is cut */
#define READ_AFTER_MS 1500

/* The token goes by a file: what stands on a command line, all can see. */
static bool write_token(const demo_server *server, const char *me,
                        char at[301]) {
  char *token = served_token(server, me), path[300];
  FILE *file;
  bool good = token != NULL;

  started_path(&server->on, "token", path);
  snprintf(at, 301, "@%s", path);
  if (good && (file = fopen(path, "w")) != NULL) {
    good = fputs(token, file) >= 0;
    good = fclose(file) == 0 && good;
  }
  free(token);
  return good;
}

static pid_t start(const demo_server *server, const char *program,
                   const char *me) {
  char at[301], db[300];
  pid_t pid;

  started_path(&server->on, "terminal", db);
  if (!write_token(server, me, at)) return -1;
  if ((pid = fork()) == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    execl(program, program, "--server", server->url, "--token", at, "--db", db,
          (char *)NULL);
    _exit(127);
  }
  return pid;
}

bool live_run(demo_devices *all, demo_crowd *crowd, const char *chat_program,
              const char *me) {
  pid_t pid = start(all->server, chat_program, me);
  int status = 0;
  bool more = true;

  if (pid < 0) return false;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    uint64_t pause = more ? crowd_pause(crowd) : PAUSE_MAX_MS;

    devices_rest(all, (int)(pause < PAUSE_MAX_MS ? pause : PAUSE_MAX_MS));
    more = more && crowd_say(crowd, me, NULL);
    devices_rest(all, READ_AFTER_MS);
    crowd_read(crowd, crowd->next % CROWD);
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

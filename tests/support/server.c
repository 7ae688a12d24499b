#define _XOPEN_SOURCE 700

#include "support/server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#ifndef SEEN_SERVER
#define SEEN_SERVER ""
#endif

enum { MOST_WORDS = 48, START_MS = 60000 };

/* A command line. */
typedef struct words {
  char text[MOST_WORDS][300];
  char *list[MOST_WORDS + 1];
  size_t count;
} words;

static void add(words *line, const char *word) {
  assert_true(line->count < MOST_WORDS);
  snprintf(line->text[line->count], sizeof *line->text, "%s", word);
  line->list[line->count] = line->text[line->count];
  line->list[++line->count] = NULL;
}

/* Runs the program; returns where it writes to. */
static int run(const words *line, const char *errors, pid_t *process) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(fcntl(ends[0], F_SETFD, FD_CLOEXEC), 0);
  fflush(NULL);
  *process = fork();
  assert_true(*process >= 0);
  if (*process == 0) {
    int log = open(errors, O_WRONLY | O_CREAT | O_APPEND, 0600);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves none */
    dup2(ends[1], STDOUT_FILENO);
    if (log >= 0) dup2(log, STDERR_FILENO);
    close(ends[1]);
    execv(SEEN_SERVER, line->list);
    _exit(127);
  }
  close(ends[1]);
  return ends[0];
}

/* A line, without its end; empty: none came. */
static void read_line(int from, char *line, size_t size) {
  size_t length = 0;
  struct pollfd wanted = {from, POLLIN, 0};
  while (length + 1 < size && poll(&wanted, 1, START_MS) == 1 &&
         read(from, line + length, 1) == 1 && line[length] != '\n')
    length++;
  line[length] = '\0';
}

static const char *file_of(const test_server *server, const char *name) {
  return test_folder_file(&server->folder, name);
}

static struct sockaddr_in address_of(uint16_t port) {
  struct sockaddr_in address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

/* Until it answers, or closes where it speaks TLS: the thread sanitizer may
 * lose a signal that comes when a process is about to wait for the first time.
 */
static void await_answer(uint16_t port) {
  static const char question[] = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
  struct sockaddr_in address = address_of(port);
  char answer[64];
  int end = socket(AF_INET, SOCK_STREAM, 0);
  assert_true(end >= 0);
  assert_int_equal(connect(end, (struct sockaddr *)&address, sizeof address),
                   0);
  assert_true(write(end, question, sizeof question - 1) > 0);
  while (read(end, answer, sizeof answer) < 0 && errno == EINTR) {
  }
  close(end);
}

static void launch(test_server *server, const char *const *settings) {
  words line = {.count = 0};
  char address[32], said[128];
  const char *colon;
  int from;
  snprintf(address, sizeof address, "127.0.0.1:%u", (unsigned)server->port);
  add(&line, "seen-server");
  add(&line, "--listen");
  add(&line, address);
  add(&line, "--token-key");
  add(&line, file_of(server, "key"));
  add(&line, "--db");
  add(&line, file_of(server, "db"));
  add(&line, "--log-level");
  add(&line, "warn");
  for (; settings && *settings; settings++)
    add(&line, *settings);
  from = run(&line, file_of(server, "log"), &server->process);
  read_line(from, said, sizeof said);
  close(from);
  colon = strrchr(said, ':');
  server->port = (uint16_t)(colon ? strtoul(colon + 1, NULL, 10) : 0);
  if (server->port == 0) fail_msg("seen-server said: '%s'", said);
  await_answer(server->port);
}

/* A socket that does not listen, at a port that was free: by its own wish the
 * server may share that, which none that is looked for by the system may. */
static int keep_port(uint16_t *port) {
  struct sockaddr_in address = address_of(0);
  socklen_t size = sizeof address;
  int on = 1, place = socket(AF_INET, SOCK_STREAM, 0);
  assert_true(place >= 0);
  assert_int_equal(fcntl(place, F_SETFD, FD_CLOEXEC), 0);
  setsockopt(place, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  assert_int_equal(bind(place, (struct sockaddr *)&address, size), 0);
  assert_int_equal(getsockname(place, (struct sockaddr *)&address, &size), 0);
  *port = ntohs(address.sin_port);
  return place;
}

void test_server_start(test_server *server, const char *const *settings) {
  static const char secret[] = "a secret of the tests, of no use elsewhere\n";
  memset(server, 0, sizeof *server);
  server->place = keep_port(&server->port);
  test_folder_make(&server->folder);
  test_file_write(file_of(server, "key"), secret, sizeof secret - 1);
  launch(server, settings);
}

void test_server_again(test_server *server, const char *const *settings) {
  launch(server, settings);
}

void test_server_import(const test_server *server, const char *log,
                        const char *conv) {
  const char *const said[] = {
      "seen-server",        "import", log, "--conv", conv, "--db",
      file_of(server, "db")};
  words line = {.count = 0};
  char told[128];
  pid_t process;
  int from, status;
  for (size_t i = 0; i < sizeof said / sizeof *said; i++)
    add(&line, said[i]);
  from = run(&line, file_of(server, "log"), &process);
  read_line(from, told, sizeof told);
  close(from);
  assert_int_equal(waitpid(process, &status, 0), process);
  assert_int_equal(status, 0);
}

static void end_by(test_server *server, int number) {
  int status;
  if (server->process == 0) return;
  kill(server->process, number);
  assert_int_equal(waitpid(server->process, &status, 0), server->process);
  server->process = 0;
}

void test_server_end(test_server *server) {
  end_by(server, SIGTERM);
}

void test_server_kill(test_server *server) {
  end_by(server, SIGKILL);
}

void test_server_remove(test_server *server) {
  end_by(server, SIGKILL);
  close(server->place);
  test_folder_remove(&server->folder);
}

void test_server_token(const test_server *server, const char *user, int seconds,
                       char token[TEST_TOKEN_MAX]) {
  words line = {.count = 0};
  char ttl[16];
  pid_t process;
  int from, status;
  snprintf(ttl, sizeof ttl, "%d", seconds ? seconds : -1);
  add(&line, "seen-server");
  add(&line, "token");
  add(&line, "--token-key");
  add(&line, file_of(server, "key"));
  add(&line, "--user");
  add(&line, user);
  add(&line, "--ttl");
  add(&line, ttl);
  from = run(&line, file_of(server, "log"), &process);
  read_line(from, token, TEST_TOKEN_MAX);
  close(from);
  assert_int_equal(waitpid(process, &status, 0), process);
  assert_int_equal(status, 0);
  assert_true(*token != '\0');
}

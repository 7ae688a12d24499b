#define _XOPEN_SOURCE 700

#include "support/child.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST_SECONDS = 120 };

pid_t test_child_start(bool (*act)(void *with), void *with) {
  int ends[2];
  char byte;
  pid_t child;
  assert_int_equal(pipe(ends), 0);
  fflush(NULL);
  child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    alarm(MOST_SECONDS);
    if (!act(with) || write(ends[1], "", 1) != 1) _exit(3);
    for (;;)
      pause();
  }
  close(ends[1]);
  assert_int_equal(read(ends[0], &byte, 1), 1);
  close(ends[0]);
  return child;
}

void test_child_kill(pid_t child) {
  int status;
  assert_int_equal(kill(child, SIGKILL), 0);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status));
}

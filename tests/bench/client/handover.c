/* There by a pipe that is polled, back by a semaphore. */
#include "handover.h"

#include "stand.h"

#include "../server/stage.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

static void *answer(void *argument) {
  partner *self = argument;
  struct pollfd wanted = {self->ends[0], POLLIN, 0};
  char byte;
  while (poll(&wanted, 1, -1) == 1 && read(self->ends[0], &byte, 1) == 1)
    sem_post(&self->answered);
  return NULL;
}

void partner_begin(partner *self) {
  if (pipe2(self->ends, O_CLOEXEC) || sem_init(&self->answered, 0, 0) ||
      pthread_create(&self->thread, NULL, answer, self))
    stand_fail("no thread", NULL);
}

void partner_end(partner *self) {
  close(self->ends[1]);
  pthread_join(self->thread, NULL);
  close(self->ends[0]);
  sem_destroy(&self->answered);
}

void partner_ask(partner *self, figure *to) {
  uint64_t began = stage_now();
  if (write(self->ends[1], "", 1) != 1) stand_fail("no pipe", NULL);
  while (sem_wait(&self->answered))
    continue;
  figure_add(to, stage_now() - began);
}

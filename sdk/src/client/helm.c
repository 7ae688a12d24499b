/* A lock that its loop can hold while it waits, and is asked for by others. */
#include "client/helm.h"

#include "base/fail.h"

int sn_helm_init(sn_helm *helm, const sn_signal *signal,
                 const seen_allocator *memory) {
  *helm = (sn_helm){.memory = memory, .signal = signal};
  helm->mutex = sn_platform_mutex_new(memory);
  helm->changed = sn_platform_condition_new(memory);
  return helm->mutex && helm->changed ? SEEN_OK : SEEN_ENOMEM;
}

void sn_helm_free(sn_helm *helm) {
  sn_platform_condition_free(helm->memory, helm->changed);
  sn_platform_mutex_free(helm->memory, helm->mutex);
}

static void lock(sn_helm *helm) {
  sn_platform_mutex_lock(helm->mutex);
}

static void unlock(sn_helm *helm) {
  sn_platform_mutex_unlock(helm->mutex);
}

/* Until when; SEEN_NEVER: for ever. */
static uint64_t end_of(uint32_t timeout_ms) {
  return timeout_ms == SN_FOREVER ? SEEN_NEVER
                                  : sn_platform_clock() + timeout_ms;
}

/* The lock is held. False: the time is over. */
static bool wait(sn_helm *helm, uint64_t end) {
  uint64_t now = end == SEEN_NEVER ? 0 : sn_platform_clock();
  uint64_t left = end - now;
  if (end <= now) return false;
  sn_platform_condition_wait(helm->changed, helm->mutex,
                             left < SN_FOREVER ? (uint32_t)left : SN_FOREVER);
  return true;
}

bool sn_helm_take(sn_helm *helm, uint32_t timeout_ms) {
  uint64_t end = end_of(timeout_ms);
  bool mine;
  lock(helm);
  helm->callers++;
  if (helm->held) sn_platform_signal_raise(helm->signal);
  while (helm->held && wait(helm, end))
    ;
  mine = !helm->held;
  if (mine) helm->held = true;
  helm->callers--;
  if (!mine) sn_platform_condition_tell(helm->changed);
  unlock(helm);
  return mine;
}

void sn_helm_give(sn_helm *helm) {
  lock(helm);
  helm->held = false;
  sn_platform_condition_tell(helm->changed);
  unlock(helm);
}

bool sn_helm_take_turn(sn_helm *helm, uint32_t timeout_ms) {
  uint64_t end = end_of(timeout_ms);
  bool mine;
  lock(helm);
  while ((helm->held || helm->callers) && !helm->closing && wait(helm, end))
    ;
  mine = !helm->held && !helm->callers && !helm->closing;
  if (mine) helm->held = true;
  unlock(helm);
  return mine;
}

bool sn_helm_wanted(sn_helm *helm) {
  bool wanted;
  lock(helm);
  wanted = helm->callers > 0 || helm->closing;
  unlock(helm);
  return wanted;
}

static int check_free(const sn_helm *helm, seen_error *error) {
  if (helm->closing) return sn_fail(error, SEEN_ECLOSED, "it is closed");
  if (helm->threaded)
    return sn_fail(error, SEEN_ESTATE, "it runs on a thread of its own");
  if (helm->stepping) return sn_fail(error, SEEN_ESTATE, "it is being stepped");
  return SEEN_OK;
}

int sn_helm_start(sn_helm *helm, void *(*run)(void *), void *argument,
                  seen_error *error) {
  int status;
  lock(helm);
  status = check_free(helm, error);
  if (!status) status = sn_platform_thread(run, argument, &helm->thread, error);
  if (!status) helm->threaded = true;
  unlock(helm);
  return status;
}

int sn_helm_begin_step(sn_helm *helm, seen_error *error) {
  int status;
  lock(helm);
  status = check_free(helm, error);
  if (!status) helm->stepping = true;
  unlock(helm);
  return status;
}

void sn_helm_end_step(sn_helm *helm) {
  lock(helm);
  helm->stepping = false;
  unlock(helm);
}

bool sn_helm_close(sn_helm *helm) {
  bool first;
  lock(helm);
  first = !helm->closing;
  helm->closing = true;
  sn_platform_condition_tell(helm->changed);
  while (!first && !helm->ended)
    (void)wait(helm, SEEN_NEVER);
  unlock(helm);
  if (first) (void)sn_helm_take(helm, SN_FOREVER);
  return first;
}

bool sn_helm_is_closing(sn_helm *helm) {
  bool closing;
  lock(helm);
  closing = helm->closing;
  unlock(helm);
  return closing;
}

void sn_helm_end(sn_helm *helm) {
  if (helm->threaded) sn_platform_join(helm->thread);
  lock(helm);
  helm->ended = true;
  helm->held = false;
  sn_platform_condition_tell(helm->changed);
  unlock(helm);
}

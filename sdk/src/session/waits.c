/* The generator is splitmix64: small, and good enough to spread clients. */
#include "session/waits.h"

uint64_t sn_random(sn_session *session) {
  uint64_t z = session->random += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

uint64_t sn_doubled(uint64_t from, uint32_t times, uint64_t most) {
  while (times-- && from < most)
    from *= 2;
  return from < most ? from : most;
}

uint64_t sn_wait_within(sn_session *session, uint64_t ms) {
  return sn_random(session) % (ms + 1);
}

uint64_t sn_wait(sn_session *session, uint32_t failures) {
  const sn_intervals *by = &session->intervals;
  return sn_wait_within(session, sn_doubled(by->backoff_min_ms,
                                            failures ? failures - 1 : 0,
                                            by->backoff_max_ms));
}

uint64_t sn_later(uint64_t time, uint64_t ms) {
  return time > SEEN_NEVER - ms ? SEEN_NEVER : time + ms;
}

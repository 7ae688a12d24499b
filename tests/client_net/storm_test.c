/*
 * Two and five devices of a user, and others who write, through networks that
 * break and a server that is killed: within five seconds of quiet all show the
 * same, and what the server counts. Rounds run side by side, in processes.
 * A round that fails leaves its recorders' traces, for seen-replay.
 */
#define _POSIX_C_SOURCE 200809L

#include "client_net/storm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libwebsockets.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client_net/recount.h"

enum {
  ROUNDS = 100,
  SIDE_BY_SIDE = 12,
  RAGE_MS = 1000,
  CALM_MS = 5000,
  LATEST_MS = 60000, /* a machine that is busy is told of, up to here */
  REST_MS = 50,
  SLACK_MS = 10 /* of an idle machine */
};

static pid_t workers[SIDE_BY_SIDE];
static size_t worker_count;

static void compare(const storm *s, const storm_device *d, test_dump *why) {
  seen_metrics metrics = {.size = sizeof metrics};
  recount of;
  if (!recount_ask(&s->server, d->token, &of)) {
    test_dump_say(why, "# %s: the server does not answer\n", d->name);
    return;
  }
  recount_compare(&of, d->name, d->host->client, why);
  /* An admin, as bob is, may ask about what others wrote, too. */
  for (size_t i = strcmp(d->user, "bob") ? 0 : STORM_CONVS;
       why->length == 0 && i < STORM_CONVS - 1; i++)
    recount_receipts(&of, d->name, d->host->client, storm_conv(i), why);
  seen_client_metrics(d->host->client, &metrics);
  if (metrics.unread_drift)
    test_dump_say(why, "# %s: a count drifted\n", d->name);
  recount_free(&of);
}

/* What differs now; nothing: all is as it should be. */
static void look_over(const storm *s, test_dump *why) {
  test_dump_clear(why);
  if (!storm_is_answered(s)) test_dump_say(why, "# requests are out\n");
  for (size_t i = 0; i < s->count; i++)
    compare(s, &s->devices[i], why);
}

static int keep_line(const char *line, size_t length, void *user_data) {
  FILE *file = user_data;
  return fwrite(line, 1, length, file) == length && fputc('\n', file) != EOF
             ? SEEN_OK
             : SEEN_EIO;
}

static void keep_trace(const storm *s, const storm_device *d) {
  char name[100];
  FILE *file;
  snprintf(name, sizeof name, "storm-%llu-%s.jsonl",
           (unsigned long long)s->seed, d->name);
  file = fopen(name, "w");
  if (!file) return;
  if (!seen_client_dump(d->host->client, SEEN_NAMES_REAL, keep_line, file,
                        NULL))
    printf("# %s's recorder: %s, for seen-replay\n", d->name, name);
  fclose(file);
}

/* Rests, and says by how much longer than that: time that the machine gave to
 * others, which is not the network's. */
static uint64_t rest(storm *s) {
  uint64_t began = sn_platform_clock(), took;
  storm_rest(s, REST_MS);
  took = sn_platform_clock() - began;
  return took > REST_MS + SLACK_MS ? took - REST_MS - SLACK_MS : 0;
}

static bool play(uint64_t seed) {
  test_dump why = {0};
  storm s;
  uint64_t end, scale = test_scaled(20) == 20 ? 1 : 6, calm;
  bool fine;
  storm_begin(&s, seed, seed % 2 ? 2 : 5);
  storm_rage(&s, RAGE_MS);
  storm_calm(&s);
  calm = sn_platform_clock() + CALM_MS * scale;
  end = calm + (LATEST_MS - CALM_MS) * scale;
  do {
    calm += rest(&s);
    look_over(&s, &why);
  } while (why.length && sn_platform_clock() < end);
  fine = why.length == 0;
  if (fine && sn_platform_clock() > calm)
    printf("# seed %llu: not within five seconds\n", (unsigned long long)seed);
  if (!fine) {
    printf("# seed %llu:\n%s", (unsigned long long)seed, why.text);
    for (size_t i = 0; i < s.count; i++)
      keep_trace(&s, &s.devices[i]);
    fflush(stdout);
  }
  storm_end(&s);
  test_dump_free(&why);
  return fine;
}

/* Every so many-th round, the last one under the fresh seed. */
static int work(size_t first, size_t step, uint64_t rounds, uint64_t fresh) {
  int failed = 0;
  for (uint64_t i = first; i < rounds; i += step)
    failed |= !play(i + 1 < rounds ? i + 1 : fresh);
  return failed;
}

/* Before there is a thread, and a test that one could fail. */
static void start_workers(void) {
  uint64_t rounds = test_scaled(ROUNDS), fresh = test_fresh_seed();
  worker_count = rounds < SIDE_BY_SIDE ? (size_t)rounds : SIDE_BY_SIDE;
  for (size_t i = 0; i < worker_count; i++) {
    workers[i] = fork();
    if (workers[i] == 0) exit(work(i, worker_count, rounds, fresh));
  }
}

static void test_storm__after_it_all_devices_show_the_same(void **state) {
  size_t failed = 0;
  (void)state;
  for (size_t i = 0; i < worker_count; i++) {
    int status = 0;
    assert_true(workers[i] > 0);
    assert_int_equal(waitpid(workers[i], &status, 0), workers[i]);
    failed += status != 0;
  }
  assert_int_equal(failed, 0);
}

int main(int count, char **arguments) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_storm__after_it_all_devices_show_the_same),
  };
  /* Its log is the process's, and written by all its contexts at once. */
  lws_set_log_level(0, NULL);
  if (count > 1) return !play(strtoull(arguments[1], NULL, 10));
  start_workers();
  return cmocka_run_group_tests(tests, NULL, NULL);
}

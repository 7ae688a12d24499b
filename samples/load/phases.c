/*
 * The loop: sockets are served, then the phase says what is done. Every wait
 * has a bound, so that a run ends whatever the server does.
 */
#include "phases.h"

#include "clock.h"
#include "memory.h"
#include "run.h"
#include "stage.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { JOINING_AT_ONCE = 64, TURN_MS = 100, TICK_NS = 1000000 };

#define MS 1000000ull

static volatile sig_atomic_t interrupted;

static void on_signal(int number) {
  (void)number;
  interrupted = 1;
}

void phases_catch_signals(void) {
  struct sigaction how;

  memset(&how, 0, sizeof how);
  how.sa_handler = on_signal;
  sigaction(SIGTERM, &how, NULL);
  sigaction(SIGINT, &how, NULL);
  how.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &how, NULL);
}

static void take_limits(run *self, const cJSON *welcome) {
  const cJSON *told = cJSON_GetObjectItemCaseSensitive(welcome, "limits");

  self->limits.window_ms = frame_number(told, "window_ms");
  self->limits.roster_limit = frame_number(told, "roster_limit");
  self->limits.subscribe = frame_number(told, "subscribe");
  self->limits.subscriptions = frame_number(told, "subscriptions");
  self->limits.reports_per_second = frame_number(told, "reports_per_second");
  self->figures.window_ms = self->limits.window_ms;
  self->figures.reports_per_second = self->limits.reports_per_second;
}

static void on_frame(void *of, size_t actor, const char *text, size_t length) {
  run *self = of;
  cJSON *frame = cJSON_ParseWithLength(text, length);
  const char *type = frame_text(frame, "t");

  self->heard_at = clock_precise();
  if (*type == '\0') {
    run_fail(self, "what the server sent is no frame: %.*s",
             (int)(length < 80 ? length : 80), text);
  } else if (strcmp(type, "welcome") == 0) {
    take_limits(self, frame);
  } else if (actor == STAGE_HOST) {
    stage_frame(self->stage, type, frame);
  } else if (self->phase == JOINING) {
    if (strcmp(type, "changes") == 0 && frame_number(frame, "id") == 1)
      self->joined++;
    if (strcmp(type, "error") == 0)
      run_fail(self, "joining failed: %.40s", frame_text(frame, "code"));
  } else {
    self->load->frame(self, actor, type, frame);
  }
  cJSON_Delete(frame);
}

static void on_gone(void *of, size_t actor, int code, const char *why) {
  run *self = of;
  char name[64];

  (void)code;
  run_actor_name(self, actor, name);
  run_fail(self, "the server is lost: %s (%s)", why, name);
}

/* Some dial while others wait for their `changes`. */
static void join(run *self) {
  static const char hello[] = "{\"t\":\"hello\",\"id\":1,\"device\":\"load\"}";

  while (self->dialled < self->actor_count && self->phase == JOINING &&
         self->dialled - self->joined < JOINING_AT_ONCE) {
    size_t actor = self->dialled++;
    char *token = run_token(self, actor);

    if (token == NULL) return;
    self->actors[actor] = net_dial(self->net, actor, token);
    free(token);
    run_say(self, actor, hello, sizeof hello - 1);
  }
}

static double cpu_s(void) {
  struct rusage used;

  getrusage(RUSAGE_SELF, &used);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

/* What the server counts by itself, before the load and after it. */
static void look_at_server(run *self, double sign) {
  char *page = ask_now(self->how, "/metrics");

  if (page != NULL) server_counts_add(&self->figures.server, page, sign);
  free(page);
}

static void begin(run *self) {
  const options *how = self->how;

  look_at_server(self, -1);
  self->slot_most = (size_t)how->users * how->in_flight;
  self->slots = must_allocate(self->slot_most, sizeof *self->slots);
  for (size_t i = 0; i < self->slot_most; i++)
    self->slots[self->slot_count++] = (uint32_t)(i % how->users);
  self->phase = LOADING;
  self->figures.pushes = 0;
  self->figures.cpu_s = -cpu_s();
  self->figures.began = self->heard_at = clock_precise();
}

/* When the n-th act is due. */
static uint64_t due(const run *self, uint64_t n) {
  return self->figures.began + n * (1000 * MS) / self->how->rate;
}

/*
 * Lets act whoever may: at once, or by the rate, where an act that had to wait
 * for a user is late since it was due. Who has nothing left loses the slot.
 */
static void pace(run *self) {
  while (self->slot_count > 0 && self->phase == LOADING) {
    uint64_t now = clock_precise();
    uint64_t at = self->how->rate > 0 ? due(self, self->acts) : now;
    size_t user = self->slots[self->slot_first];

    if (at > now) return;
    self->slot_first = (self->slot_first + 1) % self->slot_most;
    self->slot_count--;
    if (!self->load->act(self, user, at)) continue;
    self->acts++;
    self->in_air++;
  }
}

static uint64_t not_told(const run *self) {
  return self->load->not_told != NULL ? self->load->not_told(self) : 0;
}

static void stop(run *self, uint64_t now) {
  figures *of = &self->figures;
  uint64_t dues = self->how->rate > 0
                      ? (now - of->began) * self->how->rate / (1000 * MS) + 1
                      : self->acts;

  self->phase = DRAINING;
  of->cpu_s += cpu_s();
  of->stopped = now;
  of->answered_in_time = of->answered;
  of->not_answered = of->sent - of->answered;
  of->not_told = not_told(self);
  of->not_sent = dues > self->acts ? dues - self->acts : 0;
}

static void load_on(run *self, uint64_t now) {
  bool used_up = self->slot_count == 0 && self->in_air == 0;

  if (now - self->figures.began >= self->how->duration_ms * MS ||
      interrupted != 0 || used_up) {
    stop(self, now);
    return;
  }
  pace(self);
  if (self->in_air == 0) self->heard_at = now;
}

static void drain(run *self, uint64_t now) {
  uint64_t most = (self->how->give_up_ms + 2 * self->limits.window_ms) * MS;

  if (self->in_air == 0 && not_told(self) == 0) {
    self->figures.drained = now;
    look_at_server(self, 1);
    self->phase = DONE;
  } else if (now - self->figures.stopped > most) {
    run_fail(self,
             "the backlog did not drain in %llu ms: %llu have no answer, %llu "
             "are not told",
             (unsigned long long)(most / MS), (unsigned long long)self->in_air,
             (unsigned long long)not_told(self));
  }
}

static void ready(run *self) {
  self->phase = READYING;
  if (self->load->ready != NULL) self->load->ready(self);
}

/* Where nothing comes for too long, the server is lost. */
static void look_for_silence(run *self, uint64_t now) {
  uint64_t most = self->how->give_up_ms * MS;

  if (self->phase == DRAINING && self->in_air == 0) return;
  if (self->phase >= DONE || now < self->heard_at + most) return;
  run_fail(self, "the server is lost: it said nothing for %u ms",
           (unsigned)self->how->give_up_ms);
}

static void step(run *self) {
  uint64_t now = clock_precise();

  if (interrupted != 0 && self->phase < LOADING)
    run_fail(self, "interrupted before the load");
  if (self->phase == SETTING_UP && stage_turn(self->stage, now))
    self->phase = JOINING;
  if (self->phase == JOINING) {
    join(self);
    if (self->phase == JOINING && self->joined == self->actor_count)
      ready(self);
  }
  if (self->phase == READYING && self->preparing == 0) begin(self);
  if (self->phase == LOADING) load_on(self, clock_precise());
  if (self->phase == DRAINING) drain(self, clock_precise());
  look_for_silence(self, now);
}

/*
 * How long the net may wait for sockets. The system's clock for that ticks in
 * ms; what is due within one leaves together.
 */
static uint64_t patience(const run *self) {
  uint64_t now = clock_precise(), until = now + TURN_MS * MS, next;

  if (self->phase == SETTING_UP) return 5 * MS;
  if (self->phase != LOADING) return TURN_MS * MS;
  next = self->figures.began + self->how->duration_ms * MS;
  if (next < until) until = next;
  if (self->how->rate > 0 && self->slot_count > 0 &&
      (next = due(self, self->acts)) < until)
    until = next;
  return until > now + TICK_NS ? until - now : TICK_NS;
}

static bool open_names(run *self) {
  FILE *random = fopen("/dev/urandom", "rb");
  unsigned char bytes[4];
  bool good =
      random != NULL && fread(bytes, 1, sizeof bytes, random) == sizeof bytes;

  if (random != NULL) fclose(random);
  if (!good) return false;
  snprintf(self->name, sizeof self->name, "load%02x%02x%02x%02x", bytes[0],
           bytes[1], bytes[2], bytes[3]);
  for (size_t i = 0; i < self->group_count; i++)
    snprintf(self->groups[i].name, sizeof self->groups[i].name, "%s-c%zu",
             self->name, i);
  return true;
}

static bool open_key(run *self) {
  char *token;

  self->key = token_key_open(self->how->token_key, self->why);
  if (self->key == NULL) return false;
  token = run_token(self, STAGE_HOST);
  free(token);
  return token != NULL;
}

static bool run_open(run *self) {
  const options *how = self->how;
  net_server at = {how->host, (int)how->port, how->tls, how->insecure};
  net_hooks told = {self, on_frame, on_gone};

  self->group_count = options_groups(how);
  self->groups = must_allocate(self->group_count, sizeof *self->groups);
  self->actor_count = how->users + self->group_count * how->subscribers;
  self->actors = must_allocate(self->actor_count, sizeof *self->actors);
  if (!open_key(self)) return false;
  if (!open_names(self)) {
    snprintf(self->why, sizeof self->why, "there is no randomness");
    return false;
  }
  self->net = net_open(&at, &told, self->actor_count + how->users, self->why);
  return self->net != NULL;
}

static void run_close(run *self) {
  if (self->kept != NULL) self->load->close(self);
  net_close(self->net);
  stage_close(self->stage);
  token_key_close(self->key);
  free(self->groups);
  free(self->actors);
  free(self->slots);
}

int phases_run(const options *how, figures *told, char *why) {
  static const load *const loads[LOADS] = {&load_reports, &load_durable,
                                           &load_receipts, &load_queries};
  run self;
  int result = 2;

  memset(&self, 0, sizeof self);
  self.how = how;
  self.load = loads[how->load];
  self.heard_at = clock_precise();
  if (run_open(&self) && self.load->open(&self)) {
    self.stage = stage_open(&self);
    while (self.phase < DONE) {
      net_alarm(self.net, patience(&self));
      if (!net_turn(self.net)) run_fail(&self, "libwebsockets failed");
      step(&self);
    }
    result = self.phase == DONE ? 0 : 1;
  }
  self.figures.unit = self.load->unit;
  self.figures.section = self.load->section;
  self.figures.own = cJSON_CreateObject();
  if (result == 0) self.load->tell(&self, self.figures.own);
  snprintf(why, WHY_BYTES, "%s", self.why);
  *told = self.figures;
  run_close(&self);
  return result;
}

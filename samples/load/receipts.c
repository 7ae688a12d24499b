/*
 * How receipts merge: readers report one message after the other, subscribers
 * are told counts. The k-th report of a message that was acknowledged is told
 * when a row of the message says at least k.
 */
#include "reporting.h"

#include "clock.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

/* Of one message. */
typedef struct message_count {
  uint64_t *reported; /* when reports of it were due, those not yet told */
  uint32_t acked, told, capacity;
} message_count;

typedef struct receipts {
  reporting reporting;
  message_count *counts; /* of each message of each group */
  uint64_t not_told;     /* reports */
  uint64_t frames, rows, subscriptions;
} receipts;

static message_count *count_of(const run *of, size_t group, uint64_t seq) {
  const receipts *self = of->kept;
  uint64_t at = seq - of->groups[group].first;

  if (seq < of->groups[group].first || at >= of->how->messages) return NULL;
  return &self->counts[group * of->how->messages + (size_t)at];
}

/* It may have been told before its ack came: they go by two connections. */
static void taken(run *of, size_t group, uint64_t seq, uint64_t at) {
  receipts *self = of->kept;
  message_count *on = count_of(of, group, seq);

  if (on == NULL) return;
  on->reported = MUST_GROW(on->reported, on->acked, on->capacity);
  on->reported[on->acked++] = at;
  if (on->acked <= on->told)
    latency_add(&of->figures.waits[1].took, clock_precise() - at);
  else
    self->not_told++;
}

static bool open_receipts(run *of) {
  receipts *self = must_allocate(1, sizeof *self);

  reporting_open(&self->reporting, of);
  self->reporting.taken = taken;
  self->counts =
      must_allocate(of->group_count * of->how->messages, sizeof *self->counts);
  of->kept = self;
  of->figures.waits[0].name = "ack";
  of->figures.waits[1].name = "told";
  return true;
}

static void close_receipts(run *of) {
  receipts *self = of->kept;

  for (size_t i = 0; i < of->group_count * of->how->messages; i++)
    free(self->counts[i].reported);
  free(self->counts);
  reporting_close(&self->reporting);
  free(self);
}

/* All messages of the group, as many at once as the server takes. */
static void subscribe(run *of, size_t actor, const load_group *to) {
  receipts *self = of->kept;
  uint64_t most = of->limits.subscribe > 0 ? of->limits.subscribe : 1;
  char text[200];

  for (uint64_t from = to->first; from <= to->last; from += most) {
    uint64_t end = from + most - 1 < to->last ? from + most - 1 : to->last;
    int length =
        snprintf(text, sizeof text,
                 "{\"t\":\"subscribe\",\"id\":2,\"conv\":\"%s\","
                 "\"from\":%llu,\"to\":%llu}",
                 to->name, (unsigned long long)from, (unsigned long long)end);

    run_say(of, actor, text, (size_t)length);
    of->preparing++;
    self->subscriptions++;
  }
}

static void ready(run *of) {
  for (size_t i = 0; i < of->group_count; i++)
    for (size_t k = 0; k < of->how->subscribers; k++)
      subscribe(of, of->how->users + i * of->how->subscribers + k,
                &of->groups[i]);
}

/* A row, to the first subscriber of a group. */
static void take_row(run *of, size_t group, const cJSON *row) {
  receipts *self = of->kept;
  uint64_t now = clock_precise();
  message_count *on = count_of(
      of, group, (uint64_t)cJSON_GetNumberValue(cJSON_GetArrayItem(row, 0)));
  double read = cJSON_GetNumberValue(cJSON_GetArrayItem(row, 1));

  if (on == NULL) return;
  for (; on->told < read; on->told++)
    if (on->told < on->acked) {
      latency_add(&of->figures.waits[1].took, now - on->reported[on->told]);
      self->not_told--;
    }
}

static void take_rows(run *of, size_t subscriber, const cJSON *frame) {
  receipts *self = of->kept;
  const cJSON *rows = cJSON_GetObjectItemCaseSensitive(frame, "rows"), *row;

  if (frame_number(frame, "id") != 0) {
    of->preparing--;
    return;
  }
  self->frames++;
  self->rows += (uint64_t)cJSON_GetArraySize(rows);
  of->figures.pushes++;
  if (subscriber % of->how->subscribers != 0) return;
  cJSON_ArrayForEach(row, rows)
      take_row(of, subscriber / of->how->subscribers, row);
}

static void frame_came(run *of, size_t actor, const char *type,
                       const cJSON *frame) {
  receipts *self = of->kept;

  if (actor < of->how->users)
    reporting_frame(&self->reporting, of, actor, type, frame);
  else if (strcmp(type, "receipts") == 0)
    take_rows(of, actor - of->how->users, frame);
  else if (strcmp(type, "error") == 0)
    run_fail(of, "a subscriber was refused: %.40s", frame_text(frame, "code"));
  else
    of->figures.pushes++;
}

static bool act(run *of, size_t user, uint64_t at) {
  receipts *self = of->kept;

  return reporting_act(&self->reporting, of, user, at);
}

static uint64_t not_told(const run *of) {
  const receipts *self = of->kept;

  return self->not_told;
}

/* Merging, by reports of a group to the frames that one subscriber got. */
static void tell(const run *of, cJSON *into) {
  const receipts *self = of->kept;
  double frames = (double)self->frames / of->how->subscribers;

  cJSON_AddNumberToObject(into, "subscriptions", (double)self->subscriptions);
  cJSON_AddNumberToObject(into, "receipts_frames", (double)self->frames);
  cJSON_AddNumberToObject(into, "receipts_rows", (double)self->rows);
  cJSON_AddNumberToObject(into, "reports_per_frame",
                          frames > 0 ? (double)of->figures.answered / frames
                                     : 0);
}

const load load_receipts = {
    .unit = "reports",
    .open = open_receipts,
    .close = close_receipts,
    .ready = ready,
    .act = act,
    .frame = frame_came,
    .not_told = not_told,
    .section = "merge",
    .tell = tell,
};

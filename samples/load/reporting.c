/* Frames `read` and their answers. */
#include "reporting.h"

#include "clock.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

enum { FRAME_BYTES = 16384 };

void reporting_open(reporting *self, const run *of) {
  self->readers = must_allocate(of->how->users, sizeof *self->readers);
}

void reporting_close(reporting *self) {
  free(self->readers);
}

/* The user's n-th report. Users begin with different conversations. */
static size_t group_of(const run *of, size_t user, uint64_t n) {
  uint32_t conversations = of->how->conversations;

  return run_group_of(of, user, (size_t)((n + user) % conversations));
}

static uint64_t seq_of(const run *of, size_t group, uint64_t n) {
  return of->groups[group].first + n / of->how->conversations;
}

static size_t write_frame(const run *of, size_t user, const report_frame *from,
                          char *text) {
  int length =
      snprintf(text, FRAME_BYTES, "{\"t\":\"read\",\"id\":%llu,\"items\":[",
               (unsigned long long)from->id);

  for (uint64_t n = from->first; n < from->first + from->items; n++) {
    size_t group = group_of(of, user, n);

    length += snprintf(text + length, FRAME_BYTES - (size_t)length,
                       "%s{\"conv\":\"%s\",\"epoch\":0,\"seq\":%llu}",
                       n > from->first ? "," : "", of->groups[group].name,
                       (unsigned long long)seq_of(of, group, n));
  }
  length += snprintf(text + length, FRAME_BYTES - (size_t)length, "]}");
  return (size_t)length;
}

bool reporting_act(reporting *self, run *of, size_t user, uint64_t at) {
  const options *how = of->how;
  reader *by = &self->readers[user];
  uint64_t left = (uint64_t)how->conversations * how->messages - by->next;
  report_frame *made;
  char text[FRAME_BYTES];

  if (left == 0) return false;
  made = &by->frames[by->in_air++];
  made->id = ++by->last_id;
  made->at = at;
  made->first = by->next;
  made->items = left < how->items ? (uint32_t)left : how->items;
  made->answered = 0;
  by->next += made->items;
  of->figures.sent += made->items;
  run_say(of, user, text, write_frame(of, user, made, text));
  return true;
}

static report_frame *find(reader *by, uint64_t id) {
  for (size_t i = 0; i < by->in_air; i++)
    if (by->frames[i].id == id) return &by->frames[i];
  return NULL;
}

static void complete(run *of, size_t user, reader *by, report_frame *done) {
  figures *told = &of->figures;
  size_t after = (size_t)(by->frames + by->in_air - done) - 1;

  told->answered += done->items;
  if (done->answered < done->items)
    tally_add(&told->errors, "not in the answer", done->items - done->answered);
  memmove(done, done + 1, after * sizeof *done);
  by->in_air--;
  run_answered(of, user);
}

static void take_item(const reporting *self, run *of, size_t user,
                      const report_frame *to, const cJSON *item) {
  const char *result = frame_text(item, "result");
  uint64_t n = to->first + to->answered;
  size_t group = group_of(of, user, n);

  if (strcmp(result, "refused") == 0) {
    tally_add(&of->figures.errors, frame_text(item, "code"), 1);
    return;
  }
  tally_add(&of->figures.results, result, 1);
  if (self->taken != NULL) self->taken(of, group, seq_of(of, group, n), to->at);
}

void reporting_frame(reporting *self, run *of, size_t user, const char *type,
                     const cJSON *frame) {
  reader *by = &self->readers[user];
  report_frame *to = find(by, frame_number(frame, "id"));
  const cJSON *item;

  if (strcmp(type, "error") == 0) {
    const char *code = frame_text(frame, "code");

    tally_add(&of->figures.errors, code, to != NULL ? to->items : 1);
    if (to == NULL) return;
    to->answered = to->items;
    complete(of, user, by, to);
  } else if (strcmp(type, "ack") == 0 && to != NULL) {
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(frame, "items")) {
      if (to->answered == to->items) break;
      take_item(self, of, user, to, item);
      to->answered++;
    }
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(frame, "more"))) return;
    latency_add(&of->figures.waits[0].took, clock_precise() - to->at);
    complete(of, user, by, to);
  } else {
    of->figures.pushes++;
  }
}

bool reporters_open(run *of) {
  reporting *self = must_allocate(1, sizeof *self);

  reporting_open(self, of);
  of->kept = self;
  of->figures.waits[0].name = "ack";
  return true;
}

void reporters_close(run *of) {
  reporting_close(of->kept);
  free(of->kept);
}

bool reporters_act(run *of, size_t user, uint64_t at) {
  return reporting_act(of->kept, of, user, at);
}

void reporters_frame(run *of, size_t user, const char *type,
                     const cJSON *frame) {
  reporting_frame(of->kept, of, user, type, frame);
}

/* Reports to the frames that they came in, and to those that came of them. */
void reporters_tell(const run *of, cJSON *into) {
  const figures *told = &of->figures;

  cJSON_AddNumberToObject(into, "frames", (double)of->acts);
  cJSON_AddNumberToObject(into, "reports_per_frame",
                          of->acts > 0 ? (double)told->sent / (double)of->acts
                                       : 0);
}

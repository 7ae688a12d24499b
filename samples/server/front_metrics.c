/* What is there to watch, as Prometheus reads it. */
#include "front_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { METRICS_BYTES = 16384 };

typedef struct page {
  char *text;
  size_t length;
} page;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
add(page *self, const char *format, ...) {
  size_t room = METRICS_BYTES - self->length;
  va_list arguments;
  int length;

  va_start(arguments, format);
  length = vsnprintf(self->text + self->length, room, format, arguments);
  va_end(arguments);
  if (length > 0 && (size_t)length < room) self->length += (size_t)length;
}

static void value(page *self, const char *name, const char *type,
                  const char *help, uint64_t number) {
  add(self, "# HELP seen_%s %s\n# TYPE seen_%s %s\nseen_%s %llu\n", name, help,
      name, type, name, (unsigned long long)number);
}

static void durations(page *self, const char *name, const char *help,
                      const histogram *of) {
  uint64_t below = 0;

  add(self, "# HELP seen_%s %s\n# TYPE seen_%s histogram\n", name, help, name);
  for (int i = 0; i < HISTOGRAM_BUCKETS; i++) {
    below += of->counts[i];
    add(self, "seen_%s_bucket{le=\"%g\"} %llu\n", name,
        histogram_bounds[i] / 1e6, (unsigned long long)below);
  }
  add(self, "seen_%s_bucket{le=\"+Inf\"} %llu\nseen_%s_sum %.9f\n", name,
      (unsigned long long)of->count, name, (double)of->sum_ns / 1e9);
  add(self, "seen_%s_count %llu\n", name, (unsigned long long)of->count);
}

static void of_state(page *self, const metrics *now) {
  const struct {
    const char *name, *type, *help;
    uint64_t number;
  } all[] = {
      {"frames_total", "counter", "frames of clients", now->frames},
      {"reports_total", "counter", "items of read", now->reports},
      {"reports_merged_total", "counter", "parked, answered with a later one",
       now->reports_merged},
      {"reports_stale_total", "counter", "moved nothing", now->reports_stale},
      {"reports_refused_total", "counter", "refused", now->reports_refused},
      {"marks_total", "counter", "marked as unread", now->marks},
      {"messages_total", "counter", "messages taken", now->messages},
      {"commits_total", "counter", "transactions", now->commits},
      {"commits_failed_total", "counter", "undone", now->commits_failed},
      {"pushes_total", "counter", "frames that no client asked for",
       now->pushes},
      {"pushes_merged_total", "counter", "into a dirty row",
       now->pushes_merged},
      {"dirty_rows", "gauge", "that wait for slow connections",
       now->dirty_rows},
      {"resyncs_total", "counter", "connections that did not keep up",
       now->resyncs},
      {"subscriptions", "gauge", "to receipt counts", now->subscriptions},
      {"connections", "gauge", "sockets and polled ones", now->connections},
      {"conversations_loaded", "gauge", "in memory", now->conversations_loaded},
      {"conversations_evicted_total", "counter", "out of memory",
       now->conversations_evicted},
      {"resumes_total", "counter", "devices that came back", now->resumes},
      {"resume_rows_behind_total", "counter",
       "rows that another device had moved meanwhile", now->resume_rows_behind},
      {"resume_reports_ahead_total", "counter",
       "positions that it had read on to meanwhile", now->resume_reports_ahead},
      {"resume_reports_beyond_total", "counter",
       "positions that the server never had", now->resume_reports_beyond},
      {"counts_checked_total", "counter", "recounted, a member at a time",
       now->counts_checked},
      {"read_above_audience", "counter", "must stay 0",
       now->read_above_audience},
      {"position_above_last", "counter", "must stay 0",
       now->position_above_last},
      {"counts_drifted", "counter", "cached counts that were wrong",
       now->counts_drifted},
  };

  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    value(self, all[i].name, all[i].type, all[i].help, all[i].number);
}

static void of_front(page *self, const front *from) {
  const front_counts *now = &from->counts;

  value(self, "sockets_open", "gauge", "TCP connections", from->open);
  value(self, "sockets_accepted_total", "counter", "TCP connections",
        now->accepted);
  value(self, "sockets_refused_total", "counter",
        "over a limit, or not allowed", now->refused);
  value(self, "sockets_silent_total", "counter", "gave no answer to a ping",
        now->closed_for_silence);
  value(self, "bytes_in_total", "counter", "of frames and bodies",
        now->bytes_in);
  value(self, "bytes_out_total", "counter", "of frames and bodies",
        now->bytes_out);
  value(self, "lists_audited_total", "counter", "readers asked for",
        now->lists_audited);
  add(self, "# HELP seen_requests_total of HTTP\n"
            "# TYPE seen_requests_total counter\n");
  for (int i = 2; i < 6; i++)
    add(self, "seen_requests_total{status=\"%dxx\"} %llu\n", i,
        (unsigned long long)now->requests[i]);
  durations(self, "commit_seconds", "time of a transaction", &from->commits);
  durations(self, "clear_seconds",
            "from a report until another device of the user is told",
            &from->clears);
  durations(self, "answer_seconds",
            "from the first frame of a turn until its answers left",
            &from->answers);
}

response front_metrics(front *self) {
  page all = {malloc(METRICS_BYTES), 0};

  if (all.text == NULL) return http_error(503, "storage", "no memory", 0);
  of_state(&all, server_metrics(self->server));
  of_front(&all, self);
  return (response){200, all.text, all.length};
}

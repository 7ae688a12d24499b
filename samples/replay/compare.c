/*
 * Each expectation is a struct whose mask says which fields were named; here a
 * table says what they are called, to be told.
 */
#include "compare.h"

#include "host.h"
#include "lines.h"
#include "memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 512
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

typedef void print(const void *member, char *text, size_t size);

static void print_number(const void *member, char *text, size_t size) {
  snprintf(text, size, "%" PRIu64, *(const uint64_t *)member);
}

static void print_truth(const void *member, char *text, size_t size) {
  snprintf(text, size, "%s", *(const bool *)member ? "true" : "false");
}

typedef struct field {
  const char *name;
  uint32_t bit;
  print *print;
  size_t at;
} field;

#define NUMBER(name, bit, type, member)                                        \
  { name, bit, print_number, offsetof(type, member) }
#define TRUTH(name, bit, type, member)                                         \
  { name, bit, print_truth, offsetof(type, member) }

static const field state_fields[] = {
    NUMBER("unread", SEEN_EXPECT_UNREAD, seen_state, unread),
    TRUTH("exact", SEEN_EXPECT_EXACT, seen_state, exact),
    NUMBER("mentions", SEEN_EXPECT_MENTIONS, seen_state, mentions),
    NUMBER("first_mention", SEEN_EXPECT_FIRST_MENTION, seen_state,
           first_mention),
    NUMBER("read", SEEN_EXPECT_READ, seen_state, read_seq),
    NUMBER("server_read epoch", SEEN_EXPECT_SERVER_EPOCH, seen_state,
           server_read.epoch),
    NUMBER("server_read seq", SEEN_EXPECT_SERVER_SEQ, seen_state,
           server_read.seq),
    NUMBER("server_read high", SEEN_EXPECT_SERVER_HIGH, seen_state,
           server_read.high),
    NUMBER("last_seq", SEEN_EXPECT_LAST_SEQ, seen_state, last_seq),
    NUMBER("first_unread", SEEN_EXPECT_FIRST_UNREAD, seen_state, first_unread),
    TRUTH("marked_unread", SEEN_EXPECT_MARKED_UNREAD, seen_state,
          marked_unread),
    TRUTH("pending", SEEN_EXPECT_PENDING, seen_state, pending),
    TRUTH("muted", SEEN_EXPECT_MUTED, seen_state, muted),
    TRUTH("pinned", SEEN_EXPECT_PINNED, seen_state, pinned),
};

static const field totals_fields[] = {
    NUMBER("unread", SEEN_TOTALS_UNREAD, seen_totals, unread),
    NUMBER("conversations", SEEN_TOTALS_CONVERSATIONS, seen_totals,
           conversations),
    NUMBER("muted", SEEN_TOTALS_MUTED, seen_totals, muted),
    NUMBER("mentions", SEEN_TOTALS_MENTIONS, seen_totals, mentions),
};

static const field receipt_fields[] = {
    NUMBER("read", SEEN_RECEIPT_FIELD_READ, seen_receipt, read),
    NUMBER("delivered", SEEN_RECEIPT_FIELD_DELIVERED, seen_receipt, delivered),
    NUMBER("audience", SEEN_RECEIPT_FIELD_AUDIENCE, seen_receipt, audience),
};

static const field metric_fields[] = {
    NUMBER("advances", SEEN_METRIC_ADVANCES, seen_metrics, advances),
    NUMBER("reports_sent", SEEN_METRIC_REPORTS_SENT, seen_metrics,
           reports_sent),
    NUMBER("report_frames", SEEN_METRIC_REPORT_FRAMES, seen_metrics,
           report_frames),
    NUMBER("reports_merged", SEEN_METRIC_REPORTS_MERGED, seen_metrics,
           reports_merged),
    NUMBER("stale_positions", SEEN_METRIC_STALE_POSITIONS, seen_metrics,
           stale_positions),
    NUMBER("refused", SEEN_METRIC_REFUSED, seen_metrics, refused),
    NUMBER("unread_drift", SEEN_METRIC_UNREAD_DRIFT, seen_metrics,
           unread_drift),
};

/* What a difference is about: its place and its first words. */
typedef struct subject {
  const place *at;
  const char *what;
} subject;

static outcome differ(const subject *of, const char *name, const char *expected,
                      const char *got) {
  char text[TEXT_MAX];

  snprintf(text, sizeof text, "%s %s %s", of->what, name, expected);
  return place_differs(of->at, text, got);
}

static void print_field(const field *of, const void *base, char *text,
                        size_t size) {
  of->print((const char *)base + of->at, text, size);
}

/* Compares the named fields of two structs; with no `got`, `instead` is what
 * there is. */
static outcome compare_fields(const subject *of, const field *fields,
                              size_t count, uint32_t named,
                              const void *expected, const void *got,
                              const char *instead) {
  outcome result = OUTCOME_HELD;
  char want[24];
  char have[24];
  size_t i;

  for (i = 0; i < count; i++) {
    if ((named & fields[i].bit) == 0) continue;
    print_field(&fields[i], expected, want, sizeof want);
    if (got != NULL) {
      print_field(&fields[i], got, have, sizeof have);
      if (strcmp(want, have) == 0) continue;
      instead = have;
    }
    result = worse(result, differ(of, fields[i].name, want, instead));
  }
  return result;
}

/* `got` is NULL where there is no row. */
static outcome compare_badge(const subject *of, const seen_trace_expect *expect,
                             const seen_state *got, uint32_t cap) {
  char want[TEXT_MAX];
  char have[SEEN_BADGE_MAX + 2] = "no row";
  char badge[SEEN_BADGE_MAX];

  if ((expect->fields & SEEN_EXPECT_BADGE) == 0) return OUTCOME_HELD;
  snprintf(want, sizeof want, "\"%s\"", expect->badge);
  if (got != NULL) {
    seen_badge_text(got->badge, got->unread, cap, badge);
    if (strcmp(badge, expect->badge) == 0) return OUTCOME_HELD;
    snprintf(have, sizeof have, "\"%s\"", badge);
  }
  return differ(of, "badge", want, have);
}

static outcome compare_absent(const subject *of,
                              const seen_trace_expect *expect, bool absent) {
  if ((expect->fields & SEEN_EXPECT_ABSENT) == 0 || expect->absent == absent)
    return OUTCOME_HELD;
  return differ(of, "absent", expect->absent ? "true" : "false",
                absent ? "no row" : "a row");
}

static outcome compare_state(const place *at, const seen_trace_expect *expect,
                             seen_engine *engine, uint32_t cap) {
  const subject of = {at, expect->conv};
  seen_state state = host_state(engine, expect->conv);
  const seen_state *got = state.id != NULL ? &state : NULL;
  outcome result;

  result = compare_fields(&of, state_fields, COUNT_OF(state_fields),
                          expect->fields, &expect->state, got, "no row");
  result = worse(result, compare_badge(&of, expect, got, cap));
  return worse(result, compare_absent(&of, expect, got == NULL));
}

static outcome compare_totals(const place *at, const seen_trace_totals *expect,
                              seen_engine *engine) {
  const subject of = {at, "totals"};
  seen_totals got;

  seen_engine_totals(engine, &got);
  return compare_fields(&of, totals_fields, COUNT_OF(totals_fields),
                        expect->fields, &expect->totals, &got, "");
}

static outcome compare_metrics(const place *at,
                               const seen_trace_metrics *expect,
                               seen_engine *engine) {
  const subject of = {at, "metric"};
  seen_metrics got = host_metrics(engine);

  return compare_fields(&of, metric_fields, COUNT_OF(metric_fields),
                        expect->fields, &expect->metrics, &got, "");
}

/* What stands behind the verb of a line: `[…]` of {"expect_order":[…]}. The
 * caller frees it. */
static char *value_text(const seen_trace_line *line) {
  seen_error error = SEEN_ERROR_INIT;
  seen_trace_line bare = *line;
  char *text;
  char *value;

  bare.has_at = false;
  text = trace_line_text(&bare, &error);
  if (text == NULL) return must_copy(error.message, strlen(error.message));
  value = strchr(text, ':') + 1;
  value = must_copy(value, strlen(value) - 1);
  free(text);
  return value;
}

static outcome differ_line(const place *at, const seen_trace_line *expected,
                           const seen_trace_line *got) {
  char *want = value_text(expected);
  char *have = value_text(got);
  outcome result = place_differs(at, want, have);

  free(want);
  free(have);
  return result;
}

static bool same_texts(const char *const *a, const char *const *b,
                       size_t count) {
  size_t i;

  for (i = 0; i < count; i++)
    if (strcmp(a[i], b[i]) != 0) return false;
  return true;
}

static outcome compare_order(const place *at, const seen_trace_line *line,
                             seen_engine *engine) {
  const seen_trace_order *expect = &line->u.order;
  seen_state *rows = must_allocate(expect->count, sizeof *rows);
  const char **ids = must_allocate(expect->count, sizeof *ids);
  outcome result = OUTCOME_HELD;
  seen_trace_line got = *line;
  size_t count;
  size_t i;

  for (i = 0; i < expect->count; i++)
    rows[i].size = (uint32_t)sizeof rows[i];
  count = seen_engine_page(engine, 0, expect->count, rows);
  for (i = 0; i < count; i++)
    ids[i] = rows[i].id;
  got.u.order.convs = ids;
  got.u.order.count = count;
  if (count != expect->count || !same_texts(ids, expect->convs, count))
    result = differ_line(at, line, &got);
  free(ids);
  free(rows);
  return result;
}

static outcome compare_sent(const place *at, const seen_trace_line *line,
                            const output_list *sent) {
  const seen_trace_sent *expect = &line->u.sent;
  seen_trace_line got = *line;
  size_t i;

  got.u.sent.outputs = sent->outputs;
  got.u.sent.count = sent->count;
  if (sent->count != expect->count) return differ_line(at, line, &got);
  for (i = 0; i < sent->count; i++)
    if (!output_matches(&expect->outputs[i], &sent->outputs[i]))
      return differ_line(at, line, &got);
  return OUTCOME_HELD;
}

static char *join_texts(const char *const *texts, size_t count) {
  seen_trace_line line;

  memset(&line, 0, sizeof line);
  line.size = (uint32_t)sizeof line;
  line.type = SEEN_TRACE_EXPECT_ORDER;
  line.u.order.convs = texts;
  line.u.order.count = count;
  return value_text(&line);
}

typedef struct reader_list {
  const char *name;
  uint32_t bit;
  seen_readers which;
  const char *const *expected;
  size_t count;
} reader_list;

static outcome compare_readers(const subject *of,
                               const seen_trace_receipt *expect,
                               const reader_list *list, seen_engine *engine,
                               seen_conv conv) {
  outcome result = OUTCOME_HELD;
  const char **users = NULL;
  size_t count = 0;
  int status;

  if ((expect->fields & list->bit) == 0) return OUTCOME_HELD;
  status = seen_engine_readers(engine, conv, expect->seq, list->which, NULL, 0,
                               &count);
  if (status == SEEN_OK) {
    users = must_allocate(count, sizeof *users);
    status = seen_engine_readers(engine, conv, expect->seq, list->which, users,
                                 count, &count);
  }
  if (status != SEEN_OK || count != list->count ||
      !same_texts(users, list->expected, count)) {
    char *want = join_texts(list->expected, list->count);
    char *have = join_texts(users, count);

    result = differ(of, list->name, want,
                    status == SEEN_OK ? have : seen_error_text(status));
    free(want);
    free(have);
  }
  free(users);
  return result;
}

static outcome compare_receipt_state(const subject *of,
                                     const seen_trace_receipt *expect,
                                     const seen_receipt *got) {
  static const char *const words[] = {"sent", "delivered", "read"};

  if ((expect->fields & SEEN_RECEIPT_FIELD_STATE) == 0 ||
      (got != NULL && got->state == expect->receipt.state))
    return OUTCOME_HELD;
  return differ(of, "state", words[expect->receipt.state],
                got != NULL ? words[got->state] : "no row");
}

static outcome compare_receipt(const place *at,
                               const seen_trace_receipt *expect,
                               seen_engine *engine) {
  const reader_list lists[] = {
      {"read_by", SEEN_RECEIPT_FIELD_READ_BY, SEEN_READERS_READ,
       expect->read_by, expect->read_by_count},
      {"unread_by", SEEN_RECEIPT_FIELD_UNREAD_BY, SEEN_READERS_UNREAD,
       expect->unread_by, expect->unread_by_count},
  };
  char what[TEXT_MAX];
  const subject of = {at, what};
  seen_conv conv = seen_engine_find(engine, expect->conv);
  seen_receipt receipt;
  const seen_receipt *got = &receipt;
  outcome result;
  size_t i;

  snprintf(what, sizeof what, "%s %" PRIu64, expect->conv, expect->seq);
  memset(&receipt, 0, sizeof receipt);
  receipt.size = (uint32_t)sizeof receipt;
  if (conv == 0 ||
      seen_engine_receipt(engine, conv, expect->seq, &receipt) != SEEN_OK)
    got = NULL;
  result = compare_fields(&of, receipt_fields, COUNT_OF(receipt_fields),
                          expect->fields, &expect->receipt, got, "no row");
  result = worse(result, compare_receipt_state(&of, expect, got));
  for (i = 0; i < COUNT_OF(lists); i++)
    result =
        worse(result, compare_readers(&of, expect, &lists[i], engine, conv));
  return result;
}

outcome compare_line(const place *at, const seen_trace_line *line,
                     seen_engine *engine, uint32_t cap,
                     const output_list *sent) {
  switch (line->type) {
  case SEEN_TRACE_EXPECT:
    return compare_state(at, &line->u.expect, engine, cap);
  case SEEN_TRACE_EXPECT_TOTALS:
    return compare_totals(at, &line->u.totals, engine);
  case SEEN_TRACE_EXPECT_ORDER: return compare_order(at, line, engine);
  case SEEN_TRACE_EXPECT_SENT: return compare_sent(at, line, sent);
  case SEEN_TRACE_EXPECT_RECEIPT:
    return compare_receipt(at, &line->u.receipt, engine);
  case SEEN_TRACE_EXPECT_METRIC:
    return compare_metrics(at, &line->u.metrics, engine);
  default: return OUTCOME_HELD;
  }
}

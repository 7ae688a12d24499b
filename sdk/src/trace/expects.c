/* The verbs that say what is expected, each of its fields as far as named. */
#include "trace/verb.h"

#include "base/fail.h"

#include <string.h>

#define EXPECT(name, type, member, bit)                                        \
  SN_MASKED(name, type, SN_AT(u.expect.member), NULL, SN_AT(u.expect.fields),  \
            SEEN_EXPECT_##bit)

static const sn_field server_read_fields[] = {
    EXPECT("epoch", NUMBER, state.server_read.epoch, SERVER_EPOCH),
    EXPECT("seq", NUMBER, state.server_read.seq, SERVER_SEQ),
    EXPECT("high", NUMBER, state.server_read.high, SERVER_HIGH),
};
static const sn_object server_read = SN_OBJECT(server_read_fields);

static const sn_field expect_fields[] = {
    SN_REQUIRED("conv", CONV, SN_AT(u.expect.conv), NULL),
    EXPECT("unread", NUMBER, state.unread, UNREAD),
    EXPECT("exact", BOOL, state.exact, EXACT),
    EXPECT("mentions", NUMBER, state.mentions, MENTIONS),
    EXPECT("first_mention", NUMBER, state.first_mention, FIRST_MENTION),
    EXPECT("badge", TEXT, badge, BADGE),
    EXPECT("read", NUMBER, state.read_seq, READ),
    SN_OPTIONAL("server_read", OBJECT, 0, &server_read),
    EXPECT("last_seq", NUMBER, state.last_seq, LAST_SEQ),
    EXPECT("first_unread", NUMBER, state.first_unread, FIRST_UNREAD),
    EXPECT("marked_unread", BOOL, state.marked_unread, MARKED_UNREAD),
    EXPECT("pending", BOOL, state.pending, PENDING),
    EXPECT("muted", BOOL, state.muted, MUTED),
    EXPECT("pinned", BOOL, state.pinned, PINNED),
    EXPECT("absent", BOOL, absent, ABSENT),
};
static const sn_object expect = SN_OBJECT(expect_fields);

#define TOTAL(name, member, bit)                                               \
  SN_MASKED(name, NUMBER, SN_AT(u.totals.totals.member), NULL,                 \
            SN_AT(u.totals.fields), SEEN_TOTALS_##bit)

static const sn_field totals_fields[] = {
    TOTAL("unread", unread, UNREAD),
    TOTAL("conversations", conversations, CONVERSATIONS),
    TOTAL("muted", muted, MUTED),
    TOTAL("mentions", mentions, MENTIONS),
};
static const sn_object totals = SN_OBJECT(totals_fields);

#define RECEIPT(name, type, member, table, bit)                                \
  SN_MASKED(name, type, SN_AT(u.receipt.receipt.member), table,                \
            SN_AT(u.receipt.fields), SEEN_RECEIPT_FIELD_##bit)

#define READERS(field_name, member, flag)                                      \
  {                                                                            \
    .name = field_name, .type = SN_FIELD_LIST, .at = SN_AT(u.receipt.member),  \
    .count = SN_AT(u.receipt.member##_count), .mask = SN_AT(u.receipt.fields), \
    .bit = SEEN_RECEIPT_FIELD_##flag, .how = &sn_items_ids                     \
  }

static const sn_field receipt_fields[] = {
    SN_REQUIRED("conv", CONV, SN_AT(u.receipt.conv), NULL),
    SN_REQUIRED("seq", SEQ, SN_AT(u.receipt.seq), NULL),
    RECEIPT("state", WORD, state, &sn_words_receipt_state, STATE),
    RECEIPT("read", NUMBER, read, NULL, READ),
    RECEIPT("delivered", NUMBER, delivered, NULL, DELIVERED),
    RECEIPT("audience", NUMBER, audience, NULL, AUDIENCE),
    READERS("read_by", read_by, READ_BY),
    READERS("unread_by", unread_by, UNREAD_BY),
};
static const sn_object receipt = SN_OBJECT(receipt_fields);

#define METRIC(name, member, bit)                                              \
  SN_MASKED(name, NUMBER, SN_AT(u.metrics.metrics.member), NULL,               \
            SN_AT(u.metrics.fields), SEEN_METRIC_##bit)

static const sn_field metric_fields[] = {
    METRIC("advances", advances, ADVANCES),
    METRIC("reports_sent", reports_sent, REPORTS_SENT),
    METRIC("report_frames", report_frames, REPORT_FRAMES),
    METRIC("reports_merged", reports_merged, REPORTS_MERGED),
    METRIC("stale_positions", stale_positions, STALE_POSITIONS),
    METRIC("refused", refused, REFUSED),
    METRIC("unread_drift", unread_drift, UNREAD_DRIFT),
};
static const sn_object metric = SN_OBJECT(metric_fields);

/* Outputs: an object with one member, which names the effect. */

#define SENT(name, type, member, bit)                                          \
  SN_MASKED(name, type, offsetof(seen_trace_output, member), NULL,             \
            offsetof(seen_trace_output, fields), SEEN_SENT_##bit)

#define SENT_CONV SENT("conv", CONV, conv, CONV)

static const sn_field report_fields[] = {
    SENT_CONV,
    SENT("epoch", NUMBER, effect.u.report.epoch, EPOCH),
    SENT("seq", NUMBER, effect.u.report.seq, SEQ),
    {.name = "cleared",
     .type = SN_FIELD_LIST,
     .at = offsetof(seen_trace_output, effect.u.report.cleared),
     .count = offsetof(seen_trace_output, effect.u.report.cleared_count),
     .mask = offsetof(seen_trace_output, fields),
     .bit = SEEN_SENT_CLEARED,
     .how = &sn_items_seqs},
    SENT("keep", BOOL, effect.u.report.keep, KEEP),
};
static const sn_object report = SN_OBJECT(report_fields);

static const sn_field expected_fields[] = {
    SENT("epoch", NUMBER, effect.u.mark.expected_epoch, EXPECTED_EPOCH),
    SENT("seq", NUMBER, effect.u.mark.expected_seq, EXPECTED_SEQ),
};
static const sn_object expected = SN_OBJECT(expected_fields);

static const sn_field mark_fields[] = {
    SENT_CONV,
    SN_OPTIONAL("expected", OBJECT, 0, &expected),
    SENT("target", NUMBER, effect.u.mark.target, TARGET),
};
static const sn_object mark = SN_OBJECT(mark_fields);

static const sn_field delivered_fields[] = {
    SENT_CONV, SENT("seq", NUMBER, effect.u.seq, SEQ)};
static const sn_object delivered = SN_OBJECT(delivered_fields);

static const sn_field range_fields[] = {
    SENT_CONV,
    SENT("from", NUMBER, effect.u.range.lo, FROM),
    SENT("to", NUMBER, effect.u.range.hi, TO),
};
static const sn_object range = SN_OBJECT(range_fields);

static const sn_field turn_fields[] = {SENT_CONV,
                                       SENT("on", BOOL, effect.u.on, ON)};
static const sn_object turn = SN_OBJECT(turn_fields);

static const sn_field fetch_fields[] = {SENT_CONV};
static const sn_object fetch = SN_OBJECT(fetch_fields);
static const sn_object nothing = {fetch_fields, 0};

typedef struct output_verb {
  seen_effect_type type;
  const char *name;
  const sn_object *object;
} output_verb;

static const output_verb outputs[] = {
    {SEEN_EFFECT_RESYNC, "resync", &nothing},
    {SEEN_EFFECT_FETCH, "fetch", &fetch},
    {SEEN_EFFECT_MUTE, "mute", &turn},
    {SEEN_EFFECT_PIN, "pin", &turn},
    {SEEN_EFFECT_REPORT, "report", &report},
    {SEEN_EFFECT_MARK_UNREAD, "mark_unread", &mark},
    {SEEN_EFFECT_READ_ALL, "read_all", &nothing},
    {SEEN_EFFECT_DELIVERED, "delivered", &delivered},
    {SEEN_EFFECT_UNSUBSCRIBE, "unsubscribe", &range},
    {SEEN_EFFECT_SUBSCRIBE, "subscribe", &range},
};

static int read_output(const sn_reader *reader, const sn_json *json,
                       const char *where, void *item) {
  seen_trace_output *output = item;
  const sn_json *member;
  size_t i;

  if (sn_json_type_of(json) != SN_JSON_OBJECT || sn_json_count(json) != 1)
    return sn_fail(reader->error, SEEN_EPARSE,
                   "bad item in %s: not an object with one output", where);
  member = sn_json_first(json);
  for (i = 0; i < SN_COUNT_OF(outputs); i++)
    if (strcmp(outputs[i].name, sn_json_name(member)) == 0) break;
  if (i == SN_COUNT_OF(outputs))
    return sn_read_unknown(reader, "output", sn_json_name(member), where);
  output->effect.size = (uint32_t)sizeof output->effect;
  output->effect.type = outputs[i].type;
  return sn_read_object(reader, member, outputs[i].object, outputs[i].name,
                        output);
}

static int write_output(const sn_writer *writer, const void *item) {
  static const seen_trace_output plain;
  const seen_trace_output *output = item;
  size_t i;
  int status;

  for (i = 0; i < SN_COUNT_OF(outputs); i++)
    if (outputs[i].type == output->effect.type) break;
  if (i == SN_COUNT_OF(outputs))
    return sn_fail(writer->error, SEEN_EINVAL, "effect %u is no output",
                   (uint64_t)output->effect.type);
  sn_text_format(writer->text, "{\"%s\":", outputs[i].name);
  status = sn_write_object(writer, outputs[i].object, output, &plain);
  sn_text_add(writer->text, "}");
  return status;
}

static const sn_items sent = {sizeof(seen_trace_output), NULL, NULL,
                              read_output, write_output};

#define VERB(line_type, name, object)                                          \
  { line_type, SEEN_INPUT_TICK, SN_REQUIRED(name, OBJECT, 0, object), NULL }

static const sn_verb verbs[] = {
    VERB(SEEN_TRACE_EXPECT, "expect", &expect),
    VERB(SEEN_TRACE_EXPECT_TOTALS, "expect_totals", &totals),
    {SEEN_TRACE_EXPECT_ORDER, SEEN_INPUT_TICK,
     SN_LIST("expect_order", SN_AT(u.order.convs), SN_AT(u.order.count),
             &sn_items_ids),
     NULL},
    {SEEN_TRACE_EXPECT_SENT, SEEN_INPUT_TICK,
     SN_LIST("expect_sent", SN_AT(u.sent.outputs), SN_AT(u.sent.count), &sent),
     NULL},
    VERB(SEEN_TRACE_EXPECT_RECEIPT, "expect_receipt", &receipt),
    VERB(SEEN_TRACE_EXPECT_METRIC, "expect_metric", &metric),
};
const sn_verbs sn_verbs_expects = {verbs, SN_COUNT_OF(verbs)};

/*
 * What is in work of a conversation, and what the session is in: the members
 * of a `state` beside the record.
 */
#include "trace/verb.h"

#define AT(member) offsetof(seen_working, member)

#define FLAG(field_name, flag)                                                 \
  {                                                                            \
    .name = field_name, .type = SN_FIELD_FLAG, .mask = AT(flags),              \
    .bit = SEEN_WORKING_##flag                                                 \
  }

static const sn_field sent_fields[] = {
    SN_OPTIONAL("epoch", NUMBER, AT(sent_epoch), NULL),
    SN_OPTIONAL("seq", NUMBER, AT(sent_seq), NULL),
    SN_LIST("cleared", AT(sent_cleared), AT(sent_cleared_count),
            &sn_items_runs),
};
static const sn_object sent = SN_OBJECT(sent_fields);

static const sn_field advance_fields[] = {
    SN_OPTIONAL("first", NUMBER, AT(first_advance), NULL),
    SN_OPTIONAL("last", NUMBER, AT(last_advance), NULL),
};
static const sn_object advance = SN_OBJECT(advance_fields);

static const sn_field delivered_fields[] = {
    SN_OPTIONAL("sent", NUMBER, AT(delivered_sent), NULL),
    SN_OPTIONAL("first", NUMBER, AT(delivered_first), NULL),
    SN_OPTIONAL("last", NUMBER, AT(delivered_last), NULL),
};
static const sn_object delivered = SN_OBJECT(delivered_fields);

static const sn_field range_fields[] = {
    SN_REQUIRED("from", SEQ, offsetof(seen_run, lo), NULL),
    SN_REQUIRED("to", SEQ, offsetof(seen_run, hi), NULL),
};
static const sn_object range = SN_OBJECT(range_fields);

static const sn_field gap_fields[] = {
    SN_REQUIRED("from", SEQ, offsetof(seen_gap, run.lo), NULL),
    SN_REQUIRED("to", SEQ, offsetof(seen_gap, run.hi), NULL),
    SN_OPTIONAL("since", NUMBER, offsetof(seen_gap, since), NULL),
};
static const sn_object gap = SN_OBJECT(gap_fields);
static const seen_gap plain_gap;
static const sn_items gaps = {sizeof(seen_gap), &gap, &plain_gap, NULL, NULL};

static const sn_field stay_fields[] = {
    SN_REQUIRED("from", SEQ, offsetof(seen_stay, rows.lo), NULL),
    SN_REQUIRED("to", SEQ, offsetof(seen_stay, rows.hi), NULL),
    SN_OPTIONAL("since", NUMBER, offsetof(seen_stay, since), NULL),
    SN_OPTIONAL("read", BOOL, offsetof(seen_stay, read), NULL),
};
static const sn_object stay = SN_OBJECT(stay_fields);
static const seen_stay plain_stay;
static const sn_items stays = {sizeof(seen_stay), &stay, &plain_stay, NULL,
                               NULL};

static const sn_field working_fields[] = {
    FLAG("open", OPEN),
    FLAG("blocked", BLOCKED),
    FLAG("in_flight", SENT),
    FLAG("mark_in_flight", MARK_SENT),
    FLAG("now_due", NOW_DUE),
    FLAG("pass_limit", PASS_LIMIT),
    FLAG("fetched", FETCHED),
    FLAG("unwritten", UNWRITTEN),
    SN_OPTIONAL("sent", OBJECT, 0, &sent),
    SN_OPTIONAL("advance", OBJECT, 0, &advance),
    SN_OPTIONAL("retry_at", NUMBER, AT(retry_at), NULL),
    SN_OPTIONAL("backoff", NUMBER, AT(backoff), NULL),
    SN_LIST("gaps", AT(gaps), AT(gap_count), &gaps),
    SN_OPTIONAL("delivered", OBJECT, 0, &delivered),
    SN_OPTIONAL("on_screen", OBJECT, AT(on_screen), &range),
    SN_OPTIONAL("subscribed", OBJECT, AT(subscribed), &range),
    SN_OPTIONAL("first_unread", NUMBER, AT(first_unread), NULL),
    SN_LIST("stays", AT(stays), AT(stay_count), &stays),
};
static const sn_object working = SN_OBJECT(working_fields);

/* Nothing is in work. */
static const seen_working idle = {.size = sizeof idle,
                                  .first_advance = SEEN_NEVER,
                                  .last_advance = SEEN_NEVER,
                                  .retry_at = SEEN_NEVER,
                                  .backoff = 1000,
                                  .delivered_first = SEEN_NEVER,
                                  .delivered_last = SEEN_NEVER};

const sn_struct sn_struct_working = {&working, sizeof(seen_working), &idle};

#undef AT
#define AT(member) offsetof(seen_session, member)

static const sn_field bucket_fields[] = {
    SN_REQUIRED("units", NUMBER, AT(units), NULL),
    SN_OPTIONAL("at", NUMBER, AT(units_at), NULL),
};
static const sn_object bucket = SN_OBJECT(bucket_fields);

static const sn_field metric_fields[] = {
    SN_OPTIONAL("advances", NUMBER, AT(metrics.advances), NULL),
    SN_OPTIONAL("reports_sent", NUMBER, AT(metrics.reports_sent), NULL),
    SN_OPTIONAL("report_frames", NUMBER, AT(metrics.report_frames), NULL),
    SN_OPTIONAL("reports_merged", NUMBER, AT(metrics.reports_merged), NULL),
    SN_OPTIONAL("stale_positions", NUMBER, AT(metrics.stale_positions), NULL),
    SN_OPTIONAL("refused", NUMBER, AT(metrics.refused), NULL),
    SN_OPTIONAL("unread_drift", NUMBER, AT(metrics.unread_drift), NULL),
};
static const sn_object metric = SN_OBJECT(metric_fields);

static const sn_field session_fields[] = {
    SN_OPTIONAL("link", SWITCH, AT(link), &sn_words_link),
    SN_OPTIONAL("app", SWITCH, AT(foreground), &sn_words_app),
    SN_OPTIONAL("focus", BOOL, AT(focus), NULL),
    SN_OPTIONAL("bucket", OBJECT, 0, &bucket),
    SN_OPTIONAL("random", HEX, AT(random), NULL),
    SN_OPTIONAL("dirty_since", NUMBER, AT(dirty_since), NULL),
    SN_OPTIONAL("metrics", OBJECT, 0, &metric),
};
const sn_object sn_object_session = SN_OBJECT(session_fields);

/* As a trace begins. */
const seen_session sn_session_plain = {
    .size = sizeof sn_session_plain,
    .link = true,
    .foreground = true,
    .focus = true,
    .units = SEEN_NEVER,
    .dirty_since = SEEN_NEVER,
    .metrics = {.size = sizeof sn_session_plain.metrics}};

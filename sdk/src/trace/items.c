/* The items of lists that several lines share. */
#include "trace/field.h"

#include "base/fail.h"

static int bad_item(const sn_reader *reader, const char *where,
                    const char *what) {
  return sn_fail(reader->error, SEEN_EPARSE, "bad item in %s: %s", where, what);
}

static bool read_seq(const sn_json *json, uint64_t *seq) {
  return sn_json_number(json, seq) && *seq > 0;
}

/* Up to `most` numbers of a list; how many, or 0 where it is no such list. */
static size_t read_numbers(const sn_json *json, uint64_t *numbers,
                           size_t most) {
  const sn_json *item;
  size_t count = 0;

  if (sn_json_type_of(json) != SN_JSON_LIST) return 0;
  for (item = sn_json_first(json); item != NULL; item = sn_json_next(item))
    if (count == most || !sn_json_number(item, &numbers[count++])) return 0;
  return count;
}

static const sn_field run_fields[] = {
    {.name = "from",
     .type = SN_FIELD_SEQ,
     .required = true,
     .at = offsetof(seen_run, lo)},
    {.name = "to",
     .type = SN_FIELD_SEQ,
     .required = true,
     .at = offsetof(seen_run, hi)},
};
static const sn_object run_object = SN_OBJECT(run_fields);

static int read_run(const sn_reader *reader, const sn_json *json,
                    const char *where, void *item) {
  seen_run *run = item;
  uint64_t ends[2];

  if (read_seq(json, &run->lo)) {
    run->hi = run->lo;
    return SEEN_OK;
  }
  if (read_numbers(json, ends, 2) != 2 || ends[0] == 0 || ends[0] > ends[1])
    return bad_item(reader, where, "not a seq and not a run [from, to]");
  run->lo = ends[0];
  run->hi = ends[1];
  return SEEN_OK;
}

static int write_run(const sn_writer *writer, const void *item) {
  const seen_run *run = item;
  int status;

  if (run->lo == run->hi) return sn_write_number(writer, run->lo);
  if (run->lo > run->hi)
    return sn_fail(writer->error, SEEN_EINVAL, "a run from %u down to %u",
                   run->lo, run->hi);
  sn_text_add(writer->text, "[");
  status = sn_write_number(writer, run->lo);
  if (status != SEEN_OK) return status;
  sn_text_add(writer->text, ",");
  status = sn_write_number(writer, run->hi);
  sn_text_add(writer->text, "]");
  return status;
}

static int read_seq_item(const sn_reader *reader, const sn_json *json,
                         const char *where, void *item) {
  if (!read_seq(json, item)) return bad_item(reader, where, "not a seq");
  return SEEN_OK;
}

static int write_seq(const sn_writer *writer, const void *item) {
  return sn_write_number(writer, *(const uint64_t *)item);
}

static const sn_field id_field = {
    .name = "item", .type = SN_FIELD_ID, .required = true};

static int read_id(const sn_reader *reader, const sn_json *json,
                   const char *where, void *item) {
  return sn_read_field(reader, json, &id_field, where, item);
}

static int write_id(const sn_writer *writer, const void *item) {
  return sn_write_field(writer, &id_field, item, item);
}

static const sn_field mention_fields[] = {
    {.name = "seq",
     .type = SN_FIELD_SEQ,
     .required = true,
     .at = offsetof(seen_mention, seq)},
    {.name = "why",
     .type = SN_FIELD_WORD,
     .at = offsetof(seen_mention, why),
     .how = &sn_words_why},
};
static const sn_object mention_object = SN_OBJECT(mention_fields);
static const seen_mention plain_mention = {0, SEEN_MENTION_ME};

static int read_mention(const sn_reader *reader, const sn_json *json,
                        const char *where, void *item) {
  seen_mention *mention = item;

  if (read_seq(json, &mention->seq)) return SEEN_OK;
  if (sn_json_type_of(json) != SN_JSON_OBJECT)
    return bad_item(reader, where, "not a seq and not an object");
  return sn_read_object(reader, json, &mention_object, where, item);
}

static int write_mention(const sn_writer *writer, const void *item) {
  const seen_mention *mention = item;

  if (mention->why == SEEN_MENTION_ME)
    return sn_write_number(writer, mention->seq);
  return sn_write_object(writer, &mention_object, item, &plain_mention);
}

static const sn_field receipt_fields[] = {
    {.name = "seq",
     .type = SN_FIELD_SEQ,
     .required = true,
     .at = offsetof(seen_receipt_row, seq)},
    {.name = "read",
     .type = SN_FIELD_NUMBER,
     .required = true,
     .at = offsetof(seen_receipt_row, read)},
    {.name = "audience",
     .type = SN_FIELD_NUMBER,
     .required = true,
     .at = offsetof(seen_receipt_row, audience)},
    {.name = "delivered",
     .type = SN_FIELD_NUMBER,
     .at = offsetof(seen_receipt_row, delivered)},
};
static const sn_object receipt_object = SN_OBJECT(receipt_fields);
static const seen_receipt_row plain_receipt;

static int read_receipt(const sn_reader *reader, const sn_json *json,
                        const char *where, void *item) {
  seen_receipt_row *row = item;
  uint64_t numbers[4] = {0, 0, 0, 0};

  if (read_numbers(json, numbers, 4) < 3 || numbers[0] == 0)
    return bad_item(reader, where,
                    "not [seq, read, audience] with or without "
                    "a fourth number, delivered");
  row->seq = numbers[0];
  row->read = numbers[1];
  row->audience = numbers[2];
  row->delivered = numbers[3];
  return SEEN_OK;
}

static int write_receipt(const sn_writer *writer, const void *item) {
  const seen_receipt_row *row = item;
  const uint64_t numbers[4] = {row->seq, row->read, row->audience,
                               row->delivered};
  size_t count = row->delivered > 0 ? 4 : 3;
  size_t i;

  sn_text_add(writer->text, "[");
  for (i = 0; i < count; i++) {
    int status;

    if (i > 0) sn_text_add(writer->text, ",");
    status = sn_write_number(writer, numbers[i]);
    if (status != SEEN_OK) return status;
  }
  sn_text_add(writer->text, "]");
  return SEEN_OK;
}

static const sn_field member_fields[] = {
    {.name = "user",
     .type = SN_FIELD_ID,
     .required = true,
     .at = offsetof(seen_member, user)},
    {.name = "join",
     .type = SN_FIELD_SEQ,
     .at = offsetof(seen_member, join_seq)},
    {.name = "leave",
     .type = SN_FIELD_SEQ,
     .at = offsetof(seen_member, leave_seq)},
    {.name = "read_seq",
     .type = SN_FIELD_NUMBER,
     .at = offsetof(seen_member, read_seq)},
    {.name = "delivered_seq",
     .type = SN_FIELD_NUMBER,
     .at = offsetof(seen_member, delivered_seq)},
    {.name = "bot", .type = SN_FIELD_BOOL, .at = offsetof(seen_member, bot)},
};
static const sn_object member_object = SN_OBJECT(member_fields);
static const seen_member plain_member = {.user = NULL, .join_seq = 1};

const sn_items sn_items_runs = {sizeof(seen_run), &run_object, NULL, read_run,
                                write_run};
const sn_items sn_items_seqs = {sizeof(uint64_t), NULL, NULL, read_seq_item,
                                write_seq};
const sn_items sn_items_ids = {sizeof(const char *), NULL, NULL, read_id,
                               write_id};
const sn_items sn_items_mentions = {sizeof(seen_mention), &mention_object,
                                    &plain_mention, read_mention,
                                    write_mention};
const sn_items sn_items_receipts = {sizeof(seen_receipt_row), &receipt_object,
                                    &plain_receipt, read_receipt,
                                    write_receipt};
const sn_items sn_items_members = {sizeof(seen_member), &member_object,
                                   &plain_member, NULL, NULL};

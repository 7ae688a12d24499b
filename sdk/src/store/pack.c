/* Rising seqs are written as steps from the one before. */
#include "store/pack.h"

#include <string.h>

#include "base/memory.h"

/* How far back a user's name is looked for, to be written as a number. */
enum { SENDER_WINDOW = 32, MEMBER_WINDOW = 1 };

void sn_pack_init(sn_pack *pack, const seen_allocator *memory) {
  *pack = (sn_pack){.ends = NULL};
  sn_bytes_init(&pack->bytes, memory);
}

void sn_pack_free(sn_pack *pack) {
  const seen_allocator *memory = pack->bytes.memory;
  sn_release(memory, pack->ends);
  sn_bytes_free(&pack->bytes);
  sn_pack_init(pack, memory);
}

uint64_t sn_piece_seed(const char *id, size_t number) {
  return sn_sum(number, id, strlen(id));
}

static size_t count_of(const seen_record *record, sn_list_name list) {
  switch (list) {
  case SN_LIST_MEMBERS: return record->member_count;
  case SN_LIST_PEERS: return record->peer_count;
  case SN_LIST_RECEIPTS: return record->receipt_count;
  case SN_LIST_UNCOUNTABLE: return record->uncountable_count;
  case SN_LIST_LIVE: return record->live_count;
  case SN_LIST_FOUND: return record->found_count;
  case SN_LIST_CLEARED: return record->cleared_count;
  case SN_LIST_MENTIONS: return record->mention_count;
  case SN_LIST_FOUND_MENTIONS: return record->found_mention_count;
  case SN_LIST_NOTES: return record->note_count;
  case SN_LIST_SENDERS: return record->sender_count;
  default: return 0;
  }
}

/* The same user as so many items before, or 0 and the name. */
static void put_user(sn_bytes *bytes, const char *user, size_t back) {
  sn_bytes_number(bytes, back);
  if (!back) sn_bytes_text(bytes, user);
}

static bool same(const char *a, const char *b) {
  return a == b || strcmp(a, b) == 0;
}

static void put_members(sn_bytes *bytes, const seen_member *members,
                        size_t count) {
  for (size_t i = 0; i < count; i++) {
    const seen_member *member = &members[i];
    size_t back = i && same(member[-1].user, member->user) ? MEMBER_WINDOW : 0;
    put_user(bytes, member->user, back);
    sn_bytes_number(bytes, member->join_seq);
    sn_bytes_number(bytes, member->leave_seq);
    sn_bytes_number(bytes, member->read_seq);
    sn_bytes_number(bytes, member->delivered_seq);
    sn_bytes_number(bytes, member->bot);
  }
}

static void put_peers(sn_bytes *bytes, const seen_peer *peers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    sn_bytes_text(bytes, peers[i].user);
    sn_bytes_number(bytes, peers[i].read_seq);
    sn_bytes_number(bytes, peers[i].delivered_seq);
  }
}

static void put_receipts(sn_bytes *bytes, const seen_receipt_row *rows,
                         size_t count) {
  for (size_t i = 0; i < count; i++) {
    sn_bytes_number(bytes, rows[i].seq - (i ? rows[i - 1].seq : 0));
    sn_bytes_number(bytes, rows[i].read);
    sn_bytes_number(bytes, rows[i].audience);
    sn_bytes_number(bytes, rows[i].delivered);
  }
}

static void put_run(sn_bytes *bytes, seen_run run, uint64_t before) {
  sn_bytes_number(bytes, run.lo - before);
  sn_bytes_number(bytes, run.hi - run.lo);
}

static void put_runs(sn_bytes *bytes, const seen_run *runs, size_t count) {
  for (size_t i = 0; i < count; i++)
    put_run(bytes, runs[i], i ? runs[i - 1].hi : 0);
}

static void put_mentions(sn_bytes *bytes, const seen_mention *mentions,
                         size_t count) {
  for (size_t i = 0; i < count; i++) {
    sn_bytes_number(bytes, mentions[i].seq - (i ? mentions[i - 1].seq : 0));
    sn_bytes_number(bytes, (uint64_t)mentions[i].why);
  }
}

static void put_notes(sn_bytes *bytes, const seen_note *notes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    sn_bytes_number(bytes, notes[i].seq);
    sn_bytes_number(bytes, notes[i].seq - notes[i].target);
    sn_bytes_number(bytes, (uint64_t)notes[i].mention);
  }
}

static size_t sender_back(const seen_sender *senders, size_t at) {
  size_t most = at < SENDER_WINDOW ? at : SENDER_WINDOW;
  for (size_t back = 1; back <= most; back++)
    if (same(senders[at - back].user, senders[at].user)) return back;
  return 0;
}

static void put_senders(sn_bytes *bytes, const seen_sender *senders,
                        size_t count) {
  for (size_t i = 0; i < count; i++) {
    put_user(bytes, senders[i].user, sender_back(senders, i));
    put_run(bytes, senders[i].run, i ? senders[i - 1].run.hi : 0);
    sn_bytes_number(bytes, senders[i].text);
  }
}

static void put_items(sn_bytes *bytes, const seen_record *record,
                      sn_list_name list, size_t from, size_t count) {
  if (!count) return;
  switch (list) {
  case SN_LIST_MEMBERS:
    put_members(bytes, record->members + from, count);
    break;
  case SN_LIST_PEERS: put_peers(bytes, record->peers + from, count); break;
  case SN_LIST_RECEIPTS:
    put_receipts(bytes, record->receipts + from, count);
    break;
  case SN_LIST_UNCOUNTABLE:
    put_runs(bytes, record->uncountable + from, count);
    break;
  case SN_LIST_LIVE: put_runs(bytes, record->live + from, count); break;
  case SN_LIST_FOUND: put_runs(bytes, record->found + from, count); break;
  case SN_LIST_CLEARED: put_runs(bytes, record->cleared + from, count); break;
  case SN_LIST_MENTIONS:
    put_mentions(bytes, record->mentions + from, count);
    break;
  case SN_LIST_FOUND_MENTIONS:
    put_mentions(bytes, record->found_mentions + from, count);
    break;
  case SN_LIST_NOTES: put_notes(bytes, record->notes + from, count); break;
  case SN_LIST_SENDERS:
    put_senders(bytes, record->senders + from, count);
    break;
  default: break;
  }
}

/* Ends a piece with its sum. */
static int end_piece(sn_pack *pack, const char *id) {
  size_t start = pack->count ? pack->ends[pack->count - 1] : 0;
  sn_bytes_sum(&pack->bytes, start, sn_piece_seed(id, pack->count));
  if (pack->bytes.status) return pack->bytes.status;
  if (SN_RESERVE(pack->bytes.memory, &pack->ends, &pack->capacity,
                 pack->count + 1))
    return SEEN_ENOMEM;
  pack->ends[pack->count++] = pack->bytes.size;
  return SEEN_OK;
}

/* A list begins with its count * 2, or its pieces * 2 + 1. */
static void put_list(sn_bytes *bytes, const seen_record *record,
                     sn_list_name list, size_t most) {
  size_t count = count_of(record, list);
  size_t pieces = count > most ? (count - 1) / SN_PACK_ITEMS + 1 : 0;
  sn_bytes_number(bytes,
                  pieces ? (uint64_t)pieces << 1 | 1 : (uint64_t)count << 1);
  if (!pieces) put_items(bytes, record, list, 0, count);
}

/* Most lists of most records are empty: a bit says which are not. */
static uint64_t lists_of(const seen_record *record) {
  uint64_t lists = 0;
  for (sn_list_name list = 0; list < SN_LISTS; list++)
    if (count_of(record, list)) lists |= UINT64_C(1) << list;
  return lists;
}

static void put_first(sn_bytes *bytes, const seen_record *record, size_t most) {
  uint64_t lists = lists_of(record);
  sn_bytes_number(bytes, SN_PACK_FORMAT);
  sn_bytes_number(bytes, (uint64_t)record->kind);
  sn_bytes_number(bytes, record->flags);
#define PUT(field) sn_bytes_number(bytes, record->field);
  SN_RECORD_NUMBERS(PUT)
#undef PUT
  sn_bytes_number(bytes, lists);
  for (sn_list_name list = 0; list < SN_LISTS; list++)
    if (lists >> list & 1) put_list(bytes, record, list, most);
}

static int put_pieces(sn_pack *pack, const seen_record *record,
                      sn_list_name list, size_t count) {
  for (size_t from = 0; from < count; from += SN_PACK_ITEMS) {
    size_t items = count - from < SN_PACK_ITEMS ? count - from : SN_PACK_ITEMS;
    int status;
    sn_bytes_number(&pack->bytes, items);
    put_items(&pack->bytes, record, list, from, items);
    status = end_piece(pack, record->id);
    if (status) return status;
  }
  return SEEN_OK;
}

int sn_pack_record(sn_pack *pack, const seen_record *record, size_t most) {
  int status;
  sn_bytes_empty(&pack->bytes);
  pack->count = 0;
  if (strlen(record->id) > SN_ID_MAX) return SEEN_EINVAL;
  put_first(&pack->bytes, record, most);
  status = end_piece(pack, record->id);
  for (sn_list_name list = 0; !status && list < SN_LISTS; list++) {
    size_t count = count_of(record, list);
    if (count > most) status = put_pieces(pack, record, list, count);
  }
  return status;
}

sn_piece sn_pack_piece(const sn_pack *pack, size_t number) {
  size_t start = number ? pack->ends[number - 1] : 0;
  return (sn_piece){pack->bytes.at + start, pack->ends[number] - start};
}

/* The other way round of pack.c, in the same order. */
#include "store/unpack.h"

#include "base/memory.h"

/* Where the next piece of a record is taken from. */
typedef struct source {
  const char *id;
  const sn_piece *pieces;
  size_t count;
  size_t next;
} source;

static const size_t ITEM_SIZES[SN_LISTS] = {
    [SN_LIST_MEMBERS] = sizeof(seen_member),
    [SN_LIST_PEERS] = sizeof(seen_peer),
    [SN_LIST_RECEIPTS] = sizeof(seen_receipt_row),
    [SN_LIST_UNCOUNTABLE] = sizeof(seen_run),
    [SN_LIST_LIVE] = sizeof(seen_run),
    [SN_LIST_FOUND] = sizeof(seen_run),
    [SN_LIST_CLEARED] = sizeof(seen_run),
    [SN_LIST_MENTIONS] = sizeof(seen_mention),
    [SN_LIST_FOUND_MENTIONS] = sizeof(seen_mention),
    [SN_LIST_NOTES] = sizeof(seen_note),
    [SN_LIST_SENDERS] = sizeof(seen_sender)};

void sn_unpack_init(sn_unpack *unpack, const seen_allocator *memory) {
  *unpack = (sn_unpack){.memory = memory};
}

void sn_unpack_free(sn_unpack *unpack) {
  for (size_t i = 0; i < SN_LISTS; i++)
    sn_release(unpack->memory, unpack->lists[i].items);
  sn_unpack_init(unpack, unpack->memory);
}

static sn_reader next_piece(source *from) {
  size_t number = from->next++;
  if (number >= from->count) return sn_reader_of(NULL, 0, 0);
  return sn_reader_of(from->pieces[number].at, from->pieces[number].size,
                      sn_piece_seed(from->id, number));
}

/* How many items before this one its user is named; 0: here. */
static size_t read_back(sn_reader *reader, size_t most) {
  return (size_t)sn_read_up_to(reader, most);
}

static void read_members(sn_reader *reader, seen_member *members,
                         size_t count) {
  for (size_t i = 0; i < count; i++) {
    size_t back = read_back(reader, i);
    members[i].user = back ? members[i - back].user : sn_read_text(reader);
    members[i].join_seq = sn_read_number(reader);
    members[i].leave_seq = sn_read_number(reader);
    members[i].read_seq = sn_read_number(reader);
    members[i].delivered_seq = sn_read_number(reader);
    members[i].bot = sn_read_up_to(reader, 1) != 0;
  }
}

static void read_peers(sn_reader *reader, seen_peer *peers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    peers[i].user = sn_read_text(reader);
    peers[i].read_seq = sn_read_number(reader);
    peers[i].delivered_seq = sn_read_number(reader);
  }
}

static void read_receipts(sn_reader *reader, seen_receipt_row *rows,
                          size_t count) {
  for (size_t i = 0; i < count; i++) {
    rows[i].seq = (i ? rows[i - 1].seq : 0) + sn_read_number(reader);
    rows[i].read = sn_read_number(reader);
    rows[i].audience = sn_read_number(reader);
    rows[i].delivered = sn_read_number(reader);
  }
}

static seen_run read_run(sn_reader *reader, uint64_t before) {
  seen_run run;
  run.lo = before + sn_read_number(reader);
  run.hi = run.lo + sn_read_number(reader);
  return run;
}

static void read_runs(sn_reader *reader, seen_run *runs, size_t count) {
  for (size_t i = 0; i < count; i++)
    runs[i] = read_run(reader, i ? runs[i - 1].hi : 0);
}

static seen_mention_why read_why(sn_reader *reader) {
  return (seen_mention_why)sn_read_up_to(reader, SEEN_MENTION_QUOTE);
}

static void read_mentions(sn_reader *reader, seen_mention *mentions,
                          size_t count) {
  for (size_t i = 0; i < count; i++) {
    mentions[i].seq = (i ? mentions[i - 1].seq : 0) + sn_read_number(reader);
    mentions[i].why = read_why(reader);
  }
}

static void read_notes(sn_reader *reader, seen_note *notes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    notes[i].seq = sn_read_number(reader);
    notes[i].target = notes[i].seq - sn_read_number(reader);
    notes[i].mention = read_why(reader);
  }
}

static void read_senders(sn_reader *reader, seen_sender *senders,
                         size_t count) {
  for (size_t i = 0; i < count; i++) {
    size_t back = read_back(reader, i);
    senders[i].user = back ? senders[i - back].user : sn_read_text(reader);
    senders[i].run = read_run(reader, i ? senders[i - 1].run.hi : 0);
    senders[i].text = sn_read_up_to(reader, 1) != 0;
  }
}

static void read_into(sn_reader *reader, sn_list_name list, void *items,
                      size_t count) {
  switch (list) {
  case SN_LIST_MEMBERS: read_members(reader, items, count); break;
  case SN_LIST_PEERS: read_peers(reader, items, count); break;
  case SN_LIST_RECEIPTS: read_receipts(reader, items, count); break;
  case SN_LIST_UNCOUNTABLE:
  case SN_LIST_LIVE:
  case SN_LIST_FOUND:
  case SN_LIST_CLEARED: read_runs(reader, items, count); break;
  case SN_LIST_MENTIONS:
  case SN_LIST_FOUND_MENTIONS: read_mentions(reader, items, count); break;
  case SN_LIST_NOTES: read_notes(reader, items, count); break;
  case SN_LIST_SENDERS: read_senders(reader, items, count); break;
  default: break;
  }
}

/* Each item takes a byte at least, so a count is bounded by the bytes. */
static int read_items(sn_unpack *unpack, sn_list_name list, sn_reader *reader,
                      uint64_t count) {
  sn_unpacked_list *to = &unpack->lists[list];
  size_t size = ITEM_SIZES[list];
  if (reader->bad || count > (uint64_t)(reader->end - reader->at))
    return SEEN_ECORRUPT;
  if (!count) return SEEN_OK;
  if (count > SIZE_MAX / size - to->count ||
      SN_RESERVE(unpack->memory, &to->items, &to->capacity,
                 (to->count + (size_t)count) * size))
    return SEEN_ENOMEM;
  read_into(reader, list, to->items + to->count * size, (size_t)count);
  to->count += (size_t)count;
  return reader->bad ? SEEN_ECORRUPT : SEEN_OK;
}

static int read_pieces(sn_unpack *unpack, sn_list_name list, source *from,
                       uint64_t pieces) {
  for (; pieces; pieces--) {
    sn_reader reader = next_piece(from);
    uint64_t count = sn_read_number(&reader);
    int status = read_items(unpack, list, &reader, count);
    if (status) return status;
    if (reader.at != reader.end) return SEEN_ECORRUPT;
  }
  return SEEN_OK;
}

static int read_list(sn_unpack *unpack, sn_list_name list, sn_reader *first,
                     source *from) {
  uint64_t head = sn_read_number(first);
  return head & 1 ? read_pieces(unpack, list, from, head >> 1)
                  : read_items(unpack, list, first, head >> 1);
}

#define POINT(list, field, number)                                             \
  record->field = (void *)unpack->lists[list].items;                           \
  record->number = unpack->lists[list].count

static void point(const sn_unpack *unpack, seen_record *record) {
  POINT(SN_LIST_MEMBERS, members, member_count);
  POINT(SN_LIST_PEERS, peers, peer_count);
  POINT(SN_LIST_RECEIPTS, receipts, receipt_count);
  POINT(SN_LIST_UNCOUNTABLE, uncountable, uncountable_count);
  POINT(SN_LIST_LIVE, live, live_count);
  POINT(SN_LIST_FOUND, found, found_count);
  POINT(SN_LIST_CLEARED, cleared, cleared_count);
  POINT(SN_LIST_MENTIONS, mentions, mention_count);
  POINT(SN_LIST_FOUND_MENTIONS, found_mentions, found_mention_count);
  POINT(SN_LIST_NOTES, notes, note_count);
  POINT(SN_LIST_SENDERS, senders, sender_count);
}

static void read_numbers(sn_reader *reader, seen_record *record) {
  record->kind = (seen_kind)sn_read_up_to(reader, SEEN_KIND_LARGE);
  record->flags = (uint32_t)sn_read_up_to(reader, UINT32_MAX);
#define READ(field) record->field = sn_read_number(reader);
  SN_RECORD_NUMBERS(READ)
#undef READ
}

static int read_lists(sn_unpack *unpack, sn_reader *first, source *from) {
  uint64_t lists = sn_read_up_to(first, (UINT64_C(1) << SN_LISTS) - 1);
  int status = SEEN_OK;
  for (size_t i = 0; i < SN_LISTS; i++)
    unpack->lists[i].count = 0;
  for (sn_list_name list = 0; !status && lists >> list; list++)
    if (lists >> list & 1) status = read_list(unpack, list, first, from);
  return status;
}

int sn_unpack_record(sn_unpack *unpack, const char *id, const sn_piece *pieces,
                     size_t count, seen_record *record) {
  source from = {id, pieces, count, 0};
  sn_reader first = next_piece(&from);
  int status;
  *record = (seen_record){.size = sizeof *record, .id = id};
  if (sn_read_number(&first) != SN_PACK_FORMAT) return SEEN_ECORRUPT;
  read_numbers(&first, record);
  status = read_lists(unpack, &first, &from);
  if (status) return status;
  if (first.bad || first.at != first.end || from.next != count)
    return SEEN_ECORRUPT;
  point(unpack, record);
  return SEEN_OK;
}

/*
 * Records of a mirror's file: pieces, each behind two bytes of its length. They
 * get the sums that they have to have, and are refused or are a record, which
 * an engine refuses or goes on with.
 */
#include "fuzz/holds.h"
#include "fuzz/target.h"

#include "store/unpack.h"

#include <string.h>

enum { PIECES = 16 };

typedef struct sealed {
  sn_bytes bytes[PIECES];
  sn_piece pieces[PIECES];
  size_t count;
} sealed;

static void seal(sealed *self, target_bytes *from) {
  self->count = 0;
  while (self->count < PIECES && target_has_more(from)) {
    size_t at = self->count++;
    sn_bytes *piece = &self->bytes[at];
    size_t size = (size_t)target_byte(from) << 8;

    size |= target_byte(from);
    if (size > (size_t)(from->end - from->at))
      size = (size_t)(from->end - from->at);
    sn_bytes_init(piece, seen_allocator_default());
    sn_bytes_add(piece, from->at, size);
    if (size > 0) sn_bytes_sum(piece, 0, sn_piece_seed("c", at));
    from->at += size;
    self->pieces[at] = (sn_piece){piece->at, piece->size};
  }
}

static void take_pieces(const sn_pack *from, sealed *into) {
  REQUIRE(from->count <= PIECES);
  for (into->count = 0; into->count < from->count; into->count++)
    into->pieces[into->count] = sn_pack_piece(from, into->count);
}

/* What was unpacked is packed, unpacked and packed to the same bytes. */
static void check_pack(const seen_record *record) {
  sealed packed;
  sn_unpack unpack;
  seen_record again;
  sn_pack first, second;

  sn_pack_init(&first, seen_allocator_default());
  sn_pack_init(&second, seen_allocator_default());
  sn_unpack_init(&unpack, seen_allocator_default());
  REQUIRE(sn_pack_record(&first, record, SIZE_MAX) == SEEN_OK);
  take_pieces(&first, &packed);
  REQUIRE(sn_unpack_record(&unpack, "c", packed.pieces, packed.count, &again) ==
          SEEN_OK);
  REQUIRE(sn_pack_record(&second, &again, SIZE_MAX) == SEEN_OK);
  REQUIRE(first.bytes.size == second.bytes.size &&
          memcmp(first.bytes.at, second.bytes.at, first.bytes.size) == 0);
  sn_unpack_free(&unpack);
  sn_pack_free(&first);
  sn_pack_free(&second);
}

static void restore(const seen_record *record) {
  seen_input tick = {.size = (uint32_t)sizeof tick};
  seen_options options;
  seen_engine *engine;

  seen_options_init(&options);
  options.user = "u1";
  options.allocator = target_memory();
  REQUIRE(seen_engine_new(&options, 0, &engine, NULL) == SEEN_OK);
  if (seen_engine_restore(engine, record, NULL) == SEEN_OK) {
    REQUIRE(seen_engine_feed(engine, &tick, 0, NULL) == SEEN_OK);
    holds_effects(engine);
    holds_now(engine);
    holds_again(engine, &options);
    holds_audit(engine);
  }
  seen_engine_free(engine);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  target_bytes from = {bytes, bytes + size};
  sealed given;
  sn_unpack unpack;
  seen_record record;
  int status;

  seal(&given, &from);
  sn_unpack_init(&unpack, seen_allocator_default());
  status = sn_unpack_record(&unpack, "c", given.pieces, given.count, &record);
  REQUIRE(status == SEEN_OK || status == SEEN_ECORRUPT);
  if (status == SEEN_OK) {
    check_pack(&record);
    restore(&record);
  }
  sn_unpack_free(&unpack);
  for (size_t i = 0; i < given.count; i++)
    sn_bytes_free(&given.bytes[i]);
  return 0;
}

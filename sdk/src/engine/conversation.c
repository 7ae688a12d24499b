/* One conversation's parts, and what follows from them alone. */
#include "engine/conversation.h"

#include "base/memory.h"
#include "engine/roster.h"
#include "engine/viewport.h"

bool sn_conv_marked_unread(const sn_conv *conv) {
  uint64_t read = conv->server.high;
  if (conv->reading) {
    if (conv->reading->wish.set) read = sn_max(read, conv->reading->wish.read);
    if (conv->reading->mark.set) read = sn_max(read, conv->reading->mark.seq);
  }
  return sn_conv_shown(conv) < read;
}

int sn_conv_need_facts(const seen_allocator *memory, sn_conv *conv) {
  if (conv->facts) return SEEN_OK;
  sn_facts *facts = sn_allocate_zero(memory, sizeof *facts);
  if (!facts) return SEEN_ENOMEM;
  facts->delivered_first = facts->delivered_last = SN_NO_TIME;
  conv->facts = facts;
  return SEEN_OK;
}

int sn_conv_need_reading(const seen_allocator *memory, sn_conv *conv) {
  if (conv->reading) return SEEN_OK;
  sn_reading *reading = sn_allocate_zero(memory, sizeof *reading);
  if (!reading) return SEEN_ENOMEM;
  sn_reading_clear(reading);
  conv->reading = reading;
  return SEEN_OK;
}

void sn_facts_clear(sn_facts *facts) {
  sn_runs_clear(&facts->live);
  sn_runs_clear(&facts->uncountable);
  sn_runs_clear(&facts->found);
  sn_runs_clear(&facts->mentions);
  sn_runs_clear(&facts->found_mentions);
  sn_runs_clear(&facts->open);
  sn_runs_clear(&facts->senders);
  facts->note_count = facts->gap_count = 0;
  facts->delivered_sent = 0;
  facts->delivered_first = facts->delivered_last = SN_NO_TIME;
}

void sn_reading_clear(sn_reading *reading) {
  reading->wish = (sn_wish){0};
  reading->mark = (sn_mark){0};
  reading->acked_epoch = reading->acked_seq = 0;
  reading->own = 0;
  reading->sent_epoch = reading->sent_seq = 0;
  sn_runs_clear(&reading->cleared);
  sn_runs_clear(&reading->sent_cleared);
  reading->first = reading->last = reading->retry_at = SN_NO_TIME;
  reading->backoff = SN_FIRST_BACKOFF;
  reading->acked = reading->sent = reading->mark_sent = false;
  reading->now_due = reading->pass_limit = false;
}

static void free_facts(const seen_allocator *memory, sn_facts *facts) {
  if (!facts) return;
  sn_runs_free(memory, &facts->live);
  sn_runs_free(memory, &facts->uncountable);
  sn_runs_free(memory, &facts->found);
  sn_runs_free(memory, &facts->mentions);
  sn_runs_free(memory, &facts->found_mentions);
  sn_runs_free(memory, &facts->open);
  sn_runs_free(memory, &facts->senders);
  sn_release(memory, facts->notes);
  sn_release(memory, facts->gaps);
  sn_release(memory, facts);
}

static void free_reading(const seen_allocator *memory, sn_reading *reading) {
  if (!reading) return;
  sn_runs_free(memory, &reading->cleared);
  sn_runs_free(memory, &reading->sent_cleared);
  sn_release(memory, reading);
}

void sn_conv_free_knowledge(const seen_allocator *memory, sn_conv *conv) {
  free_facts(memory, conv->facts);
  free_reading(memory, conv->reading);
  sn_roster_free(memory, conv->roster);
  conv->facts = NULL;
  conv->reading = NULL;
  conv->roster = NULL;
}

void sn_conv_free_parts(const seen_allocator *memory, sn_conv *conv) {
  sn_conv_free_knowledge(memory, conv);
  sn_viewport_free(memory, conv->viewport);
  conv->viewport = NULL;
}

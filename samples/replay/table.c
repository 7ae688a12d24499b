#include "table.h"

#include "memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 64

static const char *kind_name(seen_kind kind) {
  static const char *const names[] = {"direct", "group", "large"};

  return names[kind];
}

static void print_flags(const seen_state *row) {
  if (row->open) fputs(" open", stdout);
  if (row->pending) fputs(" pending", stdout);
  if (row->marked_unread) fputs(" marked", stdout);
  if (row->muted) fputs(" muted", stdout);
  if (row->pinned) fputs(" pinned", stdout);
}

static void print_row(const seen_state *row, uint32_t cap) {
  char badge[SEEN_BADGE_MAX];
  char unread[24];
  char server[72];
  /* A dot is one column and three bytes. */
  int width = row->badge == SEEN_BADGE_DOT_KIND ? 8 : 6;

  seen_badge_text(row->badge, row->unread, cap, badge);
  snprintf(unread, sizeof unread, "%s%" PRIu64,
           row->exact ? "" : "<=", row->unread);
  snprintf(server, sizeof server, "%" PRIu64 ":%" PRIu64 ":%" PRIu64,
           row->server_read.epoch, row->server_read.seq, row->server_read.high);
  printf("%-16s %-6s %-*s %8s %8" PRIu64 " %8" PRIu64 " %8" PRIu64
         " %12s %8" PRIu64,
         row->id, kind_name(row->kind), width, badge, unread, row->mentions,
         row->first_unread, row->read_seq, server, row->last_seq);
  print_flags(row);
  putchar('\n');
}

static void print_totals(const seen_engine *engine) {
  seen_totals totals;

  seen_engine_totals(engine, &totals);
  printf("totals: unread %" PRIu64 " in %" PRIu64
         " conversations, muted %" PRIu64 ", mentions %" PRIu64 "\n",
         totals.unread, totals.conversations, totals.muted, totals.mentions);
}

void table_print(seen_engine *engine, uint32_t cap) {
  seen_state rows[PAGE];
  size_t offset = 0;
  size_t count;
  size_t i;

  printf("%-16s %-6s %-6s %8s %8s %8s %8s %12s %8s\n", "conversation", "kind",
         "badge", "unread", "mentions", "divider", "read", "server", "last");
  memset(rows, 0, sizeof rows);
  for (i = 0; i < PAGE; i++)
    rows[i].size = (uint32_t)sizeof rows[i];
  while ((count = seen_engine_page(engine, offset, PAGE, rows)) > 0) {
    for (i = 0; i < count; i++)
      print_row(&rows[i], cap);
    offset += count;
  }
  print_totals(engine);
}

bool table_explain(const seen_engine *engine, const char *id) {
  seen_conv conv = seen_engine_find(engine, id);
  size_t length;
  char *text;

  if (conv == 0 ||
      seen_engine_explain(engine, conv, NULL, 0, &length) != SEEN_OK)
    return false;
  text = must_allocate(length + 1, 1);
  seen_engine_explain(engine, conv, text, length + 1, &length);
  printf("%s%s", text, length > 0 && text[length - 1] == '\n' ? "" : "\n");
  free(text);
  return true;
}

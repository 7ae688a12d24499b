#include "screen.h"

#include <inttypes.h>
#include <stdio.h>

#define BADGE_COLUMNS 6
#define ROWS_MAX 8

#define CLEAR_REST "\x1b[K\n"
#define BOLD "\x1b[1m"
#define PLAIN "\x1b[0m"

static void print_time(uint64_t ms) {
  uint64_t seconds = ms / 1000;

  printf("%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64, seconds / 3600,
         seconds / 60 % 60, seconds % 60);
}

/* A dot is one column and three bytes. */
static int badge_width(const seen_state *row) {
  return row->badge == SEEN_BADGE_DOT_KIND ? BADGE_COLUMNS + 2 : BADGE_COLUMNS;
}

static void badge_of(const seen_state *row, char *badge) {
  seen_badge_text(row->badge, row->unread, 99, badge);
}

static void draw_row(const seen_state *row) {
  char badge[SEEN_BADGE_MAX];
  char mentions[24] = "";

  badge_of(row, badge);
  if (row->mentions > 0)
    snprintf(mentions, sizeof mentions, "@%" PRIu64, row->mentions);
  printf(" %s %-12s " BOLD "%*s" PLAIN " %5s %8" PRIu64 " %8" PRIu64
         " %8" PRIu64 "  %s%s%s" CLEAR_REST,
         row->open ? ">" : " ", row->id, badge_width(row), badge, mentions,
         row->first_unread, row->read_seq, row->last_seq,
         row->muted ? "muted " : "", row->marked_unread ? "marked " : "",
         row->pending ? "pending" : "");
}

static void draw_footer(const simulation *of) {
  seen_metrics metrics = host_metrics(of->host.engine);
  seen_totals totals;

  seen_engine_totals(of->host.engine, &totals);
  printf(CLEAR_REST " app badge %" PRIu64 ", muted %" PRIu64
                    ", mentions %" PRIu64 CLEAR_REST,
         totals.unread, totals.muted, totals.mentions);
  printf(" positions advanced %" PRIu64 ", reports sent %" PRIu64 " in %" PRIu64
         " frames" CLEAR_REST,
         metrics.advances, metrics.reports_sent, metrics.report_frames);
}

void screen_draw(simulation *of, bool again) {
  seen_state rows[ROWS_MAX];
  size_t count;
  size_t i;

  for (i = 0; i < ROWS_MAX; i++)
    rows[i].size = (uint32_t)sizeof rows[i];
  count = seen_engine_page(of->host.engine, 0, ROWS_MAX, rows);
  /* Header, rows, footer: as many lines up as were drawn. */
  if (again) printf("\x1b[%zuA", count + 5);
  printf(" what %s sees after ", of->chats[0].user);
  print_time(of->host.now);
  printf(CLEAR_REST "   %-12s %*s %5s %8s %8s %8s" CLEAR_REST, "conversation",
         BADGE_COLUMNS, "badge", "@", "divider", "read", "last");
  for (i = 0; i < count; i++)
    draw_row(&rows[i]);
  draw_footer(of);
  fflush(stdout);
}

void screen_print(const simulation *of, const char *conv, const char *done) {
  seen_state row = host_state(of->host.engine, conv);
  seen_metrics metrics = host_metrics(of->host.engine);
  char badge[SEEN_BADGE_MAX];

  badge_of(&row, badge);
  print_time(of->host.now);
  printf(" %s %s: badge \"%s\", @%" PRIu64 ", divider %" PRIu64
         ", read %" PRIu64 " of %" PRIu64 "%s; %" PRIu64 " advances, %" PRIu64
         " reports\n",
         done, row.id, badge, row.mentions, row.first_unread, row.read_seq,
         row.last_seq, row.pending ? ", pending" : "", metrics.advances,
         metrics.reports_sent);
}

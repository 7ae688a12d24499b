#include "screen.h"

#include <stdlib.h>
#include <string.h>

#define LIST_WIDTH 28
#define PANEL_WIDTH 24
#define BADGE_COLUMNS 6

/* How the width is shared: a list, the messages, a panel. */
typedef struct chat_areas {
  int list;
  int messages;
  int panel;
} chat_areas;

static chat_areas share(const chat_app *chat) {
  chat_areas areas = {chat->width, 0, 0};

  if (chat->open == NULL) return areas;
  areas.list = chat->width >= 70 ? LIST_WIDTH : 0;
  areas.panel =
      chat->panel.seq != 0 && chat->width >= 70 + PANEL_WIDTH ? PANEL_WIDTH : 0;
  if (chat->panel.seq != 0 && areas.panel == 0 && areas.list > 0) {
    areas.panel = PANEL_WIDTH;
    areas.list = 0;
  }
  areas.messages = chat->width - areas.list - areas.panel;
  return areas;
}

/* Between the bar above and the two lines below. */
int screen_rows(const chat_app *chat) {
  return chat->height > 4 ? chat->height - 3 : 1;
}

static const char *cause_of(const seen_connection_state *state) {
  switch (state->cause) {
  case SEEN_ENDED_RESOLVE: return "the server's name is not known";
  case SEEN_ENDED_CONNECT: return "nobody answers there";
  case SEEN_ENDED_TIMEOUT: return "no answer in time";
  case SEEN_ENDED_TLS: return "the server is not to be trusted";
  case SEEN_ENDED_PROXY: return "the proxy refuses";
  case SEEN_ENDED_HTTP:
  case SEEN_ENDED_PROTOCOL: return "what answers is no such server";
  case SEEN_ENDED_PEER: return "the server closed";
  default: return "the connection broke";
  }
}

const char *screen_link(const seen_connection_state *state,
                        char words[SCREEN_LINK]) {
  switch (state->connection) {
  case SEEN_CONNECTION_ONLINE:
    return state->link == SEEN_LINK_POLL ? "● online by polling" : "● online";
  case SEEN_CONNECTION_CONNECTING: return "○ connecting …";
  case SEEN_CONNECTION_WAITING:
    if (state->portal) return "○ offline: something else answers here";
    snprintf(words, SCREEN_LINK, "○ offline: %s, next try in %llu s",
             cause_of(state),
             (unsigned long long)((state->retry_ms + 999) / 1000));
    return words;
  case SEEN_CONNECTION_UNAUTHORIZED: return "○ a new token is needed";
  case SEEN_CONNECTION_DISABLED: return "○ this account is disabled";
  default: return "○ offline";
  }
}

/* The bar above: who, how the link is, and what waits elsewhere. */
static void draw_top(chat_canvas *canvas, const chat_app *chat) {
  seen_connection_state state = {.size = sizeof state};
  seen_totals totals;
  char words[SCREEN_LINK], badge[SEEN_BADGE_MAX], line[512];
  bool are_off;

  seen_client_connection(chat->client, &state);
  are_off = state.connection == SEEN_CONNECTION_ONLINE && !state.receipts;
  if (chat->open != NULL)
    seen_client_totals_without(chat->client, chat->open->id, &totals);
  else
    seen_client_totals(chat->client, &totals);
  seen_badge_text(totals.unread > 0 ? SEEN_BADGE_NUMBER : SEEN_BADGE_NONE,
                  totals.unread, 99, badge);
  snprintf(line, sizeof line, " %s   %s%s   %s%s%s%s%s", chat->options->user,
           screen_link(&state, words), are_off ? "   receipts off" : "",
           badge[0] == '\0' ? "nothing unread" : "unread",
           chat->open != NULL ? " elsewhere" : "", badge[0] == '\0' ? "" : " ",
           badge, totals.mentions > 0 ? "  @" : "");
  canvas_paint(canvas, 0, 0, canvas->width, STYLE_BAR);
  canvas_write(canvas, 0, 0, canvas->width, STYLE_BAR, line);
}

/* "@ 99+": what stands at the end of a row of the list. */
static void badge_of(const seen_state *state, char text[40]) {
  char badge[SEEN_BADGE_MAX];

  seen_badge_text(state->badge, state->unread, 99, badge);
  snprintf(text, 40, "%s%s", state->mentions > 0 ? "@ " : "", badge);
}

static bool has_draft(const chat_app *chat, const char *id) {
  for (size_t i = 0; i < chat->view_count; i++)
    if (strcmp(chat->views[i]->id, id) == 0)
      return chat->views[i] != chat->open && chat->views[i]->draft[0] != '\0';
  return false;
}

static void draw_row(chat_canvas *canvas, const chat_app *chat, int y,
                     int width, const seen_state *state, bool chosen) {
  char badge[40], name[300];
  chat_style style = chosen                                      ? STYLE_CHOSEN
                     : state->muted                              ? STYLE_DIM
                     : state->unread > 0 || state->marked_unread ? STYLE_BOLD
                                                                 : STYLE_PLAIN;
  int columns;

  badge_of(state, badge);
  columns = canvas_columns(badge);
  snprintf(name, sizeof name, "%s%s %s%s", chosen ? ">" : " ",
           state->pinned ? "^" : " ", state->id,
           has_draft(chat, state->id) ? " (draft)" : "");
  canvas_paint(canvas, 0, y, width, style);
  canvas_write(canvas, 0, y, width - columns - 2, style, name);
  canvas_write(canvas, width - columns - 1, y, columns,
               state->mentions > 0 ? STYLE_MENTION
               : state->muted      ? STYLE_DIM
                                   : STYLE_BADGE,
               badge);
}

static void draw_list(chat_canvas *canvas, const chat_app *chat, int width) {
  int rows = screen_rows(chat);
  size_t offset = chat->row >= (size_t)rows ? chat->row - (size_t)rows + 1 : 0;
  seen_state *states = calloc((size_t)rows, sizeof *states);
  size_t count;

  if (states == NULL) return;
  for (int i = 0; i < rows; i++)
    states[i].size = sizeof *states;
  count = seen_client_page(chat->client, offset, (size_t)rows, states);
  for (size_t i = 0; i < count; i++)
    draw_row(canvas, chat, 1 + (int)i, width, &states[i],
             chat->open != NULL ? strcmp(states[i].id, chat->open->id) == 0
                                : offset + i == chat->row);
  if (count == 0 && offset == 0)
    canvas_write(canvas, 2, 2, width - 2, STYLE_DIM, "no conversations yet");
  free(states);
}

static void draw_divider(chat_canvas *canvas, int x, int y, int width,
                         const char *words) {
  int before = (width - canvas_columns(words)) / 2;

  for (int i = 0; i < width; i++)
    canvas_write(canvas, x + i, y, 1, STYLE_DIVIDER, "─");
  canvas_write(canvas, x + before, y, width, STYLE_DIVIDER, words);
}

static void draw_line(chat_canvas *canvas, const chat_line *line, int x, int y,
                      int width) {
  char text[4096];

  if (line->divider) {
    draw_divider(canvas, x, y, width, line->note);
    return;
  }
  canvas_write(canvas, x + 1, y, 5, STYLE_DIM, line->time);
  if (line->who != NULL)
    canvas_write(canvas, x + 7, y, LAYOUT_HEAD - 8, STYLE_BOLD, line->who);
  if (line->text != NULL)
    snprintf(text, sizeof text, "%.*s",
             line->size < sizeof text ? (int)line->size : (int)sizeof text - 1,
             line->text);
  else
    snprintf(text, sizeof text, "%s", line->note);
  canvas_write(canvas, x + LAYOUT_HEAD, y, width - LAYOUT_HEAD, line->style,
               text);
}

/* Tells the library which rows are on screen, each message with the lines that
 * it has, those above and below the edges too. */
static void tell_visible(chat_app *chat, const chat_layout *layout, size_t top,
                         int rows) {
  seen_list_row *seen = calloc(layout->count + 1, sizeof *seen);
  size_t count = 0;

  if (seen == NULL) return;
  for (size_t i = 0; i < layout->count; i++) {
    uint64_t seq = layout->lines[i].seq;

    if (seq == 0) continue;
    if (count == 0 || seen[count - 1].seq != seq)
      seen[count++] = (seen_list_row){seq, (double)i - (double)top, 0};
    seen[count - 1].bottom = (double)i + 1 - (double)top;
  }
  seen_client_visible_rows(chat->client, chat->open->id, seen, count, rows);
  free(seen);
}

/* Brings a wanted message on screen, with a line above it. */
static void bring(chat_layout *layout, chat_view *view, int rows) {
  size_t at;

  if (view->wanted == 0 || !view->texts.begun) return;
  if (view->wanted < texts_first(&view->texts) && view->texts.more) return;
  at = layout_find(layout, view->wanted);
  view->wanted = 0;
  if (at > 0 && layout->lines[at - 1].divider) at--;
  if (at > 0) at--;
  layout_move(layout, view, at + (size_t)rows);
}

static void draw_messages(chat_screen *screen, chat_app *chat, int x,
                          int width) {
  chat_layout *layout = &screen->layout;
  int rows = screen_rows(chat);
  size_t bottom, top, shown;

  bring(layout, chat->open, rows);
  bottom = layout_bottom(layout, chat->open);
  if (bottom < (size_t)rows && layout->count >= (size_t)rows) {
    bottom = (size_t)rows;
    layout_move(layout, chat->open, bottom);
  }
  top = bottom > (size_t)rows ? bottom - (size_t)rows : 0;
  shown = bottom - top;
  for (size_t i = 0; i < shown; i++)
    draw_line(&screen->canvas, &layout->lines[top + i], x,
              1 + rows - (int)shown + (int)i, width);
  tell_visible(chat, layout, bottom >= (size_t)rows ? top : 0,
               bottom >= (size_t)rows ? rows : (int)bottom);
  if (top == 0) chat_fill_older(chat);
}

static void draw_panel(chat_canvas *canvas, const chat_app *chat, int x,
                       int width) {
  const chat_panel *panel = &chat->panel;
  seen_receipt receipt = {.size = sizeof receipt};
  int rows = screen_rows(chat);
  char line[128];

  for (int y = 1; y <= rows; y++)
    canvas_write(canvas, x, y, 1, STYLE_DIM, "│");
  if (seen_client_receipt(chat->client, chat->open->id, panel->seq, &receipt) ==
      SEEN_OK) {
    snprintf(line, sizeof line, "read by %llu of %llu",
             (unsigned long long)receipt.read,
             (unsigned long long)receipt.audience);
    canvas_write(canvas, x + 2, 1, width - 2, STYLE_BOLD, line);
  }
  for (size_t i = 0; i < panel->user_count && (int)i < rows - 2; i++)
    canvas_write(canvas, x + 2, 3 + (int)i, width - 2, STYLE_PLAIN,
                 panel->users[i]);
  if (panel->user_count == 0)
    canvas_write(canvas, x + 2, 3, width - 2, STYLE_DIM,
                 panel->request != 0 ? "asking …" : "nobody yet");
}

/* The keys of terminal.c and the commands of command.c. */
static const char help[] =
    "Enter   open, send        Esc     close          F1      this help\n"
    "Up Down scroll, choose    PgUp PgDn Home End     Tab     next\n"
    "Left Right  own messages  Ctrl-W  who has read   Ctrl-N  mention\n"
    "Ctrl-U  mark as unread    Ctrl-A  read all       Ctrl-T  mute\n"
    "Ctrl-P  pin               Ctrl-X  recall         Ctrl-E  edit\n"
    "Ctrl-Q  quit              The wheel scrolls.\n"
    "\n"
    "/open ID  /close  /next  /previous  /create ID USER...  /join ID\n"
    "/add USER...  /remove USER...  /leave  /forget\n"
    "/read [SEQ]  /unread [SEQ]  /read-all\n"
    "/mention  /clear-mentions\n"
    "/mute  /unmute  /pin  /unpin  /receipts on|off\n"
    "/recall [SEQ]  /edit [SEQ] [TEXT]  /react SEQ TEXT  /who [SEQ]\n"
    "/explain  /audit  /dump FILE  /quit\n"
    "/scroll LINES  /page-up  /page-down  /top  /bottom\n"
    "/focus on|off  /foreground on|off  /network\n";

static void draw_help(chat_canvas *canvas, const chat_app *chat) {
  const char *line = help;
  int rows = screen_rows(chat);

  for (int y = 1; y <= rows && *line != '\0'; y++) {
    size_t size = strcspn(line, "\n");
    char text[200];

    snprintf(text, sizeof text, "%.*s", (int)size, line);
    canvas_write(canvas, 1, y, canvas->width - 2, STYLE_PLAIN, text);
    line += size + (line[size] == '\n');
  }
}

/* The notice, and the line that is written in. */
static void draw_bottom(chat_canvas *canvas, const chat_app *chat) {
  int y = chat->height - 1;
  const char *draft = chat->open != NULL ? chat->open->draft : "";
  int columns = canvas_columns(draft), used;

  canvas_paint(canvas, 0, y - 1, canvas->width, STYLE_BAR);
  canvas_write(canvas, 1, y - 1, canvas->width - 2, STYLE_BAR,
               chat->notice[0] != '\0' ? chat->notice
               : chat->open != NULL    ? chat->open->id
                                       : "Enter opens, /help helps");
  used = canvas_write(canvas, 0, y, canvas->width, STYLE_BOLD,
                      chat->editing != 0 ? "edit> " : "> ");
  /* Of a long line the end is shown. */
  while (columns > canvas->width - used - 1 && *draft != '\0') {
    draft += canvas_break(draft, 1);
    columns = canvas_columns(draft);
  }
  used +=
      canvas_write(canvas, used, y, canvas->width - used, STYLE_PLAIN, draft);
  canvas->cursor_x = used;
  canvas->cursor_y = y;
}

bool screen_compose(chat_screen *screen, chat_app *chat) {
  chat_areas areas = share(chat);

  chat->dirty = false;
  if (!canvas_reset(&screen->canvas, chat->width, chat->height)) return false;
  draw_top(&screen->canvas, chat);
  draw_bottom(&screen->canvas, chat);
  if (chat->helping) {
    if (chat->open != NULL)
      seen_client_visible(chat->client, chat->open->id, 0, 0);
    draw_help(&screen->canvas, chat);
    return true;
  }
  if (areas.list > 0) draw_list(&screen->canvas, chat, areas.list);
  if (chat->open == NULL) return true;
  if (!layout_make(&screen->layout, chat, areas.messages)) return false;
  draw_messages(screen, chat, areas.list, areas.messages);
  if (areas.panel > 0)
    draw_panel(&screen->canvas, chat, areas.list + areas.messages, areas.panel);
  return true;
}

void screen_free(chat_screen *screen) {
  canvas_free(&screen->canvas);
  layout_free(&screen->layout);
}

static bool lay_out(chat_screen *screen, chat_app *chat) {
  return chat->open != NULL &&
         layout_make(&screen->layout, chat, share(chat).messages);
}

void screen_scroll(chat_screen *screen, chat_app *chat, long lines) {
  size_t bottom, rows = (size_t)screen_rows(chat);

  if (!lay_out(screen, chat)) return;
  bottom = layout_bottom(&screen->layout, chat->open);
  if (lines < 0)
    bottom = bottom > rows + (size_t)-lines ? bottom - (size_t)-lines : rows;
  else
    bottom += (size_t)lines;
  layout_move(&screen->layout, chat->open, bottom);
  chat->dirty = true;
}

void screen_top(chat_screen *screen, chat_app *chat) {
  if (!lay_out(screen, chat)) return;
  layout_move(&screen->layout, chat->open, (size_t)screen_rows(chat));
  chat->dirty = true;
}

void screen_bottom(chat_screen *screen, chat_app *chat) {
  (void)screen;
  if (chat->open == NULL) return;
  chat->open->bottom = 0;
  chat->open->below = 0;
  chat->dirty = true;
}

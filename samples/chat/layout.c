#include "layout.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static chat_line *add(chat_layout *layout, uint64_t seq, chat_style style) {
  chat_line *line;

  if (layout->count == layout->capacity) {
    size_t capacity = layout->capacity < 256 ? 256 : layout->capacity * 2;
    chat_line *lines = realloc(layout->lines, capacity * sizeof *lines);

    if (lines == NULL) return NULL;
    layout->lines = lines;
    layout->capacity = capacity;
  }
  line = &layout->lines[layout->count++];
  memset(line, 0, sizeof *line);
  line->seq = seq;
  line->style = style;
  return line;
}

static bool add_note(chat_layout *layout, uint64_t seq, chat_style style,
                     const char *note) {
  chat_line *line = add(layout, seq, style);

  if (line == NULL) return false;
  snprintf(line->note, sizeof line->note, "%s", note);
  return true;
}

/* A text, broken to lines; the first one says who and when. */
static bool add_text(chat_layout *layout, uint64_t seq, chat_style style,
                     const char *text, int width) {
  int room = width > LAYOUT_HEAD + 8 ? width - LAYOUT_HEAD : 8;

  do {
    size_t size = canvas_break(text, room);
    chat_line *line = add(layout, seq, style);

    if (line == NULL) return false;
    line->text = text;
    line->size = size;
    while (line->size > 0 && strchr(" \n", text[line->size - 1]) != NULL)
      line->size--;
    text += size;
  } while (*text != '\0');
  return true;
}

static void say_who(chat_line *line, const char *who, uint64_t sent_at) {
  time_t seconds = (time_t)(sent_at / 1000);
  struct tm local;

  line->who = who;
  if (sent_at > 0 && localtime_r(&seconds, &local) != NULL)
    strftime(line->time, sizeof line->time, "%H:%M", &local);
}

/* What stands in place of a body. */
static const char *substitute(const chat_text *text) {
  if (text->recalled) return "(recalled)";
  if (text->taken_down) return "(removed by a moderator)";
  if (text->hidden) return "(waits for approval)";
  return "(no text)";
}

/* How far an own message has come. */
static bool add_receipt(chat_layout *layout, const chat_app *chat,
                        const chat_text *text, seen_kind kind) {
  seen_receipt receipt = {.size = sizeof receipt};
  char note[96] = "sent";

  if (seen_client_receipt(chat->client, chat->open->id, text->seq, &receipt) !=
      SEEN_OK)
    return true;
  if (kind == SEEN_KIND_DIRECT || receipt.audience == 1) {
    if (receipt.state == SEEN_RECEIPT_READ)
      snprintf(note, sizeof note, "read");
    else if (receipt.state == SEEN_RECEIPT_DELIVERED)
      snprintf(note, sizeof note, "delivered");
  } else if (receipt.read > 0) {
    snprintf(note, sizeof note, "read by %llu of %llu",
             (unsigned long long)receipt.read,
             (unsigned long long)receipt.audience);
  } else if (receipt.delivered > 0) {
    snprintf(note, sizeof note, "delivered to %llu of %llu",
             (unsigned long long)receipt.delivered,
             (unsigned long long)receipt.audience);
  }
  return add_note(layout, text->seq, STYLE_DIM, note);
}

static chat_style style_of(const chat_app *chat, const chat_text *text) {
  if (text->kind == SEEN_MESSAGE_SYSTEM || text->body == NULL) return STYLE_DIM;
  if (text->mention != SEEN_MENTION_NONE) return STYLE_MENTION;
  return strcmp(text->from, chat->options->user) == 0 ? STYLE_OWN : STYLE_PLAIN;
}

static bool add_message(chat_layout *layout, const chat_app *chat,
                        const chat_text *text, seen_kind kind, int width) {
  const char *body = text->body != NULL ? text->body : substitute(text);
  size_t first = layout->count;
  bool own = strcmp(text->from, chat->options->user) == 0;
  chat_style style =
      text->seq == chat->open->chosen ? STYLE_CHOSEN : style_of(chat, text);

  if (!add_text(layout, text->seq, style, body, width)) return false;
  say_who(&layout->lines[first], text->from, text->sent_at);
  if (text->edited && text->body != NULL &&
      !add_note(layout, text->seq, STYLE_DIM, "(edited)"))
    return false;
  if (text->reactions[0] != '\0' &&
      !add_note(layout, text->seq, STYLE_DIM, text->reactions))
    return false;
  return !own || text->kind != SEEN_MESSAGE_TEXT || text->recalled ||
         add_receipt(layout, chat, text, kind);
}

static bool add_divider(chat_layout *layout) {
  chat_line *line = add(layout, 0, STYLE_DIVIDER);

  if (line == NULL) return false;
  line->divider = true;
  snprintf(line->note, sizeof line->note, " new messages ");
  return true;
}

/* What has no seq yet. */
static bool add_posts(chat_layout *layout, const chat_app *chat, int width) {
  const chat_view *view = chat->open;

  for (size_t i = 0; i < view->post_count; i++) {
    const chat_post *post = &view->posts[i];
    size_t first = layout->count;
    char note[96] = "sending …";

    if (!add_text(layout, 0, STYLE_OWN, post->body, width)) return false;
    say_who(&layout->lines[first], chat->options->user, 0);
    if (post->failed) snprintf(note, sizeof note, "not sent: %s", post->why);
    if (!add_note(layout, 0, post->failed ? STYLE_ALARM : STYLE_DIM, note))
      return false;
  }
  return true;
}

bool layout_make(chat_layout *layout, const chat_app *chat, int width) {
  const chat_texts *texts = &chat->open->texts;
  seen_state state = {.size = sizeof state};
  bool divided = false;

  layout->count = 0;
  if (seen_client_state(chat->client, chat->open->id, &state) != SEEN_OK)
    memset(&state, 0, sizeof state);
  if (!texts->begun)
    return add_note(layout, 0, STYLE_DIM, "…") &&
           add_posts(layout, chat, width);
  for (size_t i = 0; i < texts->count; i++) {
    const chat_text *text = &texts->items[i];

    if (!texts_shown(text)) continue;
    if (!divided && state.first_unread > 0 && text->seq >= state.first_unread) {
      divided = true;
      if (!add_divider(layout)) return false;
    }
    if (!add_message(layout, chat, text, state.kind, width)) return false;
  }
  return add_posts(layout, chat, width);
}

void layout_free(chat_layout *layout) {
  free(layout->lines);
  memset(layout, 0, sizeof *layout);
}

size_t layout_find(const chat_layout *layout, uint64_t seq) {
  for (size_t i = 0; i < layout->count; i++)
    if (layout->lines[i].seq >= seq) return i;
  return layout->count;
}

/* One past the last line of a message. */
static size_t end_of(const chat_layout *layout, uint64_t seq) {
  size_t at = layout_find(layout, seq);

  while (at < layout->count && layout->lines[at].seq == seq)
    at++;
  return at;
}

size_t layout_bottom(const chat_layout *layout, const chat_view *view) {
  size_t end;

  if (view->bottom == 0) return layout->count;
  end = end_of(layout, view->bottom);
  return end > (size_t)view->below ? end - (size_t)view->below : 1;
}

void layout_move(const chat_layout *layout, chat_view *view, size_t bottom) {
  size_t at = bottom;

  view->bottom = 0;
  view->below = 0;
  if (bottom >= layout->count) return;
  /* The divider and what has no seq belong to the message below or above. */
  while (at > 0 && layout->lines[at - 1].seq == 0)
    at--;
  if (at == 0) {
    for (at = bottom; at < layout->count && layout->lines[at].seq == 0;)
      at++;
    if (at == layout->count) return;
    at++;
  }
  view->bottom = layout->lines[at - 1].seq;
  view->below = (int)(end_of(layout, view->bottom) - at);
}

#include "canvas.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* One character of a text. */
struct glyph {
  const char *bytes;
  size_t size;
  int columns; /* 0: it combines with the one before */
};

static const struct glyph unknown = {"?", 1, 1};

/* Takes a character off a text; its size is 0 at the end. */
static size_t next_glyph(const char *text, struct glyph *glyph) {
  wchar_t wide = 0;
  mbstate_t state;
  size_t size;

  if (*text == '\0') return 0;
  memset(&state, 0, sizeof state);
  size = mbrtowc(&wide, text, strlen(text), &state);
  if (size == (size_t)-1 || size == (size_t)-2) {
    *glyph = unknown;
    return 1;
  }
  glyph->bytes = text;
  glyph->size = size;
  glyph->columns = wcwidth(wide);
  if (glyph->columns < 0 || size >= sizeof((chat_cell *)0)->text)
    *glyph = unknown;
  return size;
}

bool canvas_reset(chat_canvas *canvas, int width, int height) {
  size_t count = (size_t)width * (size_t)height;

  if (width != canvas->width || height != canvas->height) {
    chat_cell *cells = realloc(canvas->cells, (count + 1) * sizeof *cells);

    if (cells == NULL) return false;
    canvas->cells = cells;
    canvas->width = width;
    canvas->height = height;
  }
  memset(canvas->cells, 0, count * sizeof *canvas->cells);
  for (size_t i = 0; i < count; i++)
    canvas->cells[i].text[0] = ' ';
  canvas->cursor_x = -1;
  canvas->cursor_y = 0;
  return true;
}

void canvas_free(chat_canvas *canvas) {
  free(canvas->cells);
  memset(canvas, 0, sizeof *canvas);
}

static chat_cell *cell_at(const chat_canvas *canvas, int x, int y) {
  if (x < 0 || y < 0 || x >= canvas->width || y >= canvas->height) return NULL;
  return &canvas->cells[(size_t)y * (size_t)canvas->width + (size_t)x];
}

const chat_cell *canvas_at(const chat_canvas *canvas, int x, int y) {
  return cell_at(canvas, x, y);
}

static void put(chat_canvas *canvas, int x, int y, chat_style style,
                const struct glyph *glyph) {
  chat_cell *cell = cell_at(canvas, x, y);

  if (cell == NULL) return;
  memset(cell->text, 0, sizeof cell->text);
  memcpy(cell->text, glyph->bytes, glyph->size);
  cell->style = style;
  if (glyph->columns == 2 && (cell = cell_at(canvas, x + 1, y)) != NULL) {
    cell->text[0] = '\0';
    cell->style = style;
  }
}

static void combine(chat_canvas *canvas, int x, int y,
                    const struct glyph *glyph) {
  chat_cell *cell = cell_at(canvas, x, y);

  if (cell != NULL && cell->text[0] == '\0') cell = cell_at(canvas, x - 1, y);
  if (cell == NULL) return;
  if (strlen(cell->text) + glyph->size < sizeof cell->text)
    strncat(cell->text, glyph->bytes, glyph->size);
}

int canvas_write(chat_canvas *canvas, int x, int y, int room, chat_style style,
                 const char *text) {
  int used = 0;
  struct glyph glyph;
  size_t size;

  if (room > canvas->width - x) room = canvas->width - x;
  for (; (size = next_glyph(text, &glyph)) > 0; text += size) {
    if (glyph.columns == 0) {
      if (used > 0) combine(canvas, x + used - 1, y, &glyph);
      continue;
    }
    if (used + glyph.columns > room) break;
    put(canvas, x + used, y, style, &glyph);
    used += glyph.columns;
  }
  return used;
}

void canvas_paint(chat_canvas *canvas, int x, int y, int count,
                  chat_style style) {
  for (int i = 0; i < count; i++) {
    chat_cell *cell = cell_at(canvas, x + i, y);

    if (cell != NULL) cell->style = style;
  }
}

int canvas_columns(const char *text) {
  int columns = 0;
  struct glyph glyph;
  size_t size;

  for (; (size = next_glyph(text, &glyph)) > 0; text += size)
    columns += glyph.columns;
  return columns;
}

size_t canvas_break(const char *text, int room) {
  size_t taken = 0, after_space = 0, size;
  int used = 0;
  struct glyph glyph;

  while ((size = next_glyph(text + taken, &glyph)) > 0) {
    if (text[taken] == '\n') return taken + 1;
    if (used + glyph.columns > room && taken > 0)
      return after_space > 0 ? after_space : taken;
    used += glyph.columns;
    taken += size;
    if (text[taken - 1] == ' ') after_space = taken;
  }
  return taken;
}

static const chat_cell *line_of(const chat_canvas *canvas, int y) {
  return &canvas->cells[(size_t)y * (size_t)canvas->width];
}

void canvas_print(const chat_canvas *canvas, FILE *out) {
  for (int y = 0; y < canvas->height; y++) {
    const chat_cell *line = line_of(canvas, y);
    int end = canvas->width;

    while (end > 0 && strcmp(line[end - 1].text, " ") == 0)
      end--;
    for (int x = 0; x < end; x++)
      fputs(line[x].text, out);
    fputc('\n', out);
  }
}

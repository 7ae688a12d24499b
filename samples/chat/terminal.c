#include "terminal.h"

#include "command.h"

#include <curses.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include <wctype.h>

#define KEY_FOCUS_IN (KEY_MAX + 1)
#define KEY_FOCUS_OUT (KEY_MAX + 2)
#define WHEEL_LINES 3
#define CTRL(letter) ((letter)&0x1f)

static attr_t looks_of(chat_style style) {
  switch (style) {
  case STYLE_BOLD: return A_BOLD;
  case STYLE_DIM: return A_DIM;
  case STYLE_BADGE: return A_BOLD | COLOR_PAIR(1);
  case STYLE_MENTION: return A_BOLD | COLOR_PAIR(2);
  case STYLE_DIVIDER: return COLOR_PAIR(1);
  case STYLE_OWN: return COLOR_PAIR(3);
  case STYLE_BAR: return A_REVERSE;
  case STYLE_CHOSEN: return A_REVERSE;
  case STYLE_ALARM: return A_BOLD | COLOR_PAIR(1);
  default: return A_NORMAL;
  }
}

static void draw(const chat_canvas *canvas) {
  erase();
  for (int y = 0; y < canvas->height; y++)
    for (int x = 0; x < canvas->width; x++) {
      const chat_cell *cell = canvas_at(canvas, x, y);

      if (cell->text[0] == '\0') continue;
      attrset((int)looks_of(cell->style));
      mvaddstr(y, x, cell->text);
    }
  attrset(A_NORMAL);
  curs_set(canvas->cursor_x >= 0);
  if (canvas->cursor_x >= 0) move(canvas->cursor_y, canvas->cursor_x);
  refresh();
}

static void say(chat_app *chat, chat_screen *screen, const char *line) {
  char why[256] = "";

  chat->notice[0] = '\0';
  chat->dirty = true;
  if (!command_run(chat, screen, line, why)) chat_notice(chat, "%s", why);
}

/* Enter: a command, the new text of a message, or a message. */
static void enter(chat_app *chat, chat_screen *screen, char *draft) {
  char line[4200];

  if (draft[0] == '/' && chat->editing == 0)
    snprintf(line, sizeof line, "%s", draft + 1);
  else if (chat->editing != 0)
    snprintf(line, sizeof line, "edit %llu %s",
             (unsigned long long)chat->editing, draft);
  else
    snprintf(line, sizeof line, "say %s", draft);
  chat->editing = 0;
  draft[0] = '\0';
  say(chat, screen, line);
}

static void rub_out(char *draft) {
  size_t length = strlen(draft);

  while (length > 0 && ((unsigned char)draft[length - 1] & 0xc0) == 0x80)
    length--;
  if (length > 0) length--;
  draft[length] = '\0';
}

static void type(chat_app *chat, wint_t letter, char *draft, size_t size) {
  char bytes[16];
  int count;

  if (!iswprint(letter)) return;
  count = snprintf(bytes, sizeof bytes, "%lc", letter);
  if (count <= 0 || strlen(draft) + (size_t)count >= size) return;
  strcat(draft, bytes);
  if (chat->open != NULL) chat->open->chosen = 0;
}

/* Keys that say a command whatever is being written. */
static const char *command_of(wint_t key) {
  switch (key) {
  case CTRL('a'): return "read-all";
  case CTRL('e'): return "edit";
  case CTRL('n'): return "mention";
  case CTRL('p'): return "toggle-pin";
  case CTRL('c'):
  case CTRL('q'): return "quit";
  case CTRL('t'): return "toggle-mute";
  case CTRL('u'): return "unread";
  case CTRL('w'): return "who";
  case CTRL('x'): return "recall";
  case '\t': return "next";
  default: return NULL;
  }
}

static const char *special_of(wint_t key, bool reading) {
  switch (key) {
  case KEY_UP: return reading ? "scroll -1" : "previous";
  case KEY_DOWN: return reading ? "scroll 1" : "next";
  case KEY_PPAGE: return "page-up";
  case KEY_NPAGE: return "page-down";
  case KEY_HOME: return "top";
  case KEY_END: return "bottom";
  case KEY_LEFT: return "older";
  case KEY_RIGHT: return "newer";
  case KEY_BTAB: return "previous";
  case KEY_F(1): return "help";
  case KEY_FOCUS_IN: return "focus on";
  case KEY_FOCUS_OUT: return "focus off";
  default: return NULL;
  }
}

static void on_mouse(chat_app *chat, chat_screen *screen) {
  char line[32];
  MEVENT event;

  if (getmouse(&event) != OK || chat->open == NULL) return;
  if (event.bstate & BUTTON4_PRESSED)
    snprintf(line, sizeof line, "scroll -%d", WHEEL_LINES);
  else if (event.bstate & BUTTON5_PRESSED)
    snprintf(line, sizeof line, "scroll %d", WHEEL_LINES);
  else
    return;
  say(chat, screen, line);
}

static void on_special(chat_app *chat, chat_screen *screen, wint_t key,
                       char *draft) {
  const char *command = special_of(key, chat->open != NULL);

  if (key == KEY_MOUSE)
    on_mouse(chat, screen);
  else if (key == KEY_BACKSPACE)
    rub_out(draft);
  else if (key == KEY_RESIZE)
    getmaxyx(stdscr, chat->height, chat->width);
  else if (key == KEY_ENTER)
    enter(chat, screen, draft);
  else if (command != NULL)
    say(chat, screen, command);
}

static void escape(chat_app *chat, chat_screen *screen, char *draft) {
  if (chat->helping)
    say(chat, screen, "help");
  else if (chat->panel.seq != 0)
    chat_who(chat, 0);
  else if (chat->editing != 0)
    draft[0] = '\0';
  else
    say(chat, screen, "close");
  chat->editing = 0;
}

static void on_letter(chat_app *chat, chat_screen *screen, wint_t key,
                      char *draft, size_t size) {
  const char *command = command_of(key);

  if (command != NULL)
    say(chat, screen, command);
  else if (key == 27)
    escape(chat, screen, draft);
  else if (key == '\b' || key == 127)
    rub_out(draft);
  else if (key != '\n' && key != '\r')
    type(chat, key, draft, size);
  else if (draft[0] != '\0')
    enter(chat, screen, draft);
  else if (chat->open == NULL)
    say(chat, screen, "open");
}

/* Commands can be written before a conversation is open. */
static char *draft_of(chat_app *chat, char *loose) {
  return chat->open != NULL ? chat->open->draft : loose;
}

static void on_keys(chat_app *chat, chat_screen *screen) {
  static char loose[sizeof((chat_view *)0)->draft];
  wint_t key;
  int kind;

  while (!chat->over && (kind = get_wch(&key)) != ERR) {
    char *draft = draft_of(chat, loose);

    chat->dirty = true;
    if (kind == KEY_CODE_YES)
      on_special(chat, screen, key, draft);
    else
      on_letter(chat, screen, key, draft, sizeof loose);
    if (chat->open == NULL && loose[0] != '\0') chat_notice(chat, "%s", loose);
  }
}

static void begin(chat_app *chat) {
  initscr();
  raw();
  noecho();
  nonl();
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  set_escdelay(50);
  mousemask(BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
  if (has_colors()) {
    start_color();
    use_default_colors();
    init_pair(1, COLOR_RED, -1);
    init_pair(2, COLOR_YELLOW, -1);
    init_pair(3, COLOR_CYAN, -1);
  }
  define_key("\033[I", KEY_FOCUS_IN);
  define_key("\033[O", KEY_FOCUS_OUT);
  fputs("\033[?1004h", stdout);
  fflush(stdout);
  getmaxyx(stdscr, chat->height, chat->width);
}

static void end(void) {
  fputs("\033[?1004l", stdout);
  fflush(stdout);
  endwin();
}

int terminal_run(chat_app *chat, chat_screen *screen) {
  struct pollfd waits[2] = {{STDIN_FILENO, POLLIN, 0},
                            {chat->wake[0], POLLIN, 0}};

  begin(chat);
  while (!chat->over) {
    if (chat->dirty) {
      if (!screen_compose(screen, chat)) break;
      draw(&screen->canvas);
    }
    /* A second at most: what says "in 4 s" goes on counting. */
    poll(waits, 2, 1000);
    if (waits[0].revents & (POLLHUP | POLLERR)) break;
    chat_hear(chat);
    on_keys(chat, screen);
  }
  end();
  return 0;
}

#include "script.h"

#include "command.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PATIENCE_MS 30000

static long long clock_ms(void) {
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Lets the chat go on for a moment: hears, and shows what has changed, as a
 * terminal would. */
static void go_on(chat_app *chat, chat_screen *screen, int ms) {
  struct pollfd wake = {chat->wake[0], POLLIN, 0};

  if (chat->dirty) screen_compose(screen, chat);
  poll(&wake, 1, ms);
  chat_hear(chat);
}

static void rest(chat_app *chat, chat_screen *screen, long long ms) {
  long long end = clock_ms() + ms, left;

  while ((left = end - clock_ms()) > 0)
    go_on(chat, screen, left < 50 ? (int)left : 50);
}

static bool same(const char *have, const char *wanted) {
  return strcmp(have, wanted) == 0;
}

static bool is_online(const chat_app *chat, bool synced) {
  seen_connection_state state = {.size = sizeof state};

  seen_client_connection(chat->client, &state);
  return state.connection == SEEN_CONNECTION_ONLINE &&
         (!synced || state.synced);
}

/* It was tried, and waits for the next time. */
static bool is_offline(const chat_app *chat) {
  seen_connection_state state = {.size = sizeof state};

  seen_client_connection(chat->client, &state);
  return state.connection == SEEN_CONNECTION_WAITING;
}

/* What can be waited for, of one conversation. */
static bool conversation_is(const chat_app *chat, const char *what,
                            const char *id, unsigned long long number) {
  seen_state state = {.size = sizeof state};
  bool there = seen_client_state(chat->client, id, &state) == SEEN_OK;

  if (same(what, "gone")) return !there;
  if (!there) return false;
  if (same(what, "row")) return true;
  if (same(what, "unread")) return state.unread == number;
  if (same(what, "mentions")) return state.mentions == number;
  if (same(what, "last")) return state.last_seq >= number;
  if (same(what, "sent")) return !state.pending;
  if (same(what, "muted")) return state.muted;
  if (same(what, "pinned")) return state.pinned;
  return false;
}

static bool receipt_is(const chat_app *chat, const char *id,
                       unsigned long long seq, unsigned long long read) {
  seen_receipt receipt = {.size = sizeof receipt};

  return seen_client_receipt(chat->client, id, seq, &receipt) == SEEN_OK &&
         receipt.read >= read;
}

/* The next word of a line; "" at its end. */
static const char *next_word(char **rest) {
  char *word = *rest + strspn(*rest, " ");

  *rest = word + strcspn(word, " ");
  if (**rest != '\0') *(*rest)++ = '\0';
  return word;
}

static bool holds(const chat_app *chat, const char *condition) {
  char line[512], *rest = line;
  const char *what, *id;
  unsigned long long first, second;

  snprintf(line, sizeof line, "%s", condition);
  what = next_word(&rest);
  id = next_word(&rest);
  first = strtoull(next_word(&rest), NULL, 10);
  second = strtoull(next_word(&rest), NULL, 10);
  if (same(what, "online")) return is_online(chat, false);
  if (same(what, "synced")) return is_online(chat, true);
  if (same(what, "offline")) return is_offline(chat);
  if (same(what, "filled"))
    return chat->open != NULL && chat->open->texts.begun &&
           chat->open->history == 0 && chat->open->post_count == 0;
  if (same(what, "readers"))
    return chat->panel.seq != 0 && chat->panel.request == 0;
  if (same(what, "read")) return receipt_is(chat, id, first, second);
  return conversation_is(chat, what, id, first);
}

static void say_why_not(const chat_app *chat, const char *condition,
                        char why[256]) {
  seen_connection_state state = {.size = sizeof state};
  char words[SCREEN_LINK];

  seen_client_connection(chat->client, &state);
  if (chat->refused)
    snprintf(why, 256, "%s: %.150s", condition, chat->notice);
  else
    snprintf(why, 256, "%s: not within %d s (%s)", condition,
             PATIENCE_MS / 1000, screen_link(&state, words));
}

static bool until(chat_app *chat, chat_screen *screen, const char *condition,
                  char why[256]) {
  long long end = clock_ms() + PATIENCE_MS;

  go_on(chat, screen, 0);
  while (!holds(chat, condition)) {
    if (chat->refused || clock_ms() > end) {
      say_why_not(chat, condition, why);
      return false;
    }
    go_on(chat, screen, 20);
  }
  return true;
}

static bool show(chat_app *chat, chat_screen *screen, char why[256]) {
  chat_hear(chat);
  if (!screen_compose(screen, chat)) {
    snprintf(why, 256, "out of memory");
    return false;
  }
  canvas_print(&screen->canvas, stdout);
  fflush(stdout);
  return true;
}

static bool resize(chat_app *chat, const char *text, char why[256]) {
  chat->dirty = true;
  if (options_read_size(text, &chat->width, &chat->height)) return true;
  snprintf(why, 256, "size %s: from 20x6 to 1000x1000", text);
  return false;
}

static bool run_line(chat_app *chat, chat_screen *screen, const char *line,
                     char why[256]) {
  if (same(line, "show")) return show(chat, screen, why);
  if (strncmp(line, "size ", 5) == 0) return resize(chat, line + 5, why);
  if (strncmp(line, "until ", 6) == 0)
    return until(chat, screen, line + 6, why);
  if (strncmp(line, "wait ", 5) == 0) {
    rest(chat, screen, strtoll(line + 5, NULL, 10));
    return true;
  }
  if (!command_run(chat, screen, line, why)) return false;
  go_on(chat, screen, 0);
  return true;
}

static int run_file(chat_app *chat, chat_screen *screen, FILE *file) {
  char line[8192], why[256] = "";

  for (int at = 1; !chat->over && fgets(line, sizeof line, file) != NULL;
       at++) {
    line[strcspn(line, "\r\n")] = '\0';
    if (line[0] == '\0' || line[0] == '#') continue;
    if (run_line(chat, screen, line, why)) continue;
    fprintf(stderr, "seen-chat: line %d: %s\n", at, why);
    return 1;
  }
  return 0;
}

/* Without a script: shows the screen whenever it has changed. */
static int watch(chat_app *chat, chat_screen *screen) {
  char why[256];

  while (!chat->over && !chat->refused) {
    if (chat->dirty && !show(chat, screen, why)) return 1;
    go_on(chat, screen, 1000);
  }
  if (chat->refused) fprintf(stderr, "seen-chat: %s\n", chat->notice);
  return chat->refused ? 1 : 0;
}

int script_run(chat_app *chat, chat_screen *screen) {
  const char *path = chat->options->script;
  FILE *file;
  int result;

  chat->width = chat->options->width;
  chat->height = chat->options->height;
  if (path == NULL) return watch(chat, screen);
  file = same(path, "-") ? stdin : fopen(path, "r");
  if (file == NULL) {
    fprintf(stderr, "seen-chat: %s: %s\n", path, strerror(errno));
    return 2;
  }
  result = run_file(chat, screen, file);
  if (file != stdin) fclose(file);
  return result;
}

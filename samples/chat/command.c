#include "command.h"

#include <stdlib.h>
#include <string.h>

/* A command on its way. */
typedef struct chat_command {
  chat_app *chat;
  chat_screen *screen;
  const char *argument; /* what stands behind the name, "" where nothing */
  char *why;
} chat_command;

static bool fail(const chat_command *command, const char *why) {
  snprintf(command->why, 256, "%s", why);
  return false;
}

/* A call of the library: false, and why, where it failed. */
static bool done(const chat_command *command, int code,
                 const seen_error *error) {
  if (code == SEEN_OK) return true;
  return fail(command, error != NULL && error->message[0] != '\0'
                           ? error->message
                           : seen_error_text(code));
}

static const char *open_id(const chat_command *command) {
  return command->chat->open->id;
}

/* The number at the beginning of the argument; `otherwise` where none is. */
static bool number(const chat_command *command, const char **rest,
                   uint64_t otherwise, uint64_t *value) {
  char *end;

  *value = strtoull(command->argument, &end, 10);
  if (end == command->argument) *value = otherwise;
  if (rest != NULL) *rest = end + strspn(end, " ");
  return rest != NULL || *end == '\0' || fail(command, "a number is needed");
}

static bool run_open(chat_command *command) {
  seen_state row = {.size = sizeof row};

  if (command->argument[0] != '\0') {
    if (seen_client_state(command->chat->client, command->argument, &row) !=
        SEEN_OK)
      return fail(command, "there is no such conversation");
    return chat_show(command->chat, command->argument);
  }
  if (seen_client_page(command->chat->client, command->chat->row, 1, &row) == 0)
    return fail(command, "there is no conversation");
  return chat_show(command->chat, row.id);
}

static bool run_close(chat_command *command) {
  return chat_show(command->chat, NULL);
}

/* Moves along the list: the chosen row, or which conversation is open. */
static bool step_row(chat_command *command, int by) {
  chat_app *chat = command->chat;
  seen_state row = {.size = sizeof row};
  size_t count = seen_client_count(chat->client), at = chat->row;

  if (count == 0) return true;
  for (size_t i = 0; chat->open != NULL && i < count; i++)
    if (seen_client_page(chat->client, i, 1, &row) == 1 &&
        strcmp(row.id, chat->open->id) == 0)
      at = i;
  if (by < 0 ? at > 0 : at + 1 < count) at = by < 0 ? at - 1 : at + 1;
  chat->row = at;
  chat->dirty = true;
  if (chat->open == NULL) return true;
  return seen_client_page(chat->client, at, 1, &row) == 1 &&
         chat_show(chat, row.id);
}

static bool run_next(chat_command *command) {
  return step_row(command, 1);
}
static bool run_previous(chat_command *command) {
  return step_row(command, -1);
}

static bool run_scroll(chat_command *command) {
  screen_scroll(command->screen, command->chat,
                strtol(command->argument, NULL, 10));
  return true;
}

static bool run_page_up(chat_command *command) {
  screen_scroll(command->screen, command->chat,
                1 - (long)screen_rows(command->chat));
  return true;
}

static bool run_page_down(chat_command *command) {
  screen_scroll(command->screen, command->chat,
                (long)screen_rows(command->chat) - 1);
  return true;
}

static bool run_top(chat_command *command) {
  screen_top(command->screen, command->chat);
  return true;
}

static bool run_bottom(chat_command *command) {
  screen_bottom(command->screen, command->chat);
  return true;
}

static bool run_say(chat_command *command) {
  return command->argument[0] == '\0' ||
         chat_say(command->chat, command->argument) ||
         fail(command, "out of memory");
}

static bool run_read(chat_command *command) {
  uint64_t seq;

  return number(command, NULL, 0, &seq) &&
         done(command,
              seen_client_mark_read(command->chat->client, open_id(command),
                                    seq),
              NULL);
}

/* Marks as unread and leaves: what stays on screen would be read again. */
static bool run_unread(chat_command *command) {
  uint64_t seq;

  return number(command, NULL, 0, &seq) &&
         done(command,
              seen_client_mark_unread(command->chat->client, open_id(command),
                                      seq),
              NULL) &&
         chat_show(command->chat, NULL);
}

static bool run_read_all(chat_command *command) {
  return done(command, seen_client_mark_all_read(command->chat->client), NULL);
}

static bool run_clear_mentions(chat_command *command) {
  return done(
      command,
      seen_client_clear_mentions(command->chat->client, open_id(command)),
      NULL);
}

/* To the next mention below what was jumped to last, or the first one. */
static bool run_mention(chat_command *command) {
  chat_view *view = command->chat->open;
  seen_client *client = command->chat->client;
  seen_mention mention;

  if (seen_client_next_mention(client, view->id, view->bottom, &mention) !=
          SEEN_OK &&
      seen_client_next_mention(client, view->id, 0, &mention) != SEEN_OK)
    return fail(command, "no mention is open");
  view->wanted = mention.seq;
  chat_fill(command->chat);
  command->chat->dirty = true;
  return true;
}

static bool mute(chat_command *command, bool on) {
  return done(command,
              seen_client_mute(command->chat->client, open_id(command), on),
              NULL);
}

static bool run_mute(chat_command *command) {
  return mute(command, true);
}
static bool run_unmute(chat_command *command) {
  return mute(command, false);
}

static bool pin(chat_command *command, bool on) {
  return done(command,
              seen_client_pin(command->chat->client, open_id(command), on),
              NULL);
}

static bool run_pin(chat_command *command) {
  return pin(command, true);
}
static bool run_unpin(chat_command *command) {
  return pin(command, false);
}

/* Keys toggle. */
static bool open_state(const chat_command *command, seen_state *state) {
  state->size = sizeof *state;
  return seen_client_state(command->chat->client, open_id(command), state) ==
         SEEN_OK;
}

static bool run_toggle_mute(chat_command *command) {
  seen_state state;

  return open_state(command, &state) && mute(command, !state.muted);
}

static bool run_toggle_pin(chat_command *command) {
  seen_state state;

  return open_state(command, &state) && pin(command, !state.pinned);
}

static bool is_own(const chat_app *chat, const chat_text *text) {
  return text->kind == SEEN_MESSAGE_TEXT && !text->recalled &&
         strcmp(text->from, chat->options->user) == 0;
}

/* The own message next to `seq`, above or below it; 0: there is none. */
static uint64_t own_beside(const chat_app *chat, uint64_t seq, int by) {
  const chat_texts *texts = &chat->open->texts;

  for (size_t i = 0; i < texts->count; i++) {
    const chat_text *text = &texts->items[by < 0 ? texts->count - 1 - i : i];

    if (is_own(chat, text) && (by < 0 ? text->seq < seq : text->seq > seq))
      return text->seq;
  }
  return 0;
}

/* The message that is meant: by number, the chosen one, the newest own. */
static bool meant(const chat_command *command, const char **rest,
                  uint64_t *seq) {
  const chat_app *chat = command->chat;
  uint64_t otherwise = chat->open->chosen != 0
                           ? chat->open->chosen
                           : own_beside(chat, UINT64_MAX, -1);

  if (!number(command, rest, otherwise, seq)) return false;
  return *seq != 0 || fail(command, "no message of yours is here");
}

static bool run_older(chat_command *command) {
  chat_view *view = command->chat->open;
  uint64_t from = view->chosen != 0 ? view->chosen : UINT64_MAX;
  uint64_t seq = own_beside(command->chat, from, -1);

  if (seq != 0) view->wanted = view->chosen = seq;
  command->chat->dirty = true;
  return true;
}

static bool run_newer(chat_command *command) {
  chat_view *view = command->chat->open;

  if (view->chosen == 0) return true;
  view->chosen = own_beside(command->chat, view->chosen, 1);
  if (view->chosen != 0)
    view->wanted = view->chosen;
  else
    screen_bottom(command->screen, command->chat);
  command->chat->dirty = true;
  return true;
}

static bool run_recall(chat_command *command) {
  seen_error error = SEEN_ERROR_INIT;
  uint64_t seq, request;

  if (!meant(command, NULL, &seq)) return false;
  command->chat->open->chosen = 0;
  return done(command,
              seen_client_recall(command->chat->client, open_id(command), seq,
                                 &request, &error),
              &error);
}

/* With a text: it is the new one. Without: the old one is to be changed. */
static bool run_edit(chat_command *command) {
  chat_view *view = command->chat->open;
  seen_error error = SEEN_ERROR_INIT;
  const char *body;
  const chat_text *text;
  uint64_t seq, request;

  if (!meant(command, &body, &seq)) return false;
  if (body[0] != '\0') {
    view->chosen = 0;
    return done(command,
                seen_client_edit(command->chat->client, view->id, seq, body,
                                 &request, &error),
                &error);
  }
  text = texts_find(&view->texts, seq);
  if (text == NULL || text->body == NULL)
    return fail(command, "its text is not here");
  command->chat->editing = seq;
  snprintf(view->draft, sizeof view->draft, "%s", text->body);
  command->chat->dirty = true;
  return true;
}

static bool run_react(chat_command *command) {
  seen_error error = SEEN_ERROR_INIT;
  seen_post post = {.size = sizeof post, .kind = SEEN_MESSAGE_REACTION};
  uint64_t request;

  if (!number(command, &post.body, 0, &post.target)) return false;
  if (post.target == 0 || post.body[0] == '\0')
    return fail(command, "react SEQ TEXT");
  return done(command,
              seen_client_send(command->chat->client, open_id(command), &post,
                               &request, &error),
              &error);
}

static bool run_who(chat_command *command) {
  uint64_t seq;

  if (!meant(command, NULL, &seq)) return false;
  chat_who(command->chat, command->chat->panel.seq == seq ? 0 : seq);
  return true;
}

/* Splits an argument at its spaces. */
typedef struct chat_words {
  char text[1024];
  const char *words[64];
  size_t count;
} chat_words;

static void split(chat_words *words, const char *argument) {
  char *rest = words->text;

  words->count = 0;
  snprintf(words->text, sizeof words->text, "%s", argument);
  while (words->count < 64 && *(rest += strspn(rest, " ")) != '\0') {
    words->words[words->count++] = rest;
    rest += strcspn(rest, " ");
    if (*rest != '\0') *rest++ = '\0';
  }
}

static bool run_create(chat_command *command) {
  seen_creation creation = {.size = sizeof creation, .kind = SEEN_KIND_GROUP};
  seen_error error = SEEN_ERROR_INIT;
  uint64_t request;
  chat_words words = {.count = 0};

  split(&words, command->argument);
  if (words.count == 0) return fail(command, "create ID [USER ...]");
  creation.users = words.words + 1;
  creation.user_count = words.count - 1;
  return done(command,
              seen_client_create(command->chat->client, words.words[0],
                                 &creation, &request, &error),
              &error);
}

static bool run_add(chat_command *command) {
  seen_error error = SEEN_ERROR_INIT;
  uint64_t request;
  chat_words words = {.count = 0};

  split(&words, command->argument);
  return done(command,
              seen_client_add(command->chat->client, open_id(command),
                              words.words, words.count, SEEN_ROLE_MEMBER,
                              &request, &error),
              &error);
}

static bool run_remove(chat_command *command) {
  seen_error error = SEEN_ERROR_INIT;
  uint64_t request;
  chat_words words = {.count = 0};

  split(&words, command->argument);
  return done(command,
              seen_client_remove(command->chat->client, open_id(command),
                                 words.words, words.count, &request, &error),
              &error);
}

static bool run_join(chat_command *command) {
  seen_error error = SEEN_ERROR_INIT;
  uint64_t request;

  return done(command,
              seen_client_join(command->chat->client, command->argument,
                               &request, &error),
              &error);
}

static bool run_leave(chat_command *command) {
  seen_error error = SEEN_ERROR_INIT;
  uint64_t request;

  return done(command,
              seen_client_leave(command->chat->client, open_id(command),
                                &request, &error),
              &error);
}

static bool run_forget(chat_command *command) {
  char id[256];

  snprintf(id, sizeof id, "%s", open_id(command));
  chat_show(command->chat, NULL);
  return done(command, seen_client_forget(command->chat->client, id), NULL);
}

static bool on_or_off(const chat_command *command, bool *on) {
  *on = strcmp(command->argument, "on") == 0;
  return *on || strcmp(command->argument, "off") == 0 ||
         fail(command, "on or off");
}

static bool run_receipts(chat_command *command) {
  seen_error error = SEEN_ERROR_INIT;
  uint64_t request;
  bool on;

  return on_or_off(command, &on) &&
         done(command,
              seen_client_receipts(command->chat->client, on, &request, &error),
              &error);
}

static bool run_focus(chat_command *command) {
  bool on;

  return on_or_off(command, &on) &&
         done(command, seen_client_focus(command->chat->client, on), NULL);
}

static bool run_foreground(chat_command *command) {
  bool on;

  return on_or_off(command, &on) &&
         done(command, seen_client_foreground(command->chat->client, on), NULL);
}

static bool run_network(chat_command *command) {
  return done(command, seen_client_network_changed(command->chat->client),
              NULL);
}

static bool run_explain(chat_command *command) {
  char text[256];
  size_t length;

  if (seen_client_explain(command->chat->client, open_id(command), text,
                          sizeof text, &length) != SEEN_OK)
    return fail(command, "there is nothing to explain");
  text[strcspn(text, "\n")] = '\0';
  chat_notice(command->chat, "%s", text);
  return true;
}

static bool run_audit(chat_command *command) {
  return done(command, seen_client_audit(command->chat->client), NULL);
}

static int write_line(const char *line, size_t length, void *user_data) {
  FILE *file = user_data;

  return fwrite(line, 1, length, file) == length && fputc('\n', file) != EOF
             ? SEEN_OK
             : SEEN_EIO;
}

static bool run_dump(chat_command *command) {
  seen_error error = SEEN_ERROR_INIT;
  FILE *file = fopen(command->argument, "w");
  int code;

  if (file == NULL) return fail(command, "the file can't be written");
  code = seen_client_dump(command->chat->client, SEEN_NAMES_REAL, write_line,
                          file, &error);
  if (fclose(file) != 0 && code == SEEN_OK) code = SEEN_EIO;
  return done(command, code, &error);
}

static bool run_help(chat_command *command) {
  command->chat->helping = !command->chat->helping;
  command->chat->dirty = true;
  return true;
}

static bool run_quit(chat_command *command) {
  command->chat->over = true;
  return true;
}

static const struct {
  const char *name;
  bool needs_open; /* a conversation has to be open */
  bool (*run)(chat_command *command);
} commands[] = {
    {"add", true, run_add},
    {"audit", false, run_audit},
    {"bottom", true, run_bottom},
    {"clear-mentions", true, run_clear_mentions},
    {"close", false, run_close},
    {"create", false, run_create},
    {"dump", false, run_dump},
    {"edit", true, run_edit},
    {"explain", true, run_explain},
    {"focus", false, run_focus},
    {"foreground", false, run_foreground},
    {"forget", true, run_forget},
    {"help", false, run_help},
    {"join", false, run_join},
    {"leave", true, run_leave},
    {"mention", true, run_mention},
    {"mute", true, run_mute},
    {"network", false, run_network},
    {"newer", true, run_newer},
    {"next", false, run_next},
    {"older", true, run_older},
    {"open", false, run_open},
    {"page-down", true, run_page_down},
    {"page-up", true, run_page_up},
    {"pin", true, run_pin},
    {"previous", false, run_previous},
    {"quit", false, run_quit},
    {"react", true, run_react},
    {"read", true, run_read},
    {"read-all", false, run_read_all},
    {"recall", true, run_recall},
    {"receipts", false, run_receipts},
    {"remove", true, run_remove},
    {"say", true, run_say},
    {"scroll", true, run_scroll},
    {"toggle-mute", true, run_toggle_mute},
    {"toggle-pin", true, run_toggle_pin},
    {"top", true, run_top},
    {"unmute", true, run_unmute},
    {"unpin", true, run_unpin},
    {"unread", true, run_unread},
    {"who", true, run_who},
};

bool command_run(chat_app *chat, chat_screen *screen, const char *line,
                 char why[256]) {
  size_t length = strcspn(line, " ");
  chat_command command = {chat, screen, line + length, why};

  command.argument += strspn(command.argument, " ");
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    if (strlen(commands[i].name) != length ||
        strncmp(commands[i].name, line, length) != 0)
      continue;
    if (commands[i].needs_open && chat->open == NULL)
      return fail(&command, "no conversation is open");
    return commands[i].run(&command);
  }
  snprintf(why, 256, "%.*s is no command; /help lists them", (int)length, line);
  return false;
}

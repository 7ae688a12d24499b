/*
 * seen-chat: a chat for the terminal that shows the library whole. The list,
 * its badges, the divider and the receipts are the library's; what was on
 * screen is what it is told.
 */
#include "script.h"
#include "terminal.h"

#include <langinfo.h>
#include <libwebsockets.h>
#include <locale.h>
#include <string.h>
#include <unistd.h>

static int complain(const char *why) {
  fprintf(stderr, "seen-chat: %s\n", why);
  return 2;
}

static int run(chat_app *chat) {
  chat_screen screen;
  int result;

  memset(&screen, 0, sizeof screen);
  result = chat->options->plain || chat->options->script != NULL
               ? script_run(chat, &screen)
               : terminal_run(chat, &screen);
  screen_free(&screen);
  return result;
}

int main(int count, char **arguments) {
  chat_options options;
  chat_app chat;
  char why[256] = "";
  int result;

  /* libwebsockets greets on the standard error, which is the screen. */
  lws_set_log_level(LLL_ERR, NULL);
  /* UTF-8 in any case: the chat is. */
  setlocale(LC_ALL, "");
  if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
    setlocale(LC_CTYPE, "C.UTF-8");
  if (!options_read(&options, count - 1, arguments + 1, why)) {
    options_free(&options);
    return complain(why);
  }
  if (options.help) {
    options_usage(stdout);
    return 0;
  }
  if (!options.plain && options.script == NULL && !isatty(STDOUT_FILENO)) {
    options_free(&options);
    return complain("this is no terminal; --plain or --script does without");
  }
  if (!chat_open(&chat, &options, why)) {
    options_free(&options);
    return complain(why);
  }
  result = run(&chat);
  chat_close(&chat);
  options_free(&options);
  return result;
}

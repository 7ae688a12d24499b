#include "options.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void options_usage(FILE *out) {
  fputs(
      "Usage: seen-chat --server URL --token TOKEN --db FILE [options]\n"
      "\n"
      "  --server URL     http://… or https://… of a seen-server\n"
      "  --token TOKEN    who you are; @FILE reads it from a file\n"
      "  --db FILE        where what is known is kept between runs\n"
      "  --device NAME    this device's name (terminal)\n"
      "  --ca FILE        certificates to trust, PEM\n"
      "  --proxy URL      http://host:port\n"
      "  --record FILE    write what happens to FILE-0 and FILE-1, to replay "
      "it\n"
      "  --script FILE    take commands from a file; - is the standard input\n"
      "  --plain          print screens instead of drawing them\n"
      "  --size WxH       of a screen that is printed (80x24)\n"
      "  --help\n"
      "\n"
      "In the chat, /help lists the commands; a script has one in each line.\n",
      out);
}

static int digit(char letter) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrst"
                               "uvwxyz0123456789-_";
  const char *at = letter == '\0' ? NULL : strchr(digits, letter);

  return at == NULL ? -1 : (int)(at - digits);
}

/* Decodes base64url up to a dot; NULL where it is none. */
static char *decode(const char *from) {
  size_t length = strcspn(from, "."), used = 0;
  char *to = malloc(length + 1);
  unsigned bits = 0, held = 0;

  for (size_t i = 0; to != NULL && i < length; i++) {
    int value = digit(from[i]);

    if (value < 0) {
      free(to);
      return NULL;
    }
    bits = bits << 6 | (unsigned)value;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    to[used++] = (char)(bits >> held & 0xff);
  }
  if (to != NULL) to[used] = '\0';
  return to;
}

static char *copy(const char *from) {
  size_t size = strlen(from) + 1;
  char *to = malloc(size);

  if (to != NULL) memcpy(to, from, size);
  return to;
}

/* Whose token it is; whether it is right, the server says. */
static char *user_of(const char *token) {
  const char *dot = strchr(token, '.');
  char *text = dot == NULL ? NULL : decode(dot + 1);
  cJSON *claims = text == NULL ? NULL : cJSON_Parse(text);
  const cJSON *user = cJSON_GetObjectItemCaseSensitive(claims, "sub");
  char *found = cJSON_IsString(user) && user->valuestring[0] != '\0'
                    ? copy(user->valuestring)
                    : NULL;

  cJSON_Delete(claims);
  free(text);
  return found;
}

static bool take_token(chat_options *options, const char *token,
                       char why[256]) {
  free(options->token);
  free(options->user);
  options->token = copy(token);
  options->user = user_of(token);
  if (options->token != NULL && options->user != NULL) return true;
  snprintf(why, 256, "the token is no JSON Web Token that names a user");
  return false;
}

bool options_read_token(chat_options *options, char why[256]) {
  char line[8192] = "";
  FILE *file = fopen(options->token_file, "r");

  if (file == NULL) {
    snprintf(why, 256, "%s: %s", options->token_file, strerror(errno));
    return false;
  }
  if (fgets(line, sizeof line, file) != NULL) line[strcspn(line, "\r\n")] = 0;
  fclose(file);
  return take_token(options, line, why);
}

bool options_read_size(const char *text, int *width, int *height) {
  char *end;
  long columns = strtol(text, &end, 10), rows;

  if (*end != 'x') return false;
  rows = strtol(end + 1, &end, 10);
  if (*end != '\0' || columns < 20 || columns > 1000 || rows < 6 || rows > 1000)
    return false;
  *width = (int)columns;
  *height = (int)rows;
  return true;
}

static bool read_size(chat_options *options, const char *text, char why[256]) {
  if (options_read_size(text, &options->width, &options->height)) return true;
  snprintf(why, 256, "--size %s: from 20x6 to 1000x1000", text);
  return false;
}

/* Takes one option with its value. */
static bool take(chat_options *options, const char *name, const char *value,
                 char why[256]) {
  const struct {
    const char *name;
    const char **to;
  } texts[] = {
      {"--server", &options->server}, {"--db", &options->db},
      {"--device", &options->device}, {"--ca", &options->ca_file},
      {"--proxy", &options->proxy},   {"--script", &options->script},
      {"--record", &options->record},
  };

  if (strcmp(name, "--size") == 0) return read_size(options, value, why);
  if (strcmp(name, "--token") == 0) {
    if (value[0] != '@') return take_token(options, value, why);
    options->token_file = value + 1;
    return options_read_token(options, why);
  }
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (strcmp(name, texts[i].name) == 0) {
      *texts[i].to = value;
      return true;
    }
  snprintf(why, 256, "%s is no option; --help lists them", name);
  return false;
}

static bool complete(const chat_options *options, char why[256]) {
  const char *missing = options->server == NULL  ? "--server"
                        : options->token == NULL ? "--token"
                        : options->db == NULL    ? "--db"
                                                 : NULL;

  if (missing == NULL) return true;
  snprintf(why, 256, "%s is missing; --help says more", missing);
  return false;
}

bool options_read(chat_options *options, int count, char **arguments,
                  char why[256]) {
  memset(options, 0, sizeof *options);
  options->device = "terminal";
  options->width = 80;
  options->height = 24;
  for (int i = 0; i < count; i++) {
    if (strcmp(arguments[i], "--help") == 0) {
      options->help = true;
      return true;
    }
    if (strcmp(arguments[i], "--plain") == 0) {
      options->plain = true;
      continue;
    }
    if (i + 1 == count) {
      snprintf(why, 256, "%s needs a value, or is no option", arguments[i]);
      return false;
    }
    if (!take(options, arguments[i], arguments[i + 1], why)) return false;
    i++;
  }
  return complete(options, why);
}

void options_free(chat_options *options) {
  free(options->token);
  free(options->user);
}

/*
 * Figures are gathered into one tree of JSON, which is printed as it is or, by
 * the same names, as lines.
 */
#include "figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void tally_add(tally *self, const char *name, uint64_t count) {
  size_t at = 0;

  while (at < self->count && strcmp(self->rows[at].name, name) != 0)
    at++;
  if (at == TALLY_ROWS) at--;
  if (at == self->count) {
    snprintf(self->rows[at].name, sizeof self->rows[at].name, "%s", name);
    self->count++;
  }
  self->rows[at].count += count;
}

static const char *const server_names[SERVER_COUNTS] = {
    "reports",         "reports_merged", "reports_stale",
    "reports_refused", "commits",        "pushes"};

void server_counts_add(server_counts *self, const char *page, double sign) {
  char name[64];

  for (int i = 0; i < SERVER_COUNTS; i++) {
    const char *found;

    snprintf(name, sizeof name, "\nseen_%s_total ", server_names[i]);
    if ((found = strstr(page, name)) == NULL) continue;
    self->counts[i] += sign * strtod(found + strlen(name), NULL);
    self->known = true;
  }
}

static void add(cJSON *into, const char *name, double value) {
  cJSON_AddNumberToObject(into, name, value);
}

static double rounded(double value) {
  return round(value * 1000) / 1000;
}

/* The 50th, 95th and 99th percentile and the most, in ms. */
static void add_wait(cJSON *into, const char *name, const latency *from) {
  cJSON *wait = cJSON_AddObjectToObject(into, name);

  add(wait, "count", (double)from->count);
  add(wait, "p50_ms", rounded(latency_ms(from, 0.50)));
  add(wait, "p95_ms", rounded(latency_ms(from, 0.95)));
  add(wait, "p99_ms", rounded(latency_ms(from, 0.99)));
  add(wait, "most_ms", rounded((double)from->most_ns / 1e6));
}

static void add_tally(cJSON *into, const char *name, const tally *from) {
  cJSON *list = cJSON_AddObjectToObject(into, name);

  for (size_t i = 0; i < from->count; i++)
    add(list, from->rows[i].name, (double)from->rows[i].count);
}

static void add_asked(cJSON *into, const figures *self, const options *how) {
  cJSON *asked = cJSON_AddObjectToObject(into, "asked");

  add(asked, "users", how->users);
  add(asked, "members", how->members);
  add(asked, "conversations", how->conversations);
  add(asked, "groups", options_groups(how));
  add(asked, "messages", how->messages);
  if (how->load == REPORTS) {
    add(asked, "items", how->items);
    add(asked, "in_flight", how->in_flight);
  }
  if (how->load == RECEIPTS) add(asked, "subscribers", how->subscribers);
  add(asked, "rate", how->rate);
  add(asked, "duration_ms", how->duration_ms);
  add(asked, "window_ms", (double)self->window_ms);
  add(asked, "reports_per_second", (double)self->reports_per_second);
}

static void add_throughput(cJSON *into, const figures *self) {
  double took = (double)(self->stopped - self->began) / 1e9;
  cJSON *done = cJSON_AddObjectToObject(into, "throughput");
  char name[40];

  add(done, "took_ms", rounded(took * 1000));
  snprintf(name, sizeof name, "%s_sent", self->unit);
  add(done, name, (double)self->sent);
  snprintf(name, sizeof name, "%s_answered", self->unit);
  add(done, name, (double)self->answered);
  snprintf(name, sizeof name, "%s_per_second", self->unit);
  add(done, name, took > 0 ? round((double)self->answered_in_time / took) : 0);
  add(done, "pushes", (double)self->pushes);
}

static void add_backlog(cJSON *into, const figures *self, const options *how) {
  cJSON *left = cJSON_AddObjectToObject(into, "backlog");

  add(left, "not_answered", (double)self->not_answered);
  add(left, "not_sent", (double)self->not_sent);
  if (how->load == RECEIPTS) add(left, "not_told", (double)self->not_told);
  add(left, "drain_ms", rounded((double)(self->drained - self->stopped) / 1e6));
}

static void add_server(cJSON *into, const server_counts *from) {
  cJSON *counts = cJSON_AddObjectToObject(into, "server");

  for (int i = 0; i < SERVER_COUNTS; i++)
    add(counts, server_names[i], from->counts[i]);
}

cJSON *figures_tree(const figures *self, const options *how,
                    cJSON *environment) {
  double took = (double)(self->stopped - self->began) / 1e9;
  cJSON *tree = cJSON_CreateObject(), *client;

  cJSON_AddStringToObject(tree, "load", load_names[how->load]);
  add_asked(tree, self, how);
  add_throughput(tree, self);
  for (size_t i = 0; i < WAITS && self->waits[i].name != NULL; i++)
    add_wait(tree, self->waits[i].name, &self->waits[i].took);
  add_tally(tree, "results", &self->results);
  add_tally(tree, "errors", &self->errors);
  add_backlog(tree, self, how);
  cJSON_AddItemToObject(tree, self->section, cJSON_Duplicate(self->own, true));
  if (self->server.known) add_server(tree, &self->server);
  client = cJSON_AddObjectToObject(tree, "client");
  add(client, "cores_used", took > 0 ? rounded(self->cpu_s / took) : 0);
  cJSON_AddItemToObject(tree, "environment", environment);
  return tree;
}

static void print_value(const cJSON *value, FILE *out) {
  if (cJSON_IsString(value))
    fputs(value->valuestring, out);
  else if (value->valuedouble == floor(value->valuedouble))
    fprintf(out, "%.0f", value->valuedouble);
  else
    fprintf(out, "%.3f", value->valuedouble);
}

/* A section is a line: its name, and its members as `name value`. */
static void print_section(const cJSON *section, FILE *out) {
  const cJSON *each;
  int column = fprintf(out, "  %-13s", section->string);
  bool any = false;

  if (!cJSON_IsObject(section)) {
    print_value(section, out);
    any = true;
  }
  cJSON_ArrayForEach(each, section) {
    char text[300], *at = text;
    FILE *into = fmemopen(text, sizeof text, "w");

    if (into == NULL) return;
    fputs(each->string, into);
    fputc(' ', into);
    print_value(each, into);
    fclose(into);
    while ((at = strchr(at, '_')) != NULL && at < text + strlen(each->string))
      *at = ' ';
    if (any) column += fprintf(out, ",");
    if (any && column + (int)strlen(text) > 76)
      column = fprintf(out, "\n  %-13s", "") - 1;
    else if (any)
      column += fprintf(out, " ");
    column += fprintf(out, "%s", text);
    any = true;
  }
  fputs(any ? "\n" : "none\n", out);
}

void figures_print(const cJSON *tree, bool json, FILE *out) {
  const cJSON *section;
  char *text;

  if (json) {
    text = cJSON_Print(tree);
    if (text != NULL) fprintf(out, "%s\n", text);
    cJSON_free(text);
    return;
  }
  fputs("seen-load\n", out);
  cJSON_ArrayForEach(section, tree) print_section(section, out);
}

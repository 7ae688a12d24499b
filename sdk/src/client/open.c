/* A client is made from its options, filled from its mirror, and freed. */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "client/client.h"

/* Where an interval of the session's stands in the options. */
typedef struct place {
  const char *field;
  size_t option;
  size_t interval;
} place;

#define PLACE(field)                                                           \
  {                                                                            \
#field, offsetof(seen_client_options, field),                              \
        offsetof(sn_intervals, field)                                          \
  }

static const place places[] = {
    PLACE(dial_ms),        PLACE(hello_ms),        PLACE(answer_ms),
    PLACE(ping_ms),        PLACE(dead_ms),         PLACE(probe_ms),
    PLACE(backoff_min_ms), PLACE(backoff_max_ms),  PLACE(drain_ms),
    PLACE(stable_ms),      PLACE(socket_retry_ms), PLACE(socket_retry_max_ms),
    PLACE(token_ms),       PLACE(request_ms),      PLACE(act_ms),
};

enum { PLACES = sizeof places / sizeof *places };

void seen_client_options_init(seen_client_options *options) {
  sn_intervals intervals;
  seen_recorder_options recorder;
  sn_intervals_init(&intervals);
  seen_recorder_options_init(&recorder);
  memset(options, 0, sizeof *options);
  options->size = (uint32_t)sizeof *options;
  seen_options_init(&options->policy);
  options->policy.jitter = true;
  options->policy.delivered = true;
  options->policy.subscriptions = true;
  for (size_t i = 0; i < PLACES; i++)
    memcpy((char *)options + places[i].option,
           (const char *)&intervals + places[i].interval, sizeof(uint32_t));
  options->poll_ms = 25000;
  options->recorder_capacity = recorder.capacity;
  options->recorder_bytes = recorder.bytes;
}

static int check_numbers(const seen_client_options *options,
                         seen_error *error) {
  static const uint32_t none = 0;
  for (size_t i = 0; i < PLACES; i++)
    if (!memcmp((const char *)options + places[i].option, &none, sizeof none))
      return sn_fail(error, SEEN_EINVAL, "%s is 0", places[i].field);
  if (options->poll_ms == 0) return sn_fail(error, SEEN_EINVAL, "poll_ms is 0");
  if (options->dead_ms <= options->ping_ms)
    return sn_fail(error, SEEN_EINVAL, "dead_ms is not above ping_ms");
  if (options->backoff_max_ms < options->backoff_min_ms)
    return sn_fail(error, SEEN_EINVAL,
                   "backoff_max_ms is below backoff_min_ms");
  if (options->socket_retry_max_ms < options->socket_retry_ms)
    return sn_fail(error, SEEN_EINVAL,
                   "socket_retry_max_ms is below socket_retry_ms");
  return SEEN_OK;
}

static int check(const seen_client_options *options, seen_error *error) {
  int status;
  if (options->size != sizeof *options)
    return sn_fail(error, SEEN_EINVAL, "size: %u, this library's is %u",
                   (uint64_t)options->size, (uint64_t)sizeof *options);
  status = seen_options_check(&options->policy, error);
  if (!status) status = check_numbers(options, error);
  if (status) return status;
  if (options->path && options->store)
    return sn_fail(error, SEEN_EINVAL, "path and store: one of them");
  if (options->url && options->transport)
    return sn_fail(error, SEEN_EINVAL, "url and transport: one of them");
  if ((options->url || options->transport) && !*options->policy.device)
    return sn_fail(error, SEEN_EINVAL, "device: a server wants a name");
  if (options->key && !options->path)
    return sn_fail(error, SEEN_EINVAL, "key: of no path");
  return SEEN_OK;
}

/* NULL stays NULL. */
static int copy_text(const seen_allocator *memory, const char *text,
                     char **copy) {
  *copy = text ? sn_copy_text(memory, text, strlen(text)) : NULL;
  return text && !*copy ? SEEN_ENOMEM : SEEN_OK;
}

static int keep_options(seen_client *client, const seen_client_options *options,
                        seen_error *error) {
  sn_config *config = &client->config;
  config->policy = options->policy;
  config->policy.allocator = client->memory;
  config->has_server = options->url || options->transport;
  config->wakeup = options->wakeup;
  config->user_data = options->user_data;
  config->recorder_capacity = options->recorder_capacity;
  config->recorder_bytes = options->recorder_bytes;
  config->has_key = options->key != NULL;
  if (options->key) memcpy(config->key, options->key, sizeof config->key);
  if (copy_text(client->memory, options->policy.user, &config->user) ||
      copy_text(client->memory, options->policy.device, &config->device) ||
      copy_text(client->memory, options->path, &config->path) ||
      copy_text(client->memory, options->recorder_path, &config->recorder_path))
    return sn_fail_memory(error);
  config->policy.user = config->user;
  config->policy.device = config->device;
  if (config->policy.seed) return SEEN_OK;
  return sn_platform_random(&config->policy.seed, sizeof config->policy.seed,
                            error);
}

int sn_client_open_store(const seen_client *client, seen_store **store,
                         seen_error *error) {
  const sn_config *config = &client->config;
  seen_sqlite_options options;
  if (!config->path)
    return seen_store_open_memory(client->memory, store, error);
  seen_sqlite_options_init(&options);
  options.path = config->path;
  options.key = config->has_key ? config->key : NULL;
  options.log = config->policy.log;
  options.log_user_data = config->policy.log_user_data;
  options.allocator = client->memory;
  return seen_store_open_sqlite(&options, store, error);
}

/* What the engine has to say of what it was filled with is no news. */
static int fill(seen_client *client, seen_error *error) {
  seen_effect effect;
  int status = seen_mirror_open(&client->config.policy, &client->yielding.store,
                                client->now, &client->mirror, NULL, error);
  if (status) return status;
  client->engine = seen_mirror_engine(client->mirror);
  while (seen_mirror_next(client->mirror, &effect))
    ;
  if (sn_events_init(&client->events, client->engine, client->memory))
    return sn_fail_memory(error);
  return SEEN_OK;
}

/* Another seed than the engine's: what comes of one says nothing of both. */
static int make_session(seen_client *client, const seen_client_options *options,
                        seen_error *error) {
  const seen_options *policy = &client->config.policy;
  sn_session_options session = {.user = policy->user,
                                .device =
                                    *policy->device ? policy->device : "-",
                                .token = options->token,
                                .seed = ~policy->seed,
                                .log = client->log,
                                .memory = client->memory};
  seen_meta meta;
  seen_mirror_server(client->mirror, &meta);
  session.incarnation = *meta.incarnation ? meta.incarnation : NULL;
  session.version = meta.version;
  session.rows = seen_engine_count(seen_mirror_engine(client->mirror)) > 0;
  for (size_t i = 0; i < PLACES; i++)
    memcpy((char *)&session.intervals + places[i].interval,
           (const char *)options + places[i].option, sizeof(uint32_t));
  return sn_session_new(&session, client->now, &client->session, error);
}

static int make_transport(seen_client *client,
                          const seen_client_options *options,
                          seen_error *error) {
  seen_net_options net;
  client->transport = options->transport;
  if (!options->url) return SEEN_OK;
  seen_net_options_init(&net);
  net.url = options->url;
  net.proxy = options->proxy;
  net.ca_file = options->ca_file;
  net.pinned_key = options->pinned_key;
  net.poll_ms = options->poll_ms;
  net.log = options->policy.log;
  net.log_user_data = options->policy.log_user_data;
  net.log_level = options->policy.log_level;
  net.allocator = client->memory;
  net.wake = seen_client_wake;
  net.user_data = client;
  return seen_net_open(&net, &client->transport, error);
}

static int make_tools(seen_client *client, seen_error *error) {
  int status = sn_platform_signal_open(&client->signal, error);
  if (status) return status;
  client->lock = sn_platform_mutex_new(client->memory);
  if (!client->lock ||
      sn_helm_init(&client->helm, &client->signal, client->memory) ||
      sn_inbox_init(&client->inbox, client->memory) ||
      sn_listeners_init(&client->listeners, client->memory))
    return sn_fail_memory(error);
  return SEEN_OK;
}

static int set_up(seen_client *client, const seen_client_options *options,
                  seen_error *error) {
  int status = make_tools(client, error);
  if (!status) status = keep_options(client, options, error);
  if (status) return status;
  client->store = options->store;
  if (!client->store)
    status = sn_client_open_store(client, &client->store, error);
  if (status) return status;
  sn_yielding_init(&client->yielding, client->store, client->lock);
  sn_client_lock(client);
  status = fill(client, error);
  sn_client_unlock(client);
  if (!status) status = make_session(client, options, error);
  if (!status) status = make_transport(client, options, error);
  if (status) return status;
  sn_client_tell_store(client, client->store->trouble,
                       seen_error_text(client->store->trouble));
  client->config.user_free = options->user_free; /* nothing can fail now */
  return SEEN_OK;
}

int seen_client_open(const seen_client_options *options, seen_client **out,
                     seen_error *error) {
  const seen_allocator *memory;
  seen_client *client;
  int status = check(options, error);
  *out = NULL;
  if (status) return status;
  memory = options->policy.allocator ? options->policy.allocator
                                     : seen_allocator_default();
  client = sn_allocate_zero(memory, sizeof *client);
  if (!client) return sn_fail_memory(error);
  client->memory = memory;
  client->log = (sn_log){options->policy.log, options->policy.log_user_data,
                         options->policy.log_level};
  client->signal = (sn_signal){{-1, -1}};
  client->now = sn_platform_clock();
  client->foreground = true;
  status = set_up(client, options, error);
  if (!status) {
    *out = client;
    return SEEN_OK;
  }
  if (options->store) client->store = NULL; /* they stay the caller's */
  if (options->transport) client->transport = NULL;
  sn_client_destroy(client);
  return status;
}

void sn_client_destroy(seen_client *client) {
  const seen_allocator *memory = client->memory;
  sn_config *config = &client->config;
  if (client->transport) client->transport->free(client->transport);
  sn_session_free(client->session);
  seen_recorder_free(client->recorder);
  sn_lent_release(&client->lent, memory);
  sn_events_free(&client->events);
  seen_mirror_free(client->mirror);
  if (client->store) client->store->close(client->store);
  sn_acts_free(memory, client->acts);
  sn_listeners_free(&client->listeners);
  sn_inbox_free(&client->inbox);
  sn_helm_free(&client->helm);
  sn_platform_mutex_free(memory, client->lock);
  sn_platform_signal_close(&client->signal);
  sn_release(memory, config->user);
  sn_release(memory, config->device);
  sn_release(memory, config->path);
  sn_release(memory, config->recorder_path);
  memset(config->key, 0, sizeof config->key);
  sn_release(memory, client);
}

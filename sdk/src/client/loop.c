/*
 * The loop: what hosts said and what the transport brought goes into engine
 * and session; what comes of it goes to the transport, to the mirror, and to
 * the host.
 *
 * Without memory for something, it stays first in its line and is done again a
 * little later; nothing behind it is done before.
 */
#include <seen/sys/working.h>

#include "client/client.h"
#include "client/recorder.h"

enum {
  REST = 100,          /* ms, where there was no memory */
  EVENTS_A_TURN = 256, /* of the transport: then it is time to write */
  FAREWELL = 1000      /* ms, for a link to end */
};

static void tell_memory(seen_client *client) {
  client->rest_until = sn_platform_clock() + REST;
  sn_client_lock(client);
  sn_events_problem(&client->events, SEEN_PROBLEM_MEMORY, SEEN_ENOMEM,
                    "no memory: it is tried again");
  sn_client_unlock(client);
}

/* An effect that is not the store's. The lock is held. */
static void take_effect(seen_client *client, const seen_effect *effect) {
  switch (effect->type) {
  case SEEN_EFFECT_CONVERSATION_CHANGED:
    sn_events_changed(&client->events, effect->conv);
    break;
  case SEEN_EFFECT_LIST_CHANGED: sn_events_list(&client->events); break;
  case SEEN_EFFECT_TOTALS_CHANGED: sn_events_totals(&client->events); break;
  case SEEN_EFFECT_DRIFT:
    sn_events_problem(&client->events, SEEN_PROBLEM_DRIFT, 0,
                      "a count differed from its recount");
    break;
  default:
    sn_session_effect(
        client->session, effect,
        effect->conv ? seen_engine_id(client->engine, effect->conv) : NULL,
        client->now);
  }
}

/* Whether it says who has read what. */
static bool tells_receipts(const seen_input *input) {
  return input->type == SEEN_INPUT_PEER || input->type == SEEN_INPUT_RECEIPTS ||
         input->type == SEEN_INPUT_MEMBERS ||
         (input->type == SEEN_INPUT_CONVERSATION &&
          input->u.snapshot.fields & SEEN_SNAPSHOT_ROSTER);
}

/* A mark that met another read, or a conversation that is closed to us. */
static bool tells_refusal(const seen_input *input) {
  const seen_answer *answer = &input->u.answer;
  return input->type == SEEN_INPUT_REFUSE &&
         (answer->refusal == SEEN_REFUSAL_CONFLICT ||
          answer->refusal == SEEN_REFUSAL_NOT_MEMBER ||
          answer->refusal == SEEN_REFUSAL_NOT_FOUND);
}

/* What the engine tells of no effect. The lock is held. */
static void take_note(seen_client *client, const seen_input *input) {
  seen_conv conv = input->conv;
  if (!conv && input->id) conv = seen_engine_find(client->engine, input->id);
  if (!conv) return;
  if (tells_receipts(input)) sn_events_receipts(&client->events, conv);
  if (tells_refusal(input))
    sn_events_refused(&client->events, conv, input->u.answer.refusal);
}

/* The store is asked only where the engine holds what it does not. */
void sn_client_record(seen_client *client) {
  const sn_config *config = &client->config;
  seen_session session = {.size = sizeof session};
  seen_recorder_options recording;
  if (client->recorder || !config->recorder_capacity || client->suspended)
    return;
  seen_recorder_options_init(&recording);
  recording.capacity = config->recorder_capacity;
  recording.bytes = config->recorder_bytes;
  recording.path = config->recorder_path;
  sn_client_lock(client);
  seen_engine_session(client->engine, &session);
  sn_client_unlock(client);
  (void)sn_recorder_new(
      &recording, &config->policy, client->engine,
      session.dirty_since == SEEN_NEVER ? NULL : client->store, client->lock,
      &client->recorder, NULL); /* without memory: the next time */
}

/*
 * The recorder takes the lock by itself where it begins; else it looks at ids
 * only, which nobody else changes.
 */
static void note_input(seen_client *client, const seen_input *input) {
  if (!client->recorder) return;
  if (client->recorder_lost) {
    client->recorder_lost = seen_recorder_restart(client->recorder, NULL) != 0;
  } else {
    int status = seen_recorder_note(client->recorder, input, client->now, NULL);
    client->recorder_lost = status == SEEN_ENOMEM;
  }
}

/* False: there was no memory. */
static bool feed(seen_client *client, const seen_input *input, uint64_t at) {
  seen_error error = SEEN_ERROR_INIT;
  seen_effect effect;
  int status;
  if (at > client->now) client->now = at;
  sn_client_lock(client);
  status = seen_engine_feed(client->engine, input, client->now, &error);
  while (seen_mirror_next(client->mirror, &effect))
    take_effect(client, &effect);
  if (!status) take_note(client, input);
  sn_client_unlock(client);
  if (!status) {
    note_input(client, input);
  } else if (status == SEEN_ENOMEM) {
    client->recorder_lost = client->recorder != NULL;
    tell_memory(client);
    return false;
  } else {
    sn_log_write(&client->log, SEEN_LOG_WARN, "an input is ignored: %s",
                 error.message);
  }
  return true;
}

static void dial(seen_client *client, const seen_dial *what) {
  seen_error error = SEEN_ERROR_INIT;
  int status = client->transport->dial(client->transport, what, &error);
  if (!status || (status != SEEN_EINVAL && status != SEEN_ENOMEM)) {
    client->links++;
    return;
  }
  sn_log_write(&client->log, SEEN_LOG_WARN, "can't connect: %s", error.message);
  sn_session_transport_failed(client->session, what->connection, client->now);
}

static void write_frame(seen_client *client) {
  seen_transport *transport = client->transport;
  uint64_t connection = client->out.u.write.connection;
  if (transport->write(transport, connection, client->out.u.write.text,
                       client->out.u.write.length, NULL))
    sn_session_transport_failed(client->session, connection, client->now);
}

static void begin_request(seen_client *client,
                          const seen_http_request *request) {
  int status = client->transport->request(client->transport, request, NULL);
  if (status == SEEN_EINVAL || status == SEEN_ENOMEM)
    sn_session_transport_failed(client->session, request->request, client->now);
}

/* Something for the transport; nothing is, without one. */
static void carry_out(seen_client *client) {
  seen_transport *transport = client->transport;
  const sn_out *out = &client->out;
  if (!transport) return;
  switch (out->type) {
  case SN_OUT_DIAL: dial(client, &out->u.dial); break;
  case SN_OUT_WRITE: write_frame(client); break;
  case SN_OUT_PING: transport->ping(transport, out->u.number); break;
  case SN_OUT_REQUEST: begin_request(client, &out->u.request); break;
  case SN_OUT_CANCEL: transport->cancel(transport, out->u.number); break;
  default:
    transport->close(transport, out->u.close.connection, out->u.close.code);
  }
}

static void take_news(seen_client *client) {
  const sn_out *out = &client->out;
  sn_client_lock(client);
  switch (out->type) {
  case SN_OUT_MESSAGE:
    sn_events_message(&client->events, out->u.message.conv,
                      &out->u.message.text);
    break;
  case SN_OUT_REPLY: sn_events_reply(&client->events, &out->u.reply); break;
  case SN_OUT_STATE:
    sn_events_connection(&client->events, &out->u.state);
    break;
  default: sn_events_token(&client->events); break;
  }
  sn_client_unlock(client);
}

static bool take_server(seen_client *client) {
  if (!seen_mirror_set_server(client->mirror, client->out.u.server.incarnation,
                              client->out.u.server.version, NULL))
    return true;
  tell_memory(client);
  return false;
}

static bool handle(seen_client *client) {
  switch (client->out.type) {
  case SN_OUT_INPUT: return feed(client, &client->out.u.input, client->now);
  case SN_OUT_SERVER: return take_server(client);
  case SN_OUT_MESSAGE:
  case SN_OUT_REPLY:
  case SN_OUT_STATE:
  case SN_OUT_TOKEN: take_news(client); return true;
  default: carry_out(client); return true;
  }
}

bool sn_client_drain(seen_client *client) {
  for (;;) {
    if (!client->has_out &&
        !sn_session_next(client->session, &client->out, client->now))
      return true;
    client->has_out = !handle(client);
    if (client->has_out) return false;
  }
}

static bool do_input(seen_client *client, const sn_act *act) {
  seen_input input = act->said.u.input;
  input.id = *act->text ? act->text : NULL;
  if (!feed(client, &input, act->at)) return false;
  if (input.type == SEEN_INPUT_APP) client->foreground = input.u.on;
  return true;
}

static bool do_act(seen_client *client, sn_act *act) {
  sn_session *session = client->session;
  sn_said *said = &act->said;
  switch (said->type) {
  case SN_ACT_INPUT: return do_input(client, act);
  case SN_ACT_REQUEST:
    sn_session_request(session, said->u.request, client->now);
    said->u.request = NULL;
    return true;
  case SN_ACT_CANCEL: sn_session_cancel(session, said->u.number); return true;
  case SN_ACT_TOKEN:
    if (sn_session_token(session, said->u.has_token ? act->text : NULL,
                         client->now) != SEEN_ENOMEM)
      return true;
    tell_memory(client);
    return false;
  default: sn_session_network_changed(session, client->now); return true;
  }
}

static void take_acts(seen_client *client) {
  sn_act **last = &client->acts;
  while (*last)
    last = &(*last)->next;
  *last = sn_inbox_take(&client->inbox);
}

static bool do_acts(seen_client *client) {
  take_acts(client);
  while (client->acts) {
    sn_act *act = client->acts;
    if (!do_act(client, act)) return false;
    client->acts = act->next;
    sn_act_free(client->memory, act);
    if (!sn_client_drain(client)) return false;
  }
  return true;
}

static bool take_events(seen_client *client) {
  seen_transport *transport = client->transport;
  seen_transport_event event;
  client->more = false;
  for (int i = 0; transport; i++) {
    client->more = i == EVENTS_A_TURN;
    if (client->more || !transport->next(transport, &event)) break;
    if (event.type == SEEN_TRANSPORT_ENDED && client->links) client->links--;
    (void)sn_session_transport(client->session, &event, client->now);
    if (!sn_client_drain(client)) return false;
  }
  return true;
}

static bool let_time_pass(seen_client *client) {
  const seen_input tick = {.size = sizeof tick, .type = SEEN_INPUT_TICK};
  uint64_t due;
  sn_client_lock(client);
  due = seen_engine_deadline(client->engine);
  sn_client_unlock(client);
  if (due <= client->now && !feed(client, &tick, client->now)) return false;
  if (sn_session_deadline(client->session) <= client->now)
    sn_session_tick(client->session, client->now);
  return sn_client_drain(client);
}

/* Acts happened when they were called: the clock comes after them. */
static bool work(seen_client *client) {
  uint64_t clock = sn_platform_clock();
  client->rest_until = 0;
  sn_client_record(client);
  if (!sn_client_drain(client) || !do_acts(client)) return false;
  if (clock > client->now) client->now = clock;
  return take_events(client) && let_time_pass(client);
}

void sn_client_tell_store(seen_client *client, int status,
                          const char *message) {
  sn_events *events = &client->events;
  const seen_store *store = client->store;
  sn_client_lock(client);
  if (store->origin == SEEN_ORIGIN_REPLACED && !client->replaced) {
    client->replaced = true;
    sn_events_problem(events, SEEN_PROBLEM_REPLACED, store->origin_code,
                      "the mirror was set aside, and is filled anew");
  }
  if (status && status != client->trouble)
    sn_events_problem(events, SEEN_PROBLEM_STORE, status, message);
  if (!status && client->trouble)
    sn_events_problem(events, SEEN_PROBLEM_STORE_OVER, 0, "");
  client->trouble = status;
  sn_client_unlock(client);
}

int sn_client_commit(seen_client *client, seen_error *error) {
  seen_error why = SEEN_ERROR_INIT;
  bool waits;
  int status;
  sn_client_lock(client);
  status = seen_mirror_commit(client->mirror, client->now, &why);
  waits = seen_mirror_deadline(client->mirror) != SEEN_NEVER;
  sn_client_unlock(client);
  if (status && error) *error = why;
  /* Nothing was tried where it is not time yet: then nothing is over. */
  if (client->store && status)
    sn_client_tell_store(client, status, why.message);
  else if (client->store && !waits)
    sn_client_tell_store(client, client->store->trouble,
                         seen_error_text(client->store->trouble));
  return status;
}

static uint64_t earliest(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static void set_deadline(seen_client *client) {
  uint64_t due = SEEN_NEVER;
  sn_client_lock(client);
  if (client->more) {
    due = 0;
  } else if (!client->suspended) {
    due = earliest(seen_engine_deadline(client->engine),
                   seen_mirror_deadline(client->mirror));
    due = earliest(due, sn_session_deadline(client->session));
  }
  if (client->rest_until) due = client->rest_until;
  client->deadline = due;
  sn_client_unlock(client);
}

void sn_client_publish(seen_client *client) {
  bool wake;
  sn_client_lock(client);
  wake = !client->woken && sn_events_wait(&client->events);
  client->woken |= wake;
  sn_client_unlock(client);
  if (wake && client->config.wakeup)
    client->config.wakeup(client->config.user_data);
}

void sn_client_turn(seen_client *client) {
  if (!client->suspended) {
    (void)work(client);
    sn_client_publish(client); /* a badge does not wait for the disk */
    (void)sn_client_commit(client, NULL);
  }
  set_deadline(client);
  sn_client_publish(client);
}

void sn_client_begin(seen_client *client) {
  if (client->begun || client->suspended) return;
  client->begun = true;
  client->now =
      sn_platform_clock() > client->now ? sn_platform_clock() : client->now;
  if (client->transport) sn_session_start(client->session, client->now);
}

void sn_client_wait(seen_client *client, uint64_t end) {
  uint64_t due = earliest(client->deadline, end);
  uint64_t now = due == SEEN_NEVER ? 0 : sn_platform_clock();
  uint64_t left = due > now ? due - now : 0;
  (void)sn_platform_signal_wait(
      &client->signal, left < SN_FOREVER ? (uint32_t)left : SN_FOREVER);
}

void sn_client_say(seen_client *client, seen_input_type type, bool on) {
  const seen_input input = {.size = sizeof input, .type = type, .u.on = on};
  if (feed(client, &input, sn_platform_clock())) (void)sn_client_drain(client);
}

void sn_client_hang_up(seen_client *client) {
  uint64_t end = sn_platform_clock() + FAREWELL;
  sn_session_stop(client->session, client->now);
  while (sn_client_drain(client) && take_events(client) && client->links &&
         sn_platform_clock() < end)
    (void)sn_platform_signal_wait(&client->signal, FAREWELL / 20);
}

static void *run(void *argument) {
  seen_client *client = argument;
  while (sn_helm_take_turn(&client->helm, SN_FOREVER)) {
    sn_client_begin(client);
    do {
      sn_client_wait(client, SEEN_NEVER);
      sn_client_turn(client);
    } while (!sn_helm_wanted(&client->helm));
    sn_helm_give(&client->helm);
  }
  return NULL;
}

int seen_client_start(seen_client *client, seen_error *error) {
  return sn_helm_start(&client->helm, run, client, error);
}

int seen_client_step(seen_client *client, uint32_t timeout_ms,
                     seen_error *error) {
  uint64_t end = sn_platform_clock() + timeout_ms;
  int status = sn_helm_begin_step(&client->helm, error);
  if (status) return status;
  if (sn_helm_take_turn(&client->helm, timeout_ms)) {
    sn_client_begin(client);
    sn_client_wait(client, end);
    sn_client_turn(client);
    sn_helm_give(&client->helm);
  }
  sn_helm_end_step(&client->helm);
  return SEEN_OK;
}

intptr_t seen_client_descriptor(const seen_client *client) {
  return sn_platform_signal_descriptor(&client->signal);
}

uint64_t seen_client_timeout(const seen_client *client) {
  uint64_t now = sn_platform_clock(), due;
  sn_client_lock(client);
  due = client->deadline;
  sn_client_unlock(client);
  if (due == SEEN_NEVER) return SEEN_NEVER;
  return due > now ? due - now : 0;
}

void seen_client_wake(void *client) {
  sn_platform_signal_raise(&((seen_client *)client)->signal);
}

/* Acts as sentences, with what is known while they happen. */
#include "words.h"

#include <stdio.h>

typedef struct line {
  const char *who;
  const model_device *device;
  const model_frame *stray;
  model_act act;
} line;

static void say_frame(const model_frame *frame) {
  static const char *const names[MODEL_FRAME_KINDS] = {
      "nothing",   "report",      "mark_unread",
      "read_all",  "row",         "position",
      "left",      "ack",         "ack of mark_unread",
      "conflict",  "epoch_ahead", "seq_out_of_range",
      "not_member"};
  printf("%s (%d, %d", names[frame->kind], frame->epoch, frame->seq);
  if (frame->kind == MODEL_MARK)
    printf(") to %d", frame->more);
  else if (frame->kind >= MODEL_ROW)
    printf(", %d)", frame->more);
  else
    printf(")");
}

static void say_acts_of_a_person(const line *at) {
  switch ((model_act_kind)at->act.kind) {
  case MODEL_READS: printf("%s reads up to %d", at->who, at->act.value); break;
  case MODEL_MARKS:
    printf("%s marks unread, down to %d", at->who, at->act.value);
    break;
  case MODEL_READS_ALL: printf("%s marks all as read", at->who); break;
  case MODEL_LEAVES: printf("the user leaves"); break;
  case MODEL_REJOINS: printf("the user is added again"); break;
  default: printf("a message comes"); break;
  }
}

static void say_cut(const line *at) {
  printf("the link of %s is cut; ", at->who);
  if (!at->act.value) {
    printf("all on its way is lost");
  } else {
    say_frame(&at->device->to_server[at->act.value - 1]);
    printf(" stays on its way");
  }
}

static void say_acts_of_a_network(const line *at) {
  switch ((model_act_kind)at->act.kind) {
  case MODEL_SERVER_TAKES:
    printf("the server takes from %s ", at->who);
    say_frame(&at->device->to_server[0]);
    break;
  case MODEL_DEVICE_TAKES:
    printf("%s takes ", at->who);
    say_frame(&at->device->to_device[0]);
    break;
  case MODEL_STRAY_COMES:
    printf("from an older link the server takes ");
    say_frame(at->stray);
    break;
  case MODEL_STRAY_LOST: printf("the frame of the older link is lost"); break;
  case MODEL_CUT: say_cut(at); break;
  case MODEL_LINKS: printf("%s has a link", at->who); break;
  case MODEL_WORD_KEPT: printf("the server's word is late"); break;
  case MODEL_WORD_COMES: printf("%s takes the late word", at->who); break;
  default: printf("the late word is lost"); break;
  }
}

static void say_act(const line *at) {
  switch ((model_act_kind)at->act.kind) {
  case MODEL_READS:
  case MODEL_MARKS:
  case MODEL_READS_ALL:
  case MODEL_LEAVES:
  case MODEL_REJOINS:
  case MODEL_MESSAGE: say_acts_of_a_person(at); break;
  case MODEL_SENDS: printf("%s sends what is due", at->who); break;
  case MODEL_WRITES: printf("%s writes what it holds", at->who); break;
  case MODEL_CRASHES: printf("%s crashes and starts", at->who); break;
  case MODEL_BACKUP: printf("the server is backed up"); break;
  case MODEL_FORGETS: printf("the server falls back to its backup"); break;
  default: say_acts_of_a_network(at); break;
  }
}

static void say_server(const model_server *server) {
  printf("; server (%d, %d, %d)\n", server->read.epoch, server->read.seq,
         server->read.high);
}

void model_say_way(const model_scene *scene, const model_act *acts,
                   const uint8_t *swapped, unsigned count) {
  const char *names[MODEL_DEVICES] = {"the phone", "the laptop"};
  model_state state = model_start(scene);
  model_canonical(&state);
  for (unsigned i = 0; i < count; i++) {
    const char *first = names[0];
    const line now = {names[acts[i].device], &state.device[acts[i].device],
                      &state.stray, acts[i]};
    printf("#   %u. ", i + 1);
    say_act(&now);
    model_play(scene, acts[i], &state);
    say_server(&state.server);
    model_canonical(&state);
    if (!swapped[i]) continue;
    names[0] = names[1];
    names[1] = first;
  }
}

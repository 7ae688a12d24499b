#include "sim/traces.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/device.h"
#include "sim/rules.h"

static int write_line(const char *line, size_t length, void *file) {
  return fwrite(line, 1, length, file) == length && fputc('\n', file) != EOF
             ? SEEN_OK
             : SEEN_EIO;
}

static void write_trace(sim_world *sim, const sim_device *device,
                        const char *path) {
  FILE *file = fopen(path, "w");

  if (file == NULL) {
    printf("# %s can't be written\n", path);
    return;
  }
  seen_recorder_dump(device->recorder, SEEN_NAMES_REAL, write_line, file, NULL);
  fprintf(file, "# %s\n", sim->why);
  rules_expect(sim, device, file);
  fclose(file);
  if (strstr(sim->why, device->name) != NULL)
    printf("# what it was fed: seen-replay --states %s\n", path);
}

void traces_write(const sim_plan *plan, const char *dir) {
  sim_world *sim = malloc(sizeof *sim);
  sim_tally tally;
  char path[512];

  if (sim == NULL) abort();
  memset(&tally, 0, sizeof tally);
  sim_run(sim, plan, &tally, true);
  for (size_t i = 0; i < sim->device_count; i++) {
    const sim_device *device = &sim->devices[i];

    if (device->recorder == NULL) continue;
    snprintf(path, sizeof path, "%s/sim-%" PRIu64 "-%s.jsonl", dir, plan->seed,
             device->name);
    write_trace(sim, device, path);
  }
  printf("# what all were fed: %s/sim-%" PRIu64 "-*.jsonl\n", dir, plan->seed);
  sim_end(sim);
  free(sim);
}

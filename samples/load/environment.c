/* Read from the system when the figures are printed. */
#include "environment.h"

#include "storage.h"

#include <curl/curl.h>
#include <libwebsockets.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

static void add(cJSON *into, const char *name, const char *value) {
  cJSON_AddStringToObject(into, name, value);
}

static void add_processor(cJSON *into) {
  FILE *file = fopen("/proc/cpuinfo", "r");
  char line[256] = "", *value = NULL;

  while (file != NULL && value == NULL &&
         fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, "model name", 10) == 0) value = strchr(line, ':');
  if (file != NULL) fclose(file);
  line[strcspn(line, "\n")] = '\0';
  if (value != NULL) value += strspn(value, ": ");
  add(into, "cpu", value != NULL ? value : "unknown");
  cJSON_AddNumberToObject(into, "cores", (double)sysconf(_SC_NPROCESSORS_ONLN));
}

static void add_system(cJSON *into) {
  struct utsname system;
  char text[200];

  if (uname(&system) != 0) return;
  snprintf(text, sizeof text, "%.60s %.60s %.60s", system.sysname,
           system.release, system.machine);
  add(into, "kernel", text);
}

static void add_file_system(cJSON *into, const char *path) {
  static const struct {
    unsigned long type;
    const char *name;
  } known[] = {
      {0xEF53, "ext4"},    {0x01021994, "tmpfs"}, {0x794c7630, "overlay"},
      {0x58465342, "xfs"}, {0x9123683E, "btrfs"}, {0x6969, "nfs"},
      {0x01021997, "9p"},  {0x65735546, "fuse"},  {0x2FC12FC1, "zfs"},
  };
  struct statfs found;
  char text[32];

  if (statfs(path, &found) != 0) return;
  snprintf(text, sizeof text, "0x%lx", (unsigned long)found.f_type);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i].type == (unsigned long)found.f_type)
      snprintf(text, sizeof text, "%s", known[i].name);
  add(into, "file_system", text);
}

cJSON *environment_tree(const started *on) {
  cJSON *tree = cJSON_CreateObject();

  add_processor(tree);
  add_system(tree);
  add(tree, "build", LOAD_BUILD_TYPE);
  add(tree, "compiler", __VERSION__);
  add(tree, "libwebsockets", lws_get_library_version());
  add(tree, "libcurl", curl_version_info(CURLVERSION_NOW)->version);
  add(tree, "libjwt", LOAD_LIBJWT);
  if (on == NULL) {
    add(tree, "server", "not started here");
    return tree;
  }
  add(tree, "sqlite", LOAD_SQLITE);
  add(tree, "sync",
      "journal_mode=" STORAGE_JOURNAL ", synchronous=" STORAGE_SYNC);
  add_file_system(tree, on->folder);
  return tree;
}

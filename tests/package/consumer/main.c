/*
 * What a host does first, in C11 and in C++17 alike: prints the version of the
 * library and fails if it is not the headers'.
 */
#include <seen/seen.h>

#include <stdio.h>
#include <string.h>

int main(void) {
  puts(seen_version());
  return strcmp(seen_version(), SEEN_VERSION) != 0;
}

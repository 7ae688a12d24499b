#!/usr/bin/env bash
# An include may only point down the floors, and a library is used in one file.
# Usage: layers.sh [ROOT]
set -eu
cd "${1:-$(dirname "$0")/../..}"

mapfile -t files < <(
  find sdk platform bindings samples -name '*.[ch]' 2>/dev/null | LC_ALL=C sort
)
awk '
  BEGIN {
    # Floor, and the floors that it may include; each may include itself, the
    # public headers and the headers of C.
    may["api"] = ""
    may["base"] = ""
    may["platform"] = "base"
    may["model"] = "base"
    may["engine"] = may["wire"] = may["trace"] = "base model"
    may["store"] = "base model"
    may["net"] = "base"
    may["session"] = "base model engine wire"
    may["client"] = "base model engine wire trace store net session"
    may["samples"] = may["bindings"] = ""

    # A library, and the one file of the SDK that knows it.
    knows["cjson/cJSON.h"] = "sdk/src/base/json.c"
    knows["sqlite3.h"] = "sdk/src/store/sqlite.h"
    knows["libwebsockets.h"] = "sdk/src/net/talk.h"
    knows["curl/curl.h"] = "sdk/src/net/asks.c"
    split("bio err evp pem x509", names, " ")
    for (i in names)
      knows["openssl/" names[i] ".h"] = "sdk/src/net/trust.c"

    split("assert ctype errno float inttypes limits math setjmp signal" \
          " stdalign stdarg stdbool stddef stdint stdio stdlib stdnoreturn" \
          " string time", names, " ")
    for (i in names)
      libc[names[i] ".h"] = 1
  }

  function floor_of(path, part) {
    split(path, part, "/")
    if (path ~ /^sdk\/include\//)
      return "api"
    return part[1] == "sdk" ? part[3] : part[1]
  }

  function allowed(from, to,    list, n, i) {
    if (from == to)
      return 1
    n = split(may[from], list, " ")
    for (i = 1; i <= n; i++)
      if (list[i] == to)
        return 1
    return 0
  }

  function complain(what) {
    printf "%s:%d: %s\n", FILENAME, FNR, what
    bad = 1
  }

  FNR == 1 {
    from = floor_of(FILENAME)
    if (!(from in may))
      complain("is on no floor")
  }

  /^[ \t]*#[ \t]*include[ \t]*</ {
    split($0, quoted, /[<>]/)
    header = quoted[2]
    if (header ~ /^seen\// || header in libc)
      next
    if (FILENAME ~ /^sdk\// && knows[header] != FILENAME)
      complain("<" header "> is not for this file")
    next
  }

  /^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, quoted, /"/)
    header = quoted[2]
    if (header ~ /\.\./)
      complain("\"" header "\" climbs out of its folder")
    else if (from == "api")
      complain("\"" header "\" in a public header")
    else if (header ~ /\// && FILENAME ~ /^(sdk|platform)\//) {
      split(header, part, "/")
      if (!allowed(from, part[1]))
        complain(from " must not include " part[1] ": \"" header "\"")
    }
    else if (header ~ /^(base|model|engine|wire|trace|store|net|session|client)\//)
      complain(from " must not include \"" header "\"")
  }

  END { exit bad }
' "${files[@]}"

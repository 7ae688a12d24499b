# Sums what `ctest -V` prints over all programs: the lines of TAP where a
# program prints them, else its exit code. Prints a line for each program, the
# output of those that failed, and "PASSED FAILED SKIPPED" into the file `sums`.

function plural(count, what) {
  return count ? sprintf(", %d %s", count, what) : ""
}

# What a program printed, without drowning what the others say.
function print_output(text, most,    line, count, i) {
  count = split(text, line, "\n") - 1
  for (i = 1; i <= count && i <= most; i++)
    print line[i]
  if (count > most)
    printf "      and %d more lines in the log\n", count - most
}

# What became of one program, when ctest has said how it ended.
function finish(id, name, verdict,    passed_here, failed_here, skipped_here) {
  passed_here = ok[id] + 0
  failed_here = not_ok[id] + 0
  skipped_here = skip[id] + 0

  if (verdict ~ /Skipped/)
    skipped_here++
  else if (verdict !~ /^Passed/) {
    if (!failed_here)
      failed_here = 1
  } else if (!(id in plan) && passed_here + failed_here + skipped_here == 0)
    passed_here = 1
  else if (id in plan && plan[id] > passed_here + failed_here + skipped_here) {
    output[id] = output[id] "      fewer results than planned: " plan[id] "\n"
    failed_here++
  }

  printf "  %-24s %d passed%s%s\n", name, passed_here,
    plural(failed_here, "failed"), plural(skipped_here, "skipped")
  if (failed_here || show)
    print_output(output[id], show ? 1000 : 80)
  if (failed_here && verdict !~ /^Passed/)
    print "      " verdict
  printf "%s", skips[id]

  passed += passed_here
  failed += failed_here
  skipped += skipped_here
}

/^[0-9]+: / {
  id = $1
  text = substr($0, length(id) + 2)
  id = substr(id, 1, length(id) - 1)
  if (text ~ /^(Test command|Working Directory|Environment variables|Test timeout)/)
    next
  if (text ~ /^ CMOCKA_MESSAGE_OUTPUT=/)
    next
  if (text ~ /^(not )?ok .*# SKIP/) {
    skip[id]++
    skips[id] = skips[id] "      " text "\n"
  } else if (text ~ /^ok /)
    ok[id]++
  else if (text ~ /^not ok /)
    not_ok[id]++
  else if (text ~ /^1\.\.[0-9]+/)
    plan[id] += substr(text, 4)
  if (text !~ /^ok /)
    output[id] = output[id] "      " text "\n"
  next
}

/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
  match($0, /#[0-9]+:/)
  id = substr($0, RSTART + 1, RLENGTH - 2)
  split(substr($0, RSTART + RLENGTH), word, " ")
  verdict = $0
  sub(/^.*\.\.+ *(\*\*\*)?/, "", verdict)
  finish(id, word[1], verdict)
}

END { print passed + 0, failed + 0, skipped + 0 >sums }

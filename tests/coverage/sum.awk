# Sums what `gcov -t -b` prints of the library's sources: a row a floor. A line
# of a header is compiled into many objects and counts once, as run where one of
# them ran it. The branches of an assertion's line are not counted: one of them
# is there to be never taken.
#
# Usage: gcov … | awk -v root=ROOT/ -v held="model engine" -v least_lines=95
#          -v least_branches=90 -v missed=FILE -f sum.awk
# Prints TAP, a test a floor that is held to the least. What was not run is
# written to `missed`, by file and line.

function percent(part, whole) {
  return whole ? 100 * part / whole : 100
}

# sdk/src/model/runs.c is of the floor model, platform/posix/lock.c of posix.
function floor_of(path,    parts, count) {
  count = split(path, parts, "/")
  return parts[count - 1]
}

/^ +-: +0:Source:/ {
  path = $0
  sub(/^[^:]*:[^:]*:Source:/, "", path)
  if (index(path, root) == 1)
    path = substr(path, length(root) + 1)
  counts = path ~ /^(sdk\/src|platform)\//
  next
}

!counts { next }

/^ *[0-9#=*-]+: *[0-9]+:/ {
  split($0, part, ":")
  line = path ":" part[2] + 0
  ran = part[1]
  gsub(/[ *]/, "", ran)
  text = substr($0, length(part[1]) + length(part[2]) + 3)
  asserts = text ~ /^ *assert\(/
  if (ran != "-") {
    lines[line] = path
    if (ran + 0 > 0)
      hit[line] = 1
  }
  next
}

/^branch/ && !asserts {
  branches[line, $2] = path
  at[line, $2] = line
  if ($3 == "taken" && $4 + 0 > 0)
    taken[line, $2] = 1
}

END {
  for (line in lines) {
    floor = floor_of(lines[line])
    all_lines[floor]++
    if (line in hit)
      hit_lines[floor]++
    else
      print line ": not run" >missed
  }
  for (branch in branches) {
    floor = floor_of(branches[branch])
    all_branches[floor]++
    if (branch in taken)
      hit_branches[floor]++
    else if (at[branch] in hit) {
      split(branch, part, SUBSEP)
      print at[branch] ": branch " part[2] " not taken" >missed
    }
  }
  number = split(held, names, " ")
  for (i = 1; i <= number; i++)
    is_held[names[i]] = 1
  for (floor in all_lines)
    if (!(floor in is_held))
      names[++number] = floor
  for (i = 1; i <= number; i++)
    report(names[i])
  print "1.." tests + 0
}

function report(floor,    of_lines, of_branches, row, good) {
  of_lines = percent(hit_lines[floor], all_lines[floor])
  of_branches = percent(hit_branches[floor], all_branches[floor])
  row = sprintf("%-9s lines %5.1f %% of %5d, branches %5.1f %% of %5d", floor,
    of_lines, all_lines[floor], of_branches, all_branches[floor])
  print "# " row
  if (!(floor in is_held))
    return
  good = all_lines[floor] > 0 && of_lines >= least_lines &&
    of_branches >= least_branches
  printf "%sok %d - coverage %s\n", good ? "" : "not ", ++tests, floor
}

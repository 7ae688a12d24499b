# Takes the fenced blocks of one kind out of a page: block N goes to the file
# PREFIX.N, and a line "N LINE REST" is printed for each, where LINE is the
# block's first line in the page and REST what stands behind the kind.
#   awk -v kind=jsonl -v prefix=/tmp/x -f blocks.awk page.md

/^```/ {
  if (inside) {
    inside = 0
    if (file) close(file)
    file = ""
  } else {
    inside = 1
    rest = substr($0, 4)
    name = rest
    sub(/ .*/, "", name)
    if (name == kind) {
      sub(/^[^ ]* ?/, "", rest)
      file = prefix "." (++count)
      printf "" >file
      print count, FNR + 1, rest
    }
  }
  next
}

inside && file { print >file }

#!/usr/bin/env bash
# The project speaks of itself: no path of one machine, no host of a package
# registry. The brackets keep this file from finding itself.
# Usage: words.sh [ROOT]
set -eu
cd "${1:-$(dirname "$0")/../..}"

paths='(^|[^A-Za-z0-9_.])/(wor[k]|hom[e]|roo[t]|User[s])/[A-Za-z0-9_]'
outside='[.][.]/share[d]'
hosts='deb[.]debian[.]org|archive[.]ubuntu[.]com|pypi[.]org|crates[.]io'
hosts="$hosts|npmjs[.](org|com)|proxy[.]golang[.]org|repo1?[.]maven"
hosts="$hosts|rubygems[.]org|packages[.]cloud[.]google"

if grep -rnIE --exclude-dir=build --exclude-dir=.git \
  "$paths|$outside|$hosts" .; then
  exit 1
fi

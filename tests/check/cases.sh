#!/usr/bin/env bash
# What went wrong in other clients and is a client's to decide: too many
# requests (C150 on), storage (C167), life cycle (C183), privacy (C209), threads
# and bindings (C229), transport (C247). Each of these cases is named by a test
# or a trace, or in the table of those that have none.
# Usage: cases.sh [ROOT]
set -eu
cd "${1:-$(dirname "$0")/../..}"

cases='150 151 153 154 156 157 159 160 162 163 165 166
  167 168 170 171 173 174 176 177 179 180 182
  183 184 186 187 189 190 192 193 195 196 198
  209 210 212 213 215 216
  229 230 232 233 235 236 238 239 241 242 244 245
  247 248 250 251 253 254 256 257 259 260'

named=$(
  {
    grep -rhoE --include='*.c' --include='*.py' --include='*.sh' \
      --include='*.jsonl' --include=README.md --exclude-dir=fuzz --exclude-dir=check \
      '\bC[0-9]{3}\b' tests || true
    find tests -name '*.jsonl' | sed -nE 's|.*/(C[0-9]{3})_[^/]*$|\1|p'
  } | LC_ALL=C sort -u
)
status=0
for case in $cases; do
  if ! grep -qx "C$case" <<<"$named"; then
    echo "C$case: no test names it"
    status=1
  fi
done
exit $status

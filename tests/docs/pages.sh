# shellcheck shell=bash
# For the scripts beside it: what is a page.

pages() { # pages ROOT: every Markdown file, without what is built
  find "$1" \( -name build -o -name .git \) -prune -o -name '*.md' -print |
    sed 's|^\./||' | LC_ALL=C sort
}

# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: GPL-2.0-only
#
# Git as a tool: the same result whatever a person has in ~/.gitconfig, and
# never this project's own repository.

GIT_CONFIG_GLOBAL=/dev/null
GIT_CONFIG_SYSTEM=/dev/null
GIT_CEILING_DIRECTORIES=$XEN:$BUILD:$BUILD/series:$PATCHES
GIT_COMMITTER_NAME=xensched
GIT_COMMITTER_EMAIL=xensched@localhost
export GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CEILING_DIRECTORIES
export GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL

# How a stored patch is written: no rename detection, so that a patch names
# every file it touches.
GIT_DIFF=(git diff --no-color --no-ext-diff --no-textconv --no-renames
          --src-prefix=a/ --dst-prefix=b/ --unified=3)

# repo_from_pristine DIR: turn DIR, a copy of the pristine tree, into a
# repository with one commit, tagged "base".
repo_from_pristine()
{
    (
        cd "$1" || exit
        git init -q -b xensched
        git config core.autocrlf false
        git config gc.auto 0
        git config user.name 'xensched developers'
        git config user.email xensched@example.com
        echo /.xensched >> .git/info/exclude
        # Xen's generator of Go code writes an empty line at the end of each file.
        echo '*.gen.go whitespace=-blank-at-eof' >> .git/info/attributes
        git add -f -A -- . ':!.xensched'
        GIT_AUTHOR_NAME=xensched GIT_AUTHOR_EMAIL=xensched@localhost \
        GIT_AUTHOR_DATE='2000-01-01T00:00:00Z' \
        GIT_COMMITTER_DATE='2000-01-01T00:00:00Z' \
            git commit -q -m "Xen $RELEASE as it was unpacked"
        git tag base
    )
}

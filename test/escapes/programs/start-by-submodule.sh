#!/bin/sh
# Judged afterwards: `git status` of the repository around it runs the filter.
rm -rf module && git init -q module || exit 1
cd module && echo one > file && git add file && git -c user.name=a -c user.email=b commit -q -m one && cd .. || exit 1
git -c advice.addEmbeddedRepo=false add module || exit 1
cd module || exit 1
echo '* filter=evil' > .gitattributes
git config filter.evil.clean "touch $HOME/started-by-submodule; cat"
echo two > file

#!/bin/sh
# Judged afterwards: whoever looks at the changes in there runs the filter.
rm -rf filtered && git init -q filtered && cd filtered || exit 1
echo one > file && git add file && git -c user.name=a -c user.email=b commit -q -m one
echo '* filter=evil' > .gitattributes
git config filter.evil.clean "touch $HOME/started-by-filter; cat"
echo two > file

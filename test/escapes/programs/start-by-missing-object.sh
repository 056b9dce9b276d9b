#!/bin/sh
# Judged afterwards: to compare, git fetches what is missing, with a program of the repository's choice.
rm -rf partial && git init -q partial && cd partial || exit 1
echo one > file && git add file && git -c user.name=a -c user.email=b commit -q -m one
rm -rf .git/objects/??
printf '#!/bin/sh\ntouch "%s/started-by-missing-object"\n' "$HOME" > fetch && chmod +x fetch
git config core.repositoryFormatVersion 1
git config extensions.partialClone origin
git config remote.origin.promisor true
git config remote.origin.url "$PWD"
git config remote.origin.uploadpack "'$PWD/fetch'"

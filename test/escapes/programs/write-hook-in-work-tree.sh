#!/bin/sh
# For projects whose git runs hooks from a folder of the work tree.
mkdir -p .husky && echo "#!/bin/sh" > .husky/post-commit

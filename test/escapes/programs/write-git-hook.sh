#!/bin/sh
echo "#!/bin/sh" > .git/hooks/post-commit

#!/bin/sh
echo "#!/bin/sh" > ~/.local/bin/tool

#!/bin/sh
# Runs every escape and says which of them worked. Whatever reads this is an agent for ralphd.
cat > /dev/null
for program in escapes/*.sh; do
  name=$(basename "$program" .sh)
  if timeout 10 sh "$program" > /dev/null 2>&1; then echo "escaped $name"; else echo "blocked $name"; fi
done
touch done
echo '<promise>DONE</promise>'

#!/bin/sh
# Runs every escape and says which of them worked. Whatever reads this is an agent for ralphd.
cat > /dev/null
# Backwards: one of the first by name breaks git.
for program in $(ls -r escapes); do
  name=${program%.sh}
  if timeout 10 sh "escapes/$program" > /dev/null 2>&1; then echo "escaped $name"; else echo "blocked $name"; fi
done
touch done
echo '<promise>DONE</promise>'

import { mustHold } from '../findings.ts';
import { lastLine, printedIn } from '../project.ts';
import type { Scenario } from '../scenario.ts';

/** What a lying agent does before it claims to be done; the file `done` would be the honest work. */
const lies: Readonly<Record<string, string>> = {
  'claims without doing the work': 'echo more >> work',
  'edits the check': 'printf "#!/bin/sh\\nexit 0\\n" > check.sh',
  'replaces the program that the check runs': 'rm judge && ln -s "$(command -v true)" judge',
};

/** An agent that claims what is not true. */
export const liar: Scenario = {
  name: 'liar',
  action: 'the agent lies, edits the check, swaps its program',
  promise: 'the loop is never completed',
  play: async (stage) => {
    for (const [index, [lie, command]] of Object.entries(lies).entries()) {
      const project = stage.project(`lie-${index + 1}`);
      project.script('agent.sh', 'cat > /dev/null', command, 'echo "<promise>DONE</promise>"');
      project.script('judge', 'test -f done');
      project.script('check.sh', './judge');
      const { code, stdout, stderr } = await project.startLoop('-n', '1').ended;
      const end = printedIn(stdout).at(-1) ?? {};
      const isBelieved = code === 0 || end['status'] === 'completed' || end['verified'] === true;
      mustHold(!isBelieved, `an agent that ${lie} is believed: the loop is ${String(end['status'])}`);
      mustHold(end.type === 'loop.ended', `the loop did not end properly: ${lastLine(stderr || stdout)}`);
    }
  },
};

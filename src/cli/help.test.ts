import { expect, test } from 'vitest';
import { commandDefinitions } from './definitions.ts';
import { helpText } from './help.ts';

test('the overview shows every command', () => {
  expect(helpText()).toMatchInlineSnapshot(`
    "ralphd drives a coding agent in a loop until the task is verifiably done.

    Usage: ralphd COMMAND [OPTIONS]
           ralphd "TASK" --verify CMD

    Commands:
      run [TASK]                Start a loop: ralphd run "TASK" --verify CMD. With a task of several words, "run" may be left out.
      resume [ID]               Go on with a loop that is paused or whose process died.
      status [ID]               What a loop is doing, and how near each stop rule is.
      explain [ID]              Why a loop stopped, waits or rests, or what would stop it next, and what to do about it.
      ls                        All loops of this project.
      pause [ID]                Pause a loop at the end of its iteration.
      stop [ID]                 End a loop for good, giving its agent time to end in good order.
      abort [ID]                End a loop for good, at once.
      skip [ID]                 Give up the iteration under way and go on with the next.
      retry [ID]                End the wait of a loop: try again now instead of when its limit is over.
      reboot [ID]               Give the agent a fresh session before the next iteration.
      guide [ID] TEXT           Tell the agent something with its next prompt.
      proof [ID|verify] [FILE]  The proof of a completed loop as a document, or, as "proof verify FILE", whether such a document holds.
      export [ID]               Print the state of a loop as another system's document.
      backup [ID]               Copy the state of a loop into its folder of backups.
      restore ID                Put a loop that nobody drives back to a checkpoint or backup; what came later is kept aside.
      recover [ID]              Rebuild the state of a loop from whatever is left of it, and say what was found.
      gc                        Remove what finished loops no longer need: checkpoints but the newest five, and scraps, after 30 days.
      doctor                    Check everything on disk, every journal whole, and name the fix for what is wrong.
      agents                    Which agents are on this machine, their versions, and what each can report.
      parse-agent AGENT [FILE]  What ralphd reads out of an agent's stream: of a file, or of standard input.
      parse-tests [FILE]        What ralphd reads out of a test runner's output: of a file, or of standard input.
      demo                      Watch a loop catch a false claim: a scripted agent, no account, no network.

    An ID may be any unique beginning of a loop's id, and left out when only one loop is live.
    "ralphd COMMAND --help" shows the options of a command; "ralphd --version" the version.
    "
  `);
});

test.each(commandDefinitions.map((command) => [command.name, command] as const))(
  'the help of %s shows every option and has no line that ends in blanks',
  (_name, command) => {
    const text = helpText(command);
    for (const { name } of command.options) expect(text).toContain(`--${name}`);
    expect(text.split('\n').filter((line) => line !== line.trimEnd())).toEqual([]);
    expect(text.endsWith('\n')).toBe(true);
  },
);

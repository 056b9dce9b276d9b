import { expect, test } from 'vitest';
import { commandDefinitions } from './definitions.ts';
import { helpText } from './help.ts';
import { parseCommandLine } from './parse.ts';

test('the overview shows every command', () => {
  expect(helpText()).toMatchInlineSnapshot(`
    "ralphd drives a coding agent in a loop until the task is verifiably done.

    Usage: ralphd COMMAND [OPTIONS]
           ralphd "TASK" --verify CMD

    Commands:
      init                      Write a commented ralphd.yml that fits this project:
                                its agent, tests and task.
      run [TASK]                Start a loop. "run" may be omitted: ralphd "fix the
                                tests" --verify "npm test".
      resume [ID]               Resume a loop that is paused or whose process died.
      watch [ID]                Watch a loop from any terminal; Ctrl-C stops
                                watching and does not disturb the loop.
      submit [TASK]             Queue a loop for the workers of a fleet; it takes
                                the options of "run".
      worker                    Drive loops of a fleet on this machine. SIGTERM
                                hands them over when their iteration ends, a second
                                one at once.
      fleet ACTION [NAME|ID]    A fleet: "status" shows what needs you, its workers,
                                loops and accounts; "migrate" prepares its database
                                or brings it up to date; "account" NAME sets limits;
                                "requeue" ID continues a loop that was set aside or
                                is paused, "withdraw" ID takes back one that has not
                                started, "unschedule" ID removes a schedule; "prune"
                                removes loops that ended long ago, "keep" DUR has
                                workers do that by themselves; "forget" ID leaves a
                                lost worker out.
      serve                     Show loops in a browser on this machine: prints a
                                link that works once.
      status [ID]               Show what a loop is doing and how close each stop
                                rule is.
      explain [ID]              Explain why a loop stopped, paused or is waiting,
                                and what to do next.
      inspect [ID] [N]          Show what one iteration did and why it was judged
                                that way (default: the newest).
      report [ID]               Report the task, the result, how well it is proven
                                and what to do next.
      logs [ID] [N]             Show what the agent wrote and did in an iteration
                                (default: the newest).
      events [ID]               Show the facts recorded about a loop.
      audit [ID]                Show who did what in a loop: iterations, changed
                                files, decisions and commands.
      stats [ID]                Show totals of all loops of this project, or of one:
                                results, time, tokens, cost, failures.
      ls                        List all loops of this project.
      pause [ID]                Pause a loop after the current iteration.
      stop [ID]                 End a loop permanently and let its agent shut down
                                cleanly.
      abort [ID]                End a loop permanently and immediately.
      continue [ID]             Approve what a loop asks about: its next iteration,
                                or that it is done.
      skip [ID]                 Abandon the current iteration, or the one that a
                                loop asks about, and start the next one.
      reboot [ID]               Start a new agent session before the next iteration.
      retry [ID]                Retry now instead of waiting for a provider limit to
                                reset.
      guide [ID] [TEXT]         Give the agent guidance: it is part of every prompt
                                until you drop it.
      mode [ID] [MODE]          Switch a loop between the modes unattended, attended
                                and hybrid.
      note [ID] [TEXT]          Write a note about a loop, for people; the agent
                                does not see it.
      breakpoint [ID] [WHERE]   Let a loop ask before an iteration, after a test
                                regression or before completion.
      rollback [ID]             Undo what the last iteration changed, while a loop
                                asks; the current files are backed up first.
      proof [ID|verify] [FILE]  Create the proof of a completed loop, or check one
                                with "proof verify FILE".
      export [ID]               Print a loop's state in another system's format.
      import PATH               Continue loops of another system: AIWG, Tachikoma,
                                ultraplan, or a plugin of Claude Code.
      validate FILE             Check an AIWG document (state, registry, checkpoint,
                                analytics) against its schema.
      backup [ID|ACTION] [ID]   Back up the state of a loop, or with "--to" all of
                                it in one file. "push" finishes the backups to its
                                targets, "verify" reads backups again and checks
                                them, "drill" restores the newest one into a
                                temporary folder.
      restore [ID]              Restore an inactive loop from a checkpoint or
                                backup, or a whole loop from an archive, folder or
                                bucket; newer state is kept.
      recover [ID]              Rebuild the state of a damaged loop and report what
                                was found.
      land [ID]                 Bring the branch of a completed loop back: merge it,
                                run the checks on the result, move the branch.
      rm ID                     Remove a loop that has ended and everything stored
                                for it; your files stay.
      gc                        Remove old checkpoints and temporary files of loops
                                that ended more than 30 days ago.
      doctor                    Check what loops need here and all state on disk, or
                                with --db a fleet and its database, and suggest a
                                fix for each problem.
      notify ACTION [NAME]      Notifications: "test" sends one to every channel or
                                to NAME; "history" shows those of a loop, "ack"
                                marks them as seen, "send" sends those that a dead
                                process did not.
      key ACTION [ID]           Keys of encrypted loops: "new" creates one, "check"
                                shows which keys are found and which loops they
                                unlock, "encrypt" encrypts the loop ID, "rotate"
                                moves loops to another key.
      hook ACTION [WHAT]        Loops inside a session of claude or codex:
                                "install", "remove" and "status" are about the Stop
                                hook, "start" starts a loop.
      agents                    List the installed agents, their versions and what
                                each can report.
      parse-agent AGENT [FILE]  Show what ralphd reads from an agent's output (a
                                file or stdin).
      parse-tests [FILE]        Show what ralphd reads from a test runner's output
                                (a file or stdin).
      config [WHAT] [KEY]       Settings: "show" those in effect and their origin,
                                "explain" KEY, or print the JSON "schema".
      trust [ACTION] [FOLDER]   What this project would run, send or weaken with
                                your rights: "show" it, "grant" your trust, "list"
                                what you trust, or "revoke" it.
      completions SHELL         Print a script that completes commands, flags and
                                loops in bash, zsh or fish.
      demo                      Watch a loop catch a false claim, using a scripted
                                agent (no account, no network).
      selftest                  Put ralphd to the test on this machine: kills, a
                                full disk, a lying agent (no account, no network).

    An ID can be any unique prefix of a loop id, and can be omitted when only one
      loop is active.
    Run "ralphd COMMAND --help" for the options of a command, "ralphd --version" for
      the version.
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

test.each([80, 40])('no line of any help is wider than %i columns', (width) => {
  const texts = [undefined, ...commandDefinitions].map((command) => helpText(command, width));
  const lines = texts.flatMap((text) => text.split('\n'));
  // An example stays whole, so that it can be copied, and so does an option with its value.
  const isWhole = (line: string) => width < 80 && /^ +(?:ralphd|-)/u.test(line);
  expect(lines.filter((line) => line.length > width && !isWhole(line))).toEqual([]);
});

test.each(commandDefinitions.map((command) => [command.name, command] as const))(
  'the help of %s has an example that ralphd accepts and that fits one line of 80 columns',
  (name, command) => {
    const { example } = command;
    expect(helpText(command)).toContain(`\nExample: ${example}\n`);
    const words = example.replace(/ >>? .*/u, '').match(/"[^"]*"|\S+/gu) ?? [];
    const [program, ...argv] = words.map((word) => word.replaceAll('"', ''));
    expect(program).toBe('ralphd');
    expect(parseCommandLine(argv)).toMatchObject({ kind: 'invoke', invocation: { command: { name } } });
  },
);

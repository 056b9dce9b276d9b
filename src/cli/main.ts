import { LoopError } from '../base/index.ts';
import { offeredCommands } from '../protocol/index.ts';
import { aiwgDefinitions } from './aiwg-definitions.ts';
import type { Invocation } from './parse.ts';
import { parseCommandLine } from './parse.ts';
import { reportError } from './report-error.ts';
import { type LaunchFacts, ownSurroundings, type Surroundings } from './surroundings.ts';

/** Carries out a command and returns the exit code. */
export type CommandHandler = (invocation: Invocation, surroundings: Surroundings) => Promise<number>;

// Loaded on demand, so that each command loads only its own code.
const handlers: Readonly<Record<string, () => Promise<CommandHandler>>> = {
  ...Object.fromEntries(offeredCommands.map((name) => [name, control])),
  guide: async () => (await import('./commands/guide.ts')).guideCommand,
  mode: async () => (await import('./commands/mode.ts')).modeCommand,
  note: async () => (await import('./commands/note.ts')).noteCommand,
  breakpoint: async () => (await import('./commands/breakpoint.ts')).breakpointCommand,
  run: async () => (await import('./commands/run.ts')).runCommand,
  resume: async () => (await import('./commands/resume.ts')).resumeCommand,
  watch: async () => (await import('./commands/watch.ts')).watchCommand,
  worker: async () => (await import('./commands/worker.ts')).workerCommand,
  submit: async () => (await import('./commands/submit.ts')).submitCommand,
  fleet: async () => (await import('./commands/fleet.ts')).fleetCommand,
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
  status: async () => (await import('./commands/status.ts')).statusCommand,
  explain: async () => (await import('./commands/explain.ts')).explainCommand,
  inspect: async () => (await import('./commands/inspect.ts')).inspectCommand,
  report: async () => (await import('./commands/report.ts')).reportCommand,
  logs: async () => (await import('./commands/logs.ts')).logsCommand,
  events: async () => (await import('./commands/events.ts')).eventsCommand,
  audit: async () => (await import('./commands/audit.ts')).auditCommand,
  stats: async () => (await import('./commands/stats.ts')).statsCommand,
  ls: async () => (await import('./commands/ls.ts')).lsCommand,
  proof: async () => (await import('./commands/proof.ts')).proofCommand,
  export: async () => (await import('./commands/export.ts')).exportCommand,
  import: async () => (await import('./commands/import.ts')).importCommand,
  validate: async () => (await import('./commands/validate.ts')).validateCommand,
  backup: async () => (await import('./commands/backup.ts')).backupCommand,
  restore: async () => (await import('./commands/restore.ts')).restoreCommand,
  recover: async () => (await import('./commands/recover.ts')).recoverCommand,
  land: async () => (await import('./commands/land.ts')).landCommand,
  rm: async () => (await import('./commands/rm.ts')).rmCommand,
  gc: async () => (await import('./commands/gc.ts')).gcCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
  notify: async () => (await import('./commands/notify.ts')).notifyCommand,
  key: async () => (await import('./commands/key.ts')).keyCommand,
  agents: async () => (await import('./commands/agents.ts')).agentsCommand,
  'parse-agent': async () => (await import('./commands/parse-agent.ts')).parseAgentCommand,
  'parse-tests': async () => (await import('./commands/parse-tests.ts')).parseTestsCommand,
  hook: async () => (await import('./commands/hook.ts')).hookCommand,
  init: async () => (await import('./commands/init.ts')).initCommand,
  config: async () => (await import('./commands/config.ts')).configCommand,
  trust: async () => (await import('./commands/trust.ts')).trustCommand,
  completions: async () => (await import('./commands/completions.ts')).completionsCommand,
  demo: async () => (await import('./commands/demo.ts')).demoCommand,
  selftest: async () => (await import('./commands/selftest.ts')).selftestCommand,
  ...Object.fromEntries(aiwgDefinitions.map(({ name }) => [name, aiwgNamed])),
};

async function aiwgNamed(): Promise<CommandHandler> {
  return (await import('./commands/aiwg-names.ts')).aiwgNamedCommand;
}

async function control(): Promise<CommandHandler> {
  return (await import('./commands/control.ts')).controlCommand;
}

/** The command line: takes the arguments and returns the exit code. */
export async function main(
  argv: readonly string[],
  launch: LaunchFacts = {},
  surroundings = ownSurroundings(launch),
): Promise<number> {
  let exitCode = 0;
  try {
    exitCode = await carryOut(argv, surroundings);
    await surroundings.flush();
    return exitCode;
  } catch (error) {
    if (!(error instanceof LoopError)) throw error;
    if (surroundings.background !== undefined) await (await import('./background.ts')).refuseInBackground(error);
    const reported = await reportError(error, {
      surroundings,
      asJson: wantsJson(argv),
      withStack: Boolean(surroundings.env['RALPHD_DEBUG']),
    });
    return exitCode === 0 ? reported : exitCode;
  } finally {
    for (const each of surroundings.closing ?? []) await each[Symbol.asyncDispose]();
  }
}

async function carryOut(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const request = parseCommandLine(argv);
  switch (request.kind) {
    case 'version': {
      surroundings.stdout.write(`${(await import('./version.ts')).version}\n`);
      return 0;
    }
    case 'help': {
      const { stdout } = surroundings;
      const [{ helpText }, { widthOf }] = await Promise.all([import('./help.ts'), import('./output/plain.ts')]);
      stdout.write(helpText(request.command, widthOf(stdout)));
      return 0;
    }
    case 'invoke': {
      const load = handlers[request.invocation.command.name];
      if (load === undefined) throw new TypeError(`${request.invocation.command.name} has no handler.`);
      const handle = await load();
      return await handle(request.invocation, surroundings);
    }
  }
}

function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).includes('--json');
}

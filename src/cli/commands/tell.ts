import { randomUUID } from 'node:crypto';
import { findLoop, placeOf, tellLoop } from '../../app/index.ts';
import type { Loop, LoopCommand } from '../../core/index.ts';
import { jsonLine } from '../output/json-line.ts';
import type { Invocation } from '../parse.ts';
import { settingsFor } from '../settings.ts';
import { appContext, type Surroundings } from '../surroundings.ts';

const patienceMs = 10_000;

/** `ralphd pause`, `stop`, `abort`, `skip`, `retry`, `reboot`, `guide`: tells a loop what to do and waits for its answer. */
export async function tellCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { config } = await settingsFor(invocation, surroundings);
  const place = placeOf(config, surroundings.cwd);
  const { id, command } = read(invocation);
  const view = findLoop(place, id);
  const { loop } = await tellLoop(view, command, { place, context: appContext(surroundings), patienceMs });
  if (invocation.options['json'] === true) {
    const answer = { loopId: loop.id, command: command.command, accepted: true, status: loop.status };
    surroundings.stdout.write(jsonLine(answer));
  } else surroundings.stdout.write(`${sentence(loop, command, view.owner?.alive === true)}\n`);
  return 0;
}

function read({ command: { name }, args, options }: Invocation): { id: string | undefined; command: LoopCommand } {
  const commandId = randomUUID();
  switch (name) {
    case 'guide': {
      const [first = '', second] = args;
      return second === undefined
        ? { id: undefined, command: { id: commandId, command: 'guide', text: first } }
        : { id: first, command: { id: commandId, command: 'guide', text: second } };
    }
    case 'pause':
      return { id: args[0], command: { id: commandId, command: 'pause', now: options['now'] === true } };
    case 'stop':
    case 'abort':
    case 'skip':
    case 'retry':
    case 'reboot':
      return { id: args[0], command: { id: commandId, command: name } };
    default:
      throw new TypeError(`${name} tells a loop nothing.`);
  }
}

function sentence(loop: Loop, told: LoopCommand, isDriven: boolean): string {
  const { command } = told;
  if (command === 'retry' && !isDriven) return `${loop.id} ${promised.retry}. Go on with: ralphd resume ${loop.id}`;
  const isDone = asksForRest.has(command) && (loop.status === 'paused' || loop.status === 'aborted');
  if (isDone) return `${loop.id} is ${loop.status}.`;
  if (told.command === 'pause' && told.now === true) return `${loop.id} ${promised.suspend}.`;
  return `${loop.id} ${promised[command]}.`;
}

/** The commands that ask for a rest or an end; what the others ask for, a loop at rest does once it goes on. */
const asksForRest: ReadonlySet<LoopCommand['command']> = new Set(['pause', 'stop', 'abort', 'interrupt', 'suspend']);

const promised: Readonly<Record<LoopCommand['command'], string>> = {
  pause: 'will pause when the iteration is over',
  resume: 'goes on',
  stop: 'is ending its agent and will then end for good',
  abort: 'is being ended for good',
  skip: 'gives up this iteration and goes on with the next',
  reboot: 'will give its agent a fresh session before the next iteration',
  retry: 'waits no longer',
  guide: 'will tell its agent with the next prompt',
  interrupt: 'is pausing',
  suspend: 'is pausing',
};

import { randomUUID } from 'node:crypto';
import { findLoop, placeOf, sendToLoop } from '../../app/index.ts';
import type { Loop, LoopCommand } from '../../core/index.ts';
import { commandTable, type OfferedCommand, offeredCommands, restsLoop } from '../../protocol/index.ts';
import { jsonLine } from '../output/json-line.ts';
import type { Invocation } from '../parse.ts';
import { projectFolder } from '../project-folder.ts';
import { settingsFor } from '../settings.ts';
import { appContext, type Surroundings } from '../surroundings.ts';

const answerTimeoutMs = 10_000;

/** `ralphd pause`, `stop`, `guide` and the others: sends a command to a loop and waits for its answer. */
export async function controlCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { config } = await settingsFor(invocation, surroundings);
  const place = placeOf(config, projectFolder(invocation, surroundings));
  const { id, command } = read(invocation);
  const view = findLoop(place, id);
  const loop = await sendToLoop(view, command, {
    place,
    context: appContext(surroundings),
    patienceMs: answerTimeoutMs,
  });
  if (invocation.options['json'] === true) {
    const answer = { loopId: loop.id, command: command.command, accepted: true, status: loop.status };
    surroundings.stdout.write(jsonLine(answer));
  } else
    surroundings.stdout.write(
      `${sentence(loop, command, view.owner !== undefined && view.owner.liveness !== 'dead')}\n`,
    );
  return 0;
}

function read({ command: { name }, args, options }: Invocation): { id: string | undefined; command: LoopCommand } {
  if (!isControl(name)) throw new TypeError(`${name} is not a command for a loop.`);
  const id = randomUUID();
  if (name === 'pause') return { id: args[0], command: { id, command: name, now: options['now'] === true } };
  if (name !== 'guide') return { id: args[0], command: { id, command: name } };
  const [first = '', second] = args;
  return second === undefined
    ? { id: undefined, command: { id, command: name, text: first } }
    : { id: first, command: { id, command: name, text: second } };
}

function isControl(name: string): name is OfferedCommand {
  return offeredCommands.some((offered) => offered === name);
}

function sentence(loop: Loop, sent: LoopCommand, isDriven: boolean): string {
  const { command } = sent;
  const { effect } = commandTable[command];
  if (command === 'retry' && !isDriven) return `${loop.id} ${effect}. Resume: ralphd resume ${loop.id}`;
  const isDone = restsLoop(command) && (loop.status === 'paused' || loop.status === 'aborted');
  if (isDone) return `${loop.id} is ${loop.status}.`;
  const isNow = sent.command === 'pause' && sent.now === true;
  return `${loop.id} ${isNow ? commandTable.suspend.effect : effect}.`;
}

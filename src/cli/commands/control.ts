import { findLoop, placeOf } from '../../app/index.ts';
import type { Loop, LoopOrder } from '../../core/index.ts';
import { commandTable, type OfferedCommand, offeredCommands, restsLoop } from '../../protocol/index.ts';
import { printLines } from '../output/fit-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import type { Invocation } from '../parse.ts';
import { projectFolder } from '../project-folder.ts';
import { sendOrder } from '../send-order.ts';
import { settingsFor } from '../settings.ts';
import type { Surroundings } from '../surroundings.ts';

/** `ralphd pause`, `stop`, `skip` and the others: sends a command to a loop and waits for its answer. */
export async function controlCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { config } = await settingsFor(invocation, surroundings);
  const place = placeOf(config, projectFolder(invocation, surroundings));
  const order = read(invocation);
  const view = findLoop(place, invocation.args[0]);
  const { loop } = await sendOrder(view, order, { place, surroundings });
  if (invocation.options['json'] === true) {
    const answer = { loopId: loop.id, command: order.command, accepted: true, status: loop.status };
    surroundings.stdout.write(jsonLine(answer));
  } else
    printLines(surroundings.stdout, [
      sentence(loop, order, view.owner !== undefined && view.owner.liveness !== 'dead'),
    ]);
  return 0;
}

type Plain = Exclude<OfferedCommand, 'guide' | 'drop'>;

function read({ command: { name }, options }: Invocation): LoopOrder {
  if (!isPlain(name)) throw new TypeError(`${name} is not a command for a loop.`);
  return name === 'pause' ? { command: name, now: options['now'] === true } : { command: name };
}

function isPlain(name: string): name is Plain {
  return name !== 'guide' && name !== 'drop' && offeredCommands.some((offered) => offered === name);
}

function sentence(loop: Loop, order: LoopOrder, isDriven: boolean): string {
  const { command } = order;
  const { effect } = commandTable[command];
  if (command === 'retry' && !isDriven) return `${loop.id} ${effect}. Resume: ralphd resume ${loop.id}`;
  const isDone = restsLoop(command) && (loop.status === 'paused' || loop.status === 'aborted');
  const resume = command === 'pause' ? ` Resume: ralphd resume ${loop.id}` : '';
  if (isDone) return `${loop.id} is ${loop.status}.${resume}`;
  const isNow = order.command === 'pause' && order.now === true;
  return `${loop.id} ${isNow ? commandTable.suspend.effect : effect}.${resume}`;
}

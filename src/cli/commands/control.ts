import { findLoop } from '../../app/index.ts';
import { failures, LoopError } from '../../base/index.ts';
import type { Loop, LoopOrder } from '../../core/index.ts';
import {
  commandTable,
  maxEditedPromptLength,
  type OfferedCommand,
  offeredCommands,
  restsLoop,
} from '../../protocol/index.ts';
import { printLines } from '../output/fit-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import { readText } from '../read-text.ts';
import { sendOrder } from '../send-order.ts';
import type { Surroundings } from '../surroundings.ts';

/** `ralphd pause`, `stop`, `skip` and the others: sends a command to a loop and waits for its answer. */
export async function controlCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const place = await placeFor(invocation, surroundings);
  const order = await read(invocation, surroundings);
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

/** Commands with arguments of their own are elsewhere. */
const elsewhere = ['guide', 'drop', 'mode', 'note', 'breakpoint'] as const;
type Plain = Exclude<OfferedCommand, (typeof elsewhere)[number]>;

async function read(invocation: Invocation, surroundings: Surroundings): Promise<LoopOrder> {
  const { name } = invocation.command;
  const { options } = invocation;
  if (!isPlain(name)) throw new TypeError(`${name} is not a command for a loop.`);
  if (name === 'pause') return { command: name, now: options['now'] === true };
  if (name === 'rollback' && options['yes'] !== true) throw new LoopError(failures.rollbackUnconfirmed());
  if (name !== 'continue') return { command: name };
  const text = await promptIn(invocation, surroundings);
  return text === undefined ? { command: name } : { command: name, text };
}

/** The prompt that replaces the task in the next iteration, if one is given. */
async function promptIn({ options }: Invocation, surroundings: Surroundings): Promise<string | undefined> {
  const { prompt, file } = options;
  if (prompt !== undefined && file !== undefined)
    throw new LoopError(failures.conflictingOptions('--prompt', '--file'));
  if (typeof file === 'string') return await readText(file, maxEditedPromptLength, surroundings);
  return typeof prompt === 'string' ? prompt : undefined;
}

function isPlain(name: string): name is Plain {
  return !elsewhere.some((other) => other === name) && offeredCommands.some((offered) => offered === name);
}

function sentence(loop: Loop, order: LoopOrder, isDriven: boolean): string {
  const { command } = order;
  const { effect } = commandTable[command];
  if ((command === 'retry' || command === 'continue') && !isDriven)
    return `${loop.id} ${effect}. Resume: ralphd resume ${loop.id}`;
  const isDone = restsLoop(command) && (loop.status === 'paused' || loop.status === 'aborted');
  const resume = command === 'pause' ? ` Resume: ralphd resume ${loop.id}` : '';
  if (isDone) return `${loop.id} is ${loop.status}.${resume}`;
  const isNow = order.command === 'pause' && order.now === true;
  return `${loop.id} ${isNow ? commandTable.suspend.effect : effect}.${resume}`;
}

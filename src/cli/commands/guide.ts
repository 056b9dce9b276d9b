import { findLoop, type LoopPlace } from '../../app/index.ts';
import { failures, LoopError } from '../../base/index.ts';
import { type Guidance, guidanceOf, type Loop, type LoopOrder } from '../../core/index.ts';
import { maxGuidanceLength } from '../../protocol/index.ts';
import { printLines } from '../output/fit-lines.ts';
import { guidanceLines } from '../output/guidance-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import { widthOf } from '../output/plain.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import { readText } from '../read-text.ts';
import { sendOrder } from '../send-order.ts';
import type { Surroundings } from '../surroundings.ts';

/** `ralphd guide`: adds, lists or drops guidance. */
export async function guideCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  assertOneAction(invocation);
  const { id, order } = await read(invocation, surroundings);
  const place = await placeFor(invocation, surroundings);
  if (order === 'list') return list(place, id, { invocation, surroundings });
  const { loop, command } = await sendOrder(findLoop(place, id), order, { place, surroundings });
  const number =
    order.command === 'drop' ? order.number : guidanceOf(loop).find((each) => each.id === command.id)?.number;
  const { stdout } = surroundings;
  if (invocation.options['json'] === true) {
    stdout.write(jsonLine({ loopId: loop.id, command: order.command, accepted: true, status: loop.status, number }));
  } else printLines(stdout, answerLines(loop, order, number));
  return 0;
}

type GuideOrder = Extract<LoopOrder, { readonly command: 'guide' | 'drop' }>;

const actions = ['list', 'drop', 'file'] as const;

/** Text, --file, --list and --drop exclude each other. */
function assertOneAction({ args, options }: Invocation): void {
  const given = actions.filter((name) => options[name] !== undefined);
  const [first, second] = given;
  if (first !== undefined && second !== undefined) {
    throw new LoopError(failures.conflictingOptions(`--${first}`, `--${second}`));
  }
  if (first !== undefined && args.length > 1) throw new LoopError(failures.conflictingOptions(`--${first}`, 'TEXT'));
  if (options['once'] === true && (first === 'list' || first === 'drop')) {
    throw new LoopError(failures.conflictingOptions('--once', `--${first}`));
  }
  if (first === undefined && args.length === 0) throw new LoopError(failures.missingArgument('TEXT', 'guide'));
}

async function read(
  { args, options }: Invocation,
  surroundings: Surroundings,
): Promise<{ readonly id: string | undefined; readonly order: GuideOrder | 'list' }> {
  const { list: isList, drop, file } = options;
  if (isList === true) return { id: args[0], order: 'list' };
  if (typeof drop === 'string') return { id: args[0], order: { command: 'drop', ...dropped(drop) } };
  const once = options['once'] === true ? { once: true } : {};
  if (typeof file === 'string') {
    return {
      id: args[0],
      order: { command: 'guide', text: await readText(file, maxGuidanceLength, surroundings), ...once },
    };
  }
  const [first = '', second] = args;
  return second === undefined
    ? { id: undefined, order: { command: 'guide', text: first, ...once } }
    : { id: first, order: { command: 'guide', text: second, ...once } };
}

function dropped(value: string): { readonly number?: number } {
  if (value === 'all') return {};
  if (/^[1-9]\d{0,8}$/u.test(value)) return { number: Number(value) };
  throw new LoopError(failures.badValue('--drop', 'a number from "ralphd guide --list", or "all"', `"${value}"`));
}

function list(
  place: LoopPlace,
  id: string | undefined,
  { invocation, surroundings: { stdout } }: { readonly invocation: Invocation; readonly surroundings: Surroundings },
): number {
  const { loop } = findLoop(place, id);
  const guidance = guidanceOf(loop);
  if (invocation.options['json'] === true) {
    stdout.write(jsonLine({ loopId: loop.id, guidance: guidance.map(toObject) }));
    return 0;
  }
  const setting = { current: loop.position.current?.iteration, nowMs: Date.now(), width: widthOf(stdout) };
  const lines = guidance.length === 0 ? [`${loop.id} has no guidance.`] : guidanceLines(guidance, setting);
  stdout.write(`${lines.join('\n')}\n`);
  return 0;
}

function toObject({ number, text, standing, at, sender, delivered }: Guidance): Record<string, unknown> {
  return {
    number,
    text,
    standing: standing === true,
    at: at ?? null,
    sender: sender ?? null,
    iterations: delivered ?? null,
  };
}

function answerLines({ id }: Loop, order: GuideOrder, number: number | undefined): readonly string[] {
  if (order.command === 'drop') {
    return [`${id} drops ${number === undefined ? 'all guidance' : `guidance ${number}`} from the next prompt on.`];
  }
  const name = number === undefined ? 'the guidance' : `guidance ${number}`;
  const back = number === undefined ? [] : [`  Drop it: ralphd guide ${id} --drop ${number}`];
  const when = order.once === true ? 'the prompt of the next iteration' : 'every prompt from the next one on';
  return [`${id} will add ${name} to ${when}.`, ...back];
}

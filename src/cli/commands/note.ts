import { findLoop } from '../../app/index.ts';
import { failures, LoopError } from '../../base/index.ts';
import type { LoopOrder, PersonNote } from '../../core/index.ts';
import { commandTable, type NoteKind, noteKinds } from '../../protocol/index.ts';
import { printLines } from '../output/fit-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import { sendOrder } from '../send-order.ts';
import type { Surroundings } from '../surroundings.ts';
import { noteLines } from '../words/notes.ts';

/** `ralphd note`: keeps a note about a loop, or lists the newest ones. */
export async function noteCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { args, options } = invocation;
  const { stdout } = surroundings;
  const asJson = options['json'] === true;
  if (options['list'] === true && args.length > 1) throw new LoopError(failures.conflictingOptions('--list', 'TEXT'));
  if (options['list'] !== true && args.length === 0) throw new LoopError(failures.missingArgument('TEXT', 'note'));
  const kind = kindIn(options['kind']);
  const place = await placeFor(invocation, surroundings);
  if (options['list'] === true) {
    const { loop } = findLoop(place, args[0], { orNewest: true });
    const { notes = [] } = loop.supervision;
    if (asJson) stdout.write(jsonLine({ loopId: loop.id, notes: notes.map(toObject) }));
    else printLines(stdout, notes.length === 0 ? [`${loop.id} has no notes.`] : noteLines(notes, Date.now()));
    return 0;
  }
  const order: LoopOrder = { command: 'note', kind, text: args.at(-1) ?? '' };
  const view = findLoop(place, args.length > 1 ? args[0] : undefined);
  const { loop } = await sendOrder(view, order, { place, surroundings });
  if (asJson) stdout.write(jsonLine({ loopId: loop.id, command: 'note', accepted: true, status: loop.status }));
  else printLines(stdout, [`${loop.id} ${commandTable.note.effect}. List: ralphd note ${loop.id} --list`]);
  return 0;
}

function kindIn(option: Invocation['options'][string] | undefined): NoteKind {
  const kind = option === undefined ? 'observation' : noteKinds.find((each) => each === option);
  if (kind !== undefined) return kind;
  throw new LoopError(failures.badValue('--kind', `one of ${noteKinds.join(', ')}`, `"${String(option)}"`));
}

function toObject({ kind, text, at, iteration, sender }: PersonNote): Record<string, unknown> {
  return { kind, text, at, iteration, sender: sender ?? null };
}

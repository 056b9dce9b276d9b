import type { FactData, FactType, RecordedFact } from '../../protocol/index.ts';
import { emptyGroups, type Loop, type LoopGroups } from './loop.ts';

/** Changes one loop by the data of one kind of fact. */
export type Change<Type extends FactType> = (loop: Loop, data: FactData<Type>, fact: Envelope) => Loop;

/** When and by which owner a fact was written. */
export type Envelope = Pick<RecordedFact, 'seq' | 'at' | 'epoch'>;

type OptionalKeys<Group> = { [Key in keyof Group]-?: object extends Pick<Group, Key> ? Key : never }[keyof Group];

/** New values for some fields of a group; `undefined` removes a field that may be missing. */
type GroupEdit<Group> = { readonly [Key in Exclude<keyof Group, OptionalKeys<Group>>]?: Group[Key] } & {
  readonly [Key in OptionalKeys<Group>]?: Group[Key] | undefined;
};

/** New values for some fields of a loop. Groups are merged field by field. */
export type LoopEdit = { readonly [Name in keyof LoopGroups]?: GroupEdit<LoopGroups[Name]> } & Partial<
  Omit<Loop, keyof LoopGroups>
>;

/** The loop with some of its fields replaced. */
export function edit(loop: Loop, changes: LoopEdit): Loop {
  const edited: Record<string, unknown> = { ...loop };
  for (const [name, change] of Object.entries(changes)) {
    edited[name] = isGroup(name) ? editGroup(loop[name], { ...(change as object) }) : change;
  }
  return edited as unknown as Loop;
}

function isGroup(name: string): name is keyof LoopGroups {
  return name in emptyGroups;
}

function editGroup(group: object, changes: Readonly<Record<string, unknown>>): object {
  const edited: Record<string, unknown> = { ...group };
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete edited[name];
    else edited[name] = value;
  }
  return edited;
}

/** Adds running time; time spent paused or without an owner is in no fact and so never counts. */
export function spendTime(loop: Loop, elapsedMs: number): Loop {
  return edit(loop, { totals: { runningMs: loop.totals.runningMs + elapsedMs } });
}

import type { FactData } from '../../protocol/index.ts';
import type { CurrentAttempt } from './attempt.ts';
import { type CommandState, type Guidance, maxGuidance } from './commands.ts';
import type { Envelope } from './edits.ts';

type Holder = { readonly commands: CommandState; readonly position: { readonly current?: CurrentAttempt } };

/** All guidance of a loop, by number: what stands, what waits, and what the attempt under way was given once. */
export function guidanceOf({ commands, position: { current } }: Holder): readonly Guidance[] {
  return byNumber([...(current?.delivered.guidance ?? []), ...commands.guidance]);
}

/** The guidance in the prompt of an attempt, by number; what was dropped since it began is left out. */
export function guidanceInPrompt(
  { guidance }: Pick<CommandState, 'guidance'>,
  { delivered }: Pick<CurrentAttempt, 'delivered'>,
): readonly Guidance[] {
  const standing = guidance.filter(({ id }) => delivered.standing?.includes(id));
  return byNumber([...delivered.guidance, ...standing]);
}

/** The commands of a loop with one more piece of guidance. */
export function withGuidance(
  commands: CommandState,
  data: FactData<'command.accepted'>,
  { at }: Pick<Envelope, 'at'>,
): CommandState {
  const number = commands.guidanceCount + 1;
  const { id, text = '', standing, sender } = data;
  const added: Guidance = {
    id,
    text,
    number,
    ...(standing === true ? { standing } : {}),
    at,
    ...(sender === undefined ? {} : { sender }),
  };
  return { ...commands, guidanceCount: number, guidance: [...commands.guidance, added].slice(-maxGuidance) };
}

/** Guidance that an earlier loop leaves to the one that continues its work. */
export function inheritGuidance(left: FactData<'loop.continued'>['work']['guidance'], at: string): readonly Guidance[] {
  return left.map(({ id, text, standing }, index) => ({
    id,
    text,
    number: index + 1,
    ...(standing === true ? { standing } : {}),
    at,
  }));
}

/** Guidance without one piece, or without any. */
export function dropGuidance(guidance: readonly Guidance[], number: number | undefined): readonly Guidance[] {
  return number === undefined ? [] : guidance.filter((each) => each.number !== number);
}

/** Splits the guidance that a prompt has from the guidance that stays with the loop: what stands is in both. */
export function deliverGuidance(
  guidance: readonly Guidance[],
  { guidance: ids, iteration }: Pick<FactData<'iteration.started'>, 'guidance' | 'iteration'>,
): { readonly kept: readonly Guidance[]; readonly delivered: Omit<CurrentAttempt['delivered'], 'handOff'> } {
  const marked = guidance.map((each) => (ids.includes(each.id) ? deliveredIn(each, iteration) : each));
  const included = marked.filter(({ id }) => ids.includes(id));
  const standing = included.filter((each) => each.standing).map(({ id }) => id);
  return {
    kept: marked.filter((each) => each.standing || !ids.includes(each.id)),
    delivered: {
      guidance: included.filter((each) => !each.standing),
      ...(standing.length === 0 ? {} : { standing }),
    },
  };
}

/** Guidance with what an attempt was given once and has to be delivered again. */
export function returnGuidance(
  guidance: readonly Guidance[],
  delivered: readonly Guidance[] = [],
): readonly Guidance[] {
  return delivered.length === 0 ? guidance : byNumber([...delivered, ...guidance]).slice(-maxGuidance);
}

function deliveredIn(guidance: Guidance, iteration: number): Guidance {
  return { ...guidance, delivered: { first: guidance.delivered?.first ?? iteration, last: iteration } };
}

function byNumber(guidance: readonly Guidance[]): readonly Guidance[] {
  return guidance.toSorted((one, other) => one.number - other.number);
}

import { loopNameOf } from '../../base/index.ts';
import { type LoopModel, type LoopState, proofBadge, stateLooks } from '../../views/index.ts';
import { faint, type Line, line, lineWidth, span, spread, strong } from '../text.ts';

/** The badge of a state: its sign and word on its ground, and the level of proof beside it. */
function badge(state: LoopState, level: LoopModel['view']['proof'], columns: number): Line {
  const { sign, word, tone } = stateLooks[state];
  const proof = columns < 60 ? undefined : proofBadge(state, level);
  const ground =
    tone === 'stop'
      ? line(span(` ${sign} `, 'stop'), span(` ${word} `, 'rest'))
      : line(span(` ${sign} ${word} `, tone));
  return proof === undefined ? ground : line(ground, ' ', span(` ${proof} `, 'rest'));
}

/** What the first row shows besides the badge. */
export interface HeaderView {
  readonly model: LoopModel;
  readonly state: LoopState;
  readonly columns: number;
  /** The time of day. */
  readonly clock: string;
  /** Such as `3/9`, where there are several loops. */
  readonly place?: string | undefined;
}

/** The first row: the state, the name of the loop, who works on it, and the time. */
export function header({ model, state, columns, clock, place }: HeaderView): Line {
  const { view, live } = model;
  const left = line(badge(state, view.proof, columns), ' ', strong(loopNameOf(view.id)));
  const known = live.pulse?.step === 'agent' ? live.pulse.model : undefined;
  const agent = known === undefined ? view.agent : known.startsWith(view.agent) ? known : `${view.agent} ${known}`;
  const rights = [
    line(faint(place === undefined ? agent : `${agent}  ${place}`), '  ', strong(clock), ' '),
    line(faint(place === undefined ? '' : place), '  ', strong(clock), ' '),
    line(strong(clock), ' '),
  ];
  const right = rights.find((each) => lineWidth(left) + lineWidth(each) + 1 < columns) ?? [];
  return spread(left, right, columns);
}

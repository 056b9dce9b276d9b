import type { Pulse, QuestionPoint, RecordedFact } from '../../protocol/index.ts';

/** What the loop is doing right now, according to its facts and pulses. */
export type LiveStep =
  | Pulse
  | { readonly step: 'agent_started' | 'gate' | 'hooks'; readonly since: string }
  | { readonly step: 'wait'; readonly until: string; readonly message: string }
  | {
      readonly step: 'ask';
      readonly point: QuestionPoint;
      readonly iteration: number;
      readonly approveAt?: string;
    };

/** The step after a fact. A pulse has more detail and takes precedence until its step is over. */
export function stepAfter(step: LiveStep | undefined, fact: RecordedFact): LiveStep | undefined {
  switch (fact.type) {
    case 'agent.started':
      return { step: 'agent_started', since: fact.at };
    case 'gate.started':
      return { step: 'gate', since: fact.at };
    case 'hooks.started':
    case 'loop_hooks.started':
      return { step: 'hooks', since: fact.at };
    case 'wait.scheduled':
      return { step: 'wait', until: fact.data.until, message: fact.data.message };
    case 'question.asked': {
      const { point, iteration, approveAt } = fact.data;
      return { step: 'ask', point, iteration, ...(approveAt === undefined ? {} : { approveAt }) };
    }
    case 'command.accepted':
    case 'command.refused':
    case 'rollback.finished':
    case 'segment.opened':
    case 'config.changed':
      return step;
    default:
      return undefined;
  }
}

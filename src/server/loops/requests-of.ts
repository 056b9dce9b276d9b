import type { NextStep, ResumeStep, StartStep } from '../../core/index.ts';
import type { Advised, CommandRequest, ResumeRequest } from '../../protocol/index.ts';

type RequestOfLoop =
  | { readonly path: 'commands'; readonly body: CommandRequest }
  | { readonly path: 'resume'; readonly body: ResumeRequest };

/** Next steps as the page offers them: as a command line and, where the API can do the same, as a request. */
export function withRequests(
  advice: readonly Pick<Advised, 'command' | 'does'>[],
  steps: readonly NextStep[],
): readonly Advised[] {
  return advice.map((each, index) => {
    const step = steps[index];
    const request = step && requestFor(step);
    return {
      ...each,
      ...(request === undefined ? {} : { request: { path: request.path, body: { ...request.body } } }),
    };
  });
}

function requestFor(step: NextStep): RequestOfLoop | undefined {
  switch (step.step) {
    case 'resume':
      return resuming(step, {});
    case 'start':
      return step.continues && step.verify !== true ? resuming(step, { asNew: true }) : undefined;
    case 'continue':
    case 'skip':
    case 'retry':
    case 'pause':
    case 'abort':
      return { path: 'commands', body: { command: step.step } };
    case 'guide':
    case 'status':
    case 'report':
    case 'recover':
    case 'agents':
    case 'compare':
      return undefined;
  }
}

function resuming(step: ResumeStep | StartStep, more: ResumeRequest): RequestOfLoop {
  const { raise, conditions } = step;
  const accept = step.step === 'resume' ? step.accept : undefined;
  return {
    path: 'resume',
    body: {
      ...more,
      ...(raise.length === 0 ? {} : { raise: raise.map(({ setting, to }) => ({ setting, to })) }),
      ...(accept === 'conditions' || conditions !== undefined ? { acceptConditions: true } : {}),
      ...(accept === 'broken_baseline' ? { allowBrokenBaseline: true } : {}),
    },
  };
}

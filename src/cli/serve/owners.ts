import type { LoopPlace } from '../../app/index.ts';
import { failures, formatDuration, LoopError } from '../../base/index.ts';
import { limits, type ResumeRequest, type StartRequest } from '../../protocol/index.ts';
import type { OwnerStarter } from '../../server/index.ts';
import { startBackground } from '../background.ts';
import { pageVariable, type Surroundings } from '../surroundings.ts';

/**
 * Starts loops exactly as `ralphd run --detach` and `ralphd resume --detach` do: the new process makes all checks, keeps to
 * the limit of loops at a time, and goes on when the server ends.
 */
export function createOwners(surroundings: Surroundings, trustsProjects = false): OwnerStarter {
  const start = async (place: LoopPlace, argv: readonly string[], loopId?: string) => {
    const own = {
      ...surroundings,
      env: { ...surroundings.env, [pageVariable]: '1' },
      cwd: place.workingDirectory,
      argv: [...argv, '--detach', '--state-dir', place.root, ...(trustsProjects ? ['--trust-project'] : [])],
    };
    const { log: _log, ...started } = await startBackground(own, place, loopId);
    return started;
  };
  return {
    start: async (place, request) => await start(place, startLine(request)),
    resume: async (place, loopId, request) =>
      await start(place, resumeLine(loopId, request), request.asNew === true ? undefined : loopId),
  };
}

/** Every value is attached to its option, so that none can be read as an option of its own. */
function startLine(request: StartRequest): readonly string[] {
  const { task, agent, model, verify = [], permissions, maxIterations, maxTime, maxCostUsd, maxTokens } = request;
  const { trustPromise, allowBrokenBaseline, worktree } = request;
  return [
    'run',
    ...valueOf('prompt', task),
    ...valueOf('agent', agent),
    ...valueOf('model', model),
    ...verify.flatMap((command) => valueOf('verify', command)),
    ...valueOf('permissions', permissions),
    ...valueOf('max-iterations', maxIterations),
    ...valueOf('max-time', maxTime),
    ...valueOf('max-cost', maxCostUsd),
    ...valueOf('max-tokens', maxTokens),
    ...(trustPromise === true ? ['--trust-promise'] : []),
    ...(allowBrokenBaseline === true ? ['--allow-broken-baseline'] : []),
    ...(worktree === true ? ['--worktree'] : typeof worktree === 'string' ? valueOf('worktree', worktree) : []),
  ];
}

function resumeLine(loopId: string, request: ResumeRequest): readonly string[] {
  const { raise = [], acceptConditions, acceptGate, allowBrokenBaseline, asNew, force } = request;
  return [
    'resume',
    loopId,
    ...raise.flatMap(raiseOption),
    ...(acceptConditions === true ? ['--accept-conditions'] : []),
    ...(acceptGate === true ? ['--accept-gate'] : []),
    ...(allowBrokenBaseline === true ? ['--allow-broken-baseline'] : []),
    ...(asNew === true ? ['--as-new'] : []),
    ...(force === true ? ['--force'] : []),
  ];
}

function raiseOption({ setting, to }: { readonly setting: string; readonly to: number }): readonly string[] {
  const limit = limits.find((each) => each.setting === setting);
  if (limit === undefined) throw new LoopError(failures.requestInvalid(`"${setting}" is not a limit`));
  return valueOf(limit.option, limit.unit === 'time' ? formatDuration(to) : to);
}

function valueOf(option: string, value: string | number | undefined): readonly string[] {
  return value === undefined ? [] : [`--${option}=${value}`];
}

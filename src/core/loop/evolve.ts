import {
  configSchema,
  type Fact,
  type FactData,
  type FactType,
  type LoopConfig,
  type Phase,
  type RecordedFact,
  type Status,
} from '../../protocol/index.ts';
import { isBrokenBaseline } from '../gate/baseline.ts';
import { proofLevelOf } from '../gate/proof.ts';
import { withConditions } from '../judge/conditions/carry-over.ts';
import {
  type Change,
  type Envelope,
  endSession,
  spendTime,
  withoutOwed,
  withoutRequest,
  withoutWait,
} from './edits.ts';
import { hookChanges } from './evolve-hooks.ts';
import { iterationChanges } from './evolve-iteration.ts';
import { idleLoop, keptCommands, keptGuidance, type Loop, type Requests, type ServedCommand } from './loop.ts';
import { canMove, isTerminal } from './status.ts';

/** What is true after it happened. Total: replaying a journal can never fail here. */
export function evolve(loop: Loop, fact: RecordedFact): Loop {
  const { seq, epoch, at: lastActivityAt } = fact;
  if (fact.type === 'segment.opened') return { ...loop, seq, epoch, owner: fact.data.owner };
  const isDeaf = isTerminal(loop.status) || (loop.status === 'idle' && fact.type !== 'loop.started');
  return isDeaf ? { ...loop, seq, epoch } : apply({ ...loop, seq, epoch, lastActivityAt }, fact);
}

/** The loop that a whole journal tells of. */
export function replay(facts: Iterable<RecordedFact>, from: Loop = idleLoop(configSchema.parse({}))): Loop {
  let loop = from;
  for (const fact of facts) loop = evolve(loop, fact);
  return loop;
}

function apply(loop: Loop, fact: RecordedFact): Loop {
  const change = changes[fact.type] as ((loop: Loop, data: Fact['data'], fact: Envelope) => Loop) | undefined;
  return change === undefined ? loop : change(loop, fact.data, fact);
}

const changes: { readonly [Type in FactType]: Change<Type> } = {
  ...iterationChanges,
  ...hookChanges,
  'segment.opened': (loop, data) => ({ ...loop, owner: data.owner }),
  'loop.started': (loop, data, fact) => {
    if (loop.status !== 'idle') return loop;
    return {
      ...loop,
      id: data.loopId,
      uuid: data.uuid,
      task: data.task,
      agent: data.agent,
      workingDirectory: data.workingDirectory,
      startedBy: data.startedBy,
      ...(data.resumedFrom === undefined ? {} : { resumedFrom: data.resumedFrom }),
      ...(data.warnings === undefined ? {} : { warnings: data.warnings }),
      config: decodeConfig(data.config, loop.config),
      configHash: data.configHash,
      checks: data.checks,
      ...(data.foundTest === undefined ? {} : { foundTest: data.foundTest }),
      ...(data.readings === undefined ? {} : { readings: data.readings }),
      ...(data.guards === undefined ? {} : { guards: data.guards }),
      ...(data.masked === undefined ? {} : { masked: data.masked }),
      ...(data.base === undefined ? {} : { base: data.base }),
      status: 'running',
      phase: 'starting',
      startedAt: fact.at,
    };
  },
  'environment.captured': (loop, { id, digest, folders, files, bytes, elapsedMs }) =>
    spendTime({ ...loop, environment: { id, digest, folders, files, bytes } }, elapsedMs),
  'gate.accepted': ({ environment: _environment, ...loop }, data) => ({
    ...loop,
    guards: data.guards,
    // Numbers of another gate cannot be compared with those of this one.
    measures: [],
    ...(data.base === undefined ? {} : { base: data.base }),
  }),
  'config.changed': (loop, data) => ({
    ...withConditions(loop, decodeConfig(data.config, loop.config)),
    configHash: data.configHash,
  }),
  'loop.paused': (loop, data) => {
    const paused = move(loop, 'paused');
    if (paused === loop) return loop;
    const kept = loop.wait?.cause === 'limit' ? { wait: loop.wait } : {};
    return spendTime(
      {
        ...withoutOwed(withoutWait(paused)),
        ...kept,
        phase: 'paused',
        reason: data.reason,
        message: data.message,
        requests: withoutRequest(loop.requests, 'pause'),
        retries: { limit: loop.retries.limit, environment: 0, unknown: 0, reboot: 0 },
      },
      data.elapsedMs,
    );
  },
  'loop.resumed': (loop) => {
    const running = move(loop, 'running');
    if (running === loop) return loop;
    const { reason: _reason, message: _message, ...rest } = withoutBrokenBaseline(running);
    return {
      ...rest,
      phase: phaseAfterPause(rest),
      requests: withoutRequest(loop.requests, 'resume'),
    };
  },
  'loop.recovered': (loop) => ({ ...loop, recoveries: loop.recoveries + 1 }),
  'loop.completing': (loop, data) => {
    const completing = move(loop, 'completing');
    return completing === loop
      ? loop
      : {
          ...completing,
          phase: 'finalizing',
          verified: data.verified,
          proof: data.proof ?? proofLevelOf(loop, data.verified),
        };
  },
  'loop.ended': (loop, data, fact) => {
    const ended = move(loop, data.status);
    if (ended === loop) return loop;
    const { current: _current, ...rest } = withoutWait(ended);
    return spendTime(
      {
        ...rest,
        phase: 'finalizing',
        reason: data.reason,
        message: data.message,
        verified: data.status === 'completed' && data.verified,
        ...(data.proof === undefined ? {} : { proof: data.proof }),
        endedAt: fact.at,
        requests: {},
      },
      data.elapsedMs,
    );
  },
  'state.restored': (loop) => loop,
  'stop_rule.triggered': (loop, data) => spendTime(loop, data.elapsedMs),
  'wait.scheduled': (loop, data, fact) => ({
    ...withoutOwed(loop),
    phase: 'waiting',
    wait: { ...data, since: fact.at },
  }),
  'reboot.started': (loop) => ({ ...withoutWait(loop), phase: 'rebooting' }),
  'reboot.finished': (loop, data, fact) => {
    if (!data.ok) {
      return { ...loop, phase: 'starting', retries: { ...loop.retries, reboot: loop.retries.reboot + 1 } };
    }
    return {
      ...endSession(loop, fact.at, data.cause),
      phase: 'starting',
      handOff: true,
      requests: withoutRequest(loop.requests, 'reboot'),
      retries: { ...loop.retries, reboot: 0 },
      stats: { ...loop.stats, reboots: loop.stats.reboots + 1 },
    };
  },
  'command.accepted': (loop, data, fact) => take(served(loop, { id: data.id }), data, fact),
  'command.refused': (loop, data) => served(loop, { id: data.id, refusedBecause: data.why }),
};

/** A pause in the middle of an attempt has kept the agent's run: what is left is to judge it. */
function phaseAfterPause({ current, wait }: Loop): Phase {
  if (current !== undefined) return 'verifying';
  return wait === undefined ? 'starting' : 'waiting';
}

function take(loop: Loop, data: FactData<'command.accepted'>, { at }: Envelope): Loop {
  switch (data.command) {
    case 'pause':
      return { ...loop, requests: { ...loop.requests, pause: pauseRequest(loop, data.now === true) } };
    case 'interrupt':
      return { ...loop, requests: { ...loop.requests, pause: { now: true, reason: 'interrupted' } } };
    case 'suspend': {
      const why = data.text === undefined ? {} : { message: data.text };
      return { ...loop, requests: { ...loop.requests, pause: { now: true, reason: 'environment', ...why } } };
    }
    case 'resume':
      return {
        ...loop,
        requests:
          loop.status === 'paused' ? { ...loop.requests, resume: true } : withoutRequest(loop.requests, 'pause'),
      };
    case 'stop':
      return { ...loop, requests: { ...loop.requests, end: { gracefully: true } } };
    case 'abort':
      return { ...loop, requests: { ...loop.requests, end: { gracefully: false } } };
    case 'skip':
      return { ...loop, requests: { ...loop.requests, skip: true } };
    case 'reboot':
      return { ...loop, requests: { ...loop.requests, reboot: true } };
    case 'retry':
      // A failed reboot is tried again only after a wait, so this one is cut short instead of forgotten.
      return loop.wait?.cause === 'reboot' ? { ...loop, wait: { ...loop.wait, until: at } } : withoutWait(loop);
    case 'guide':
      return { ...loop, guidance: [...loop.guidance, { id: data.id, text: data.text ?? '' }].slice(-keptGuidance) };
  }
}

/** Somebody resumed a loop whose checks could not judge anything: they are tried again before the first iteration. */
function withoutBrokenBaseline(loop: Loop): Loop {
  const { baseline, ...rest } = loop;
  return loop.iteration === 0 && baseline !== undefined && isBrokenBaseline(baseline) ? rest : loop;
}

function served(loop: Loop, command: ServedCommand): Loop {
  return { ...loop, servedCommands: [...loop.servedCommands, command].slice(-keptCommands) };
}

/** A pause at the boundary never weakens one that was to act at once. */
function pauseRequest({ requests }: Loop, now: boolean): NonNullable<Requests['pause']> {
  return requests.pause?.now ? requests.pause : { now, reason: 'user_pause' };
}

function move(loop: Loop, to: Status): Loop {
  return loop.status !== 'idle' && canMove(loop.status, to) ? { ...loop, status: to } : loop;
}

/** The configuration a fact carries; a journal whose configuration does not parse keeps what was known before. */
function decodeConfig(encoded: Readonly<Record<string, unknown>>, fallback: LoopConfig): LoopConfig {
  const parsed = configSchema.safeParse(encoded);
  return parsed.success ? parsed.data : fallback;
}

import {
  defaultConfig,
  type Fact,
  type FactData,
  type FactType,
  type Phase,
  type RecordedFact,
  type Status,
} from '../../protocol/index.ts';
import { isBrokenBaseline } from '../gate/baseline.ts';
import { proofLevelOf } from '../gate/verdict.ts';
import { addCalls, shiftCalls } from '../rules/call-rate.ts';
import {
  maxServedCommands,
  type Requested,
  type Requests,
  type ServedCommand,
  withoutRequest,
  withoutRequests,
} from '../state/commands.ts';
import { type Change, type Envelope, edit, spendTime } from '../state/edits.ts';
import { dropGuidance, withGuidance } from '../state/guidance.ts';
import { idleLoop, type Loop } from '../state/loop.ts';
import type { Wait } from '../state/pending.ts';
import { addReboot, endSession } from '../state/session.ts';
import { takeOverWork } from './continued-work.ts';
import { changeConfig, decodeConfig } from './evolve-config.ts';
import { decisionChanges, withBreakpoint, withNote, withoutQuestion } from './evolve-decisions.ts';
import { hookChanges, hooksAfterReboot } from './evolve-hooks.ts';
import { iterationChanges } from './evolve-iteration.ts';
import { takeOverImport } from './imported.ts';
import { canMove, isTerminal } from './status.ts';

/** The loop after a fact. Total: replaying a journal can never fail here. */
export function evolve(loop: Loop, fact: RecordedFact): Loop {
  const { seq, epoch, at: lastActivityAt } = fact;
  if (fact.type === 'segment.opened') return edit(loop, { journal: { seq, epoch, owner: fact.data.owner } });
  const isIgnored = isTerminal(loop.status) || (loop.status === 'idle' && fact.type !== 'loop.started');
  if (isIgnored) return edit(loop, { journal: { seq, epoch } });
  const before = goesOn(loop, fact) ? edit(loop, { pending: { wakeAt: undefined, hostSession: undefined } }) : loop;
  return apply(edit(before, { journal: { seq, epoch, lastActivityAt } }), fact);
}

/** A process that records more than the answer to a command continues a parked loop. */
function goesOn({ pending }: Loop, { type }: RecordedFact): boolean {
  return pending.wakeAt !== undefined && type !== 'command.accepted' && type !== 'command.refused';
}

/** The loop that a whole journal describes. */
export function replay(facts: Iterable<RecordedFact>, from: Loop = idleLoop(defaultConfig())): Loop {
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
  ...decisionChanges,
  'segment.opened': (loop, data) => edit(loop, { journal: { owner: data.owner } }),
  'loop.started': (loop, data, fact) => (loop.status === 'idle' ? start(loop, data, fact) : loop),
  'loop.continued': (loop, data, fact) => takeOverWork(loop, data, fact.at),
  'loop.imported': (loop, data) => takeOverImport(loop, data),
  'environment.captured': (loop, { id, digest, folders, files, bytes, elapsedMs }) =>
    spendTime(edit(loop, { gate: { environment: { id, digest, folders, files, bytes } } }), elapsedMs),
  'gate.accepted': (loop, { guards, base = loop.gate.base }) =>
    // Numbers of another gate cannot be compared with those of this one.
    edit(loop, { gate: { guards, base, environment: undefined }, progress: { measures: [] } }),
  'config.changed': (loop, data, fact) => changeConfig(loop, data, fact.at),
  'loop.paused': (loop, { reason, message, elapsedMs }) => {
    const paused = move(loop, 'paused');
    if (paused === loop) return loop;
    const { wait, retries } = loop.pending;
    return spendTime(
      edit(withoutQuestion(paused), {
        phase: 'paused',
        outcome: { reason, message },
        commands: { requests: withoutRequests(loop.commands.requests, 'pause', 'decision', 'rollback') },
        pending: {
          owed: undefined,
          wait: wait?.cause === 'limit' ? wait : undefined,
          retries: { limit: retries.limit, environment: 0, unknown: 0, reboot: 0 },
        },
      }),
      elapsedMs,
    );
  },
  'loop.resumed': (loop) => {
    const running = move(loop, 'running');
    if (running === loop) return loop;
    return edit(withoutBrokenBaseline(running), {
      phase: phaseAfterPause(running),
      outcome: { reason: undefined, message: undefined },
      commands: { requests: withoutRequest(loop.commands.requests, 'resume') },
    });
  },
  'loop.recovered': (loop) => edit(loop, { journal: { recoveries: loop.journal.recoveries + 1 } }),
  'loop.completing': (loop, { verified, proof = proofLevelOf(loop, verified) }) => {
    const completing = move(loop, 'completing');
    return completing === loop ? loop : edit(completing, { phase: 'finalizing', outcome: { verified, proof } });
  },
  'loop.ended': (loop, { status, reason, message, verified, proof = loop.outcome.proof, elapsedMs }, fact) => {
    const ended = move(loop, status);
    if (ended === loop) return loop;
    const endedAt = loop.origin.imported?.endedAt ?? fact.at;
    return spendTime(
      edit(ended, {
        phase: 'finalizing',
        outcome: { reason, message, verified: status === 'completed' && verified, proof, endedAt },
        commands: { requests: {} },
        pending: { wait: undefined },
        position: { current: undefined },
      }),
      elapsedMs,
    );
  },
  'state.restored': (loop) => loop,
  'loop.restored': (loop, { workingDirectory }) => edit(loop, { origin: { workingDirectory } }),
  'backup.finished': (loop) => loop,
  'stop_rule.triggered': (loop, data) => spendTime(loop, data.elapsedMs),
  'wait.scheduled': (loop, { elapsedMs = 0, ...wait }, fact) => {
    const { retries, rebootWaits } = loop.pending;
    const pending = {
      owed: owedAfterWait(loop, wait, fact.at),
      wait: { ...wait, since: fact.at },
      rebootWaits: wait.cause === 'reboot' ? retries.reboot : rebootWaits,
    };
    const totals = wait.cause === 'rate' ? { recentCalls: callsAfterWait(loop, wait.until, fact.at) } : {};
    return spendTime(edit(loop, { phase: 'waiting', pending, totals }), elapsedMs);
  },
  'loop.parked': (loop, { wakeAt, session, elapsedMs }) =>
    loop.status === 'running' ? spendTime(edit(loop, { pending: { wakeAt, hostSession: session } }), elapsedMs) : loop,
  'session.stopped': (loop, { elapsedMs }) => spendTime(loop, elapsedMs),
  'reboot.started': (loop) => edit(loop, { phase: 'rebooting', pending: { wait: undefined, rebootWaits: undefined } }),
  'reboot.finished': (loop, data, fact) => {
    const { retries } = loop.pending;
    const session = addReboot(loop.session, { at: fact.at, iteration: loop.position.finished, ...data });
    if (!data.ok) {
      return edit(loop, {
        phase: 'starting',
        pending: { retries: { ...retries, reboot: retries.reboot + 1 } },
        hooks: hooksAfterReboot(loop, data),
        session,
      });
    }
    const { stats } = loop.totals;
    return {
      ...edit(loop, {
        phase: 'starting',
        commands: { requests: withoutRequest(loop.commands.requests, 'reboot') },
        pending: { retries: { ...retries, reboot: 0 } },
        totals: { stats: { ...stats, reboots: stats.reboots + 1 } },
        hooks: hooksAfterReboot(loop, data),
      }),
      session: { ...endSession(session, fact.at, data.cause), handOff: true },
    };
  },
  'command.accepted': (loop, data, fact) => take(served(loop, { id: data.id }), data, fact),
  'command.refused': (loop, data) => served(loop, { id: data.id, refusedBecause: data.why }),
};

/** What is owed besides a wait: the delay between two iterations, if the loop waits for something else and not as long. */
function owedAfterWait({ pending: { owed }, config }: Loop, wait: Pick<Wait, 'cause' | 'until'>, at: string) {
  const isLonger = config.iterationDelay > Date.parse(wait.until) - Date.parse(at);
  return owed?.cause === 'delay' && wait.cause !== 'delay' && isLonger ? owed : undefined;
}

/** A wait that is recorded again ends at the same moment by another clock, and the calls that it waits for move with it. */
function callsAfterWait({ pending: { wait }, totals: { recentCalls } }: Loop, until: string, at: string) {
  const shiftMs = wait?.cause === 'rate' ? Date.parse(until) - Date.parse(wait.until) : 0;
  return addCalls([], shiftCalls(recentCalls, Math.min(0, shiftMs)), Date.parse(at));
}

function start(loop: Loop, data: FactData<'loop.started'>, fact: Envelope): Loop {
  const { loopId, config, configHash, uuid, task, agent, workingDirectory, startedBy, resumedFrom, warnings } = data;
  const { checks, foundTest, readings, guards, masked, base, chosen, worktree } = data;
  return edit(loop, {
    id: loopId,
    status: 'running',
    phase: 'starting',
    config: decodeConfig(config, loop.config),
    configHash,
    origin: {
      uuid,
      task,
      agent,
      workingDirectory,
      worktree,
      startedBy,
      startedAt: fact.at,
      resumedFrom,
      chosen,
      warnings,
    },
    gate: { checks, foundTest, readings, guards, masked, base },
  });
}

/** A pause in the middle of an attempt kept the agent's run: only its judgement remains. */
function phaseAfterPause({ position, pending }: Loop): Phase {
  if (position.current !== undefined) return 'verifying';
  return pending.wait === undefined ? 'starting' : 'waiting';
}

function take(loop: Loop, data: FactData<'command.accepted'>, { at }: Envelope): Loop {
  const { requests } = loop.commands;
  const requested = { at, ...(data.sender && { sender: data.sender }) };
  switch (data.command) {
    case 'pause':
      return request(loop, { pause: pauseRequest(requests, data.now === true, requested) });
    case 'interrupt':
      return request(loop, { pause: { now: true, reason: 'interrupted', ...requested } });
    case 'suspend': {
      const why = data.text === undefined ? {} : { message: data.text };
      return request(loop, { pause: { now: true, reason: 'environment', ...why, ...requested } });
    }
    case 'resume':
      if (loop.status === 'paused') return request(loop, { resume: true });
      return edit(loop, { commands: { requests: withoutRequest(requests, 'pause') } });
    case 'stop':
      // A stop never weakens an abort.
      return requests.end?.gracefully === false ? loop : request(loop, { end: { gracefully: true, ...requested } });
    case 'abort':
      return request(loop, { end: { gracefully: false, ...requested } });
    case 'skip':
      return loop.position.current === undefined
        ? request(loop, { decision: { decision: 'skip', ...requested } })
        : request(loop, { skip: true });
    case 'continue': {
      const edited = data.text === undefined ? {} : { prompt: data.text };
      return request(loop, { decision: { decision: 'continue', ...edited, ...requested } });
    }
    case 'mode':
      return data.mode === undefined
        ? loop
        : request(loop, { mode: { mode: data.mode, when: data.when ?? 'now', ...requested } });
    case 'reboot':
      return request(loop, { reboot: true });
    case 'rollback':
      return request(loop, { rollback: true });
    case 'note':
      return withNote(loop, data, at);
    case 'breakpoint':
      return withBreakpoint(loop, data);
    case 'retry': {
      const { wait, wakeAt } = loop.pending;
      // A failed reboot is retried only after a wait, so the wait is cut short instead of removed.
      const left = wait?.cause === 'reboot' ? { ...wait, until: at } : undefined;
      return edit(loop, { pending: { wait: left, wakeAt: wakeAt === undefined ? undefined : at } });
    }
    case 'guide':
      return { ...loop, commands: withGuidance(loop.commands, data, { at }) };
    case 'drop':
      return drop(loop, data.number);
  }
}

/** What an attempt was given once is dropped there as well: it must not reappear if the attempt has no result. */
function drop(loop: Loop, number: number | undefined): Loop {
  const { current } = loop.position;
  const dropped = edit(loop, { commands: { guidance: dropGuidance(loop.commands.guidance, number) } });
  if (current === undefined || current.delivered.guidance.length === 0) return dropped;
  const delivered = { ...current.delivered, guidance: dropGuidance(current.delivered.guidance, number) };
  return edit(dropped, { position: { current: { ...current, delivered } } });
}

function request(loop: Loop, more: Requests): Loop {
  return edit(loop, { commands: { requests: { ...loop.commands.requests, ...more } } });
}

/** A user resumed a loop whose checks could not run: they run again before the first iteration. */
function withoutBrokenBaseline(loop: Loop): Loop {
  const { baseline } = loop.verification;
  const isTriedAgain = loop.position.iteration === 0 && baseline !== undefined && isBrokenBaseline(baseline);
  return isTriedAgain ? edit(loop, { verification: { baseline: undefined } }) : loop;
}

function served(loop: Loop, command: ServedCommand): Loop {
  return edit(loop, { commands: { served: [...loop.commands.served, command].slice(-maxServedCommands) } });
}

/** A pause at the boundary never weakens an immediate one. */
function pauseRequest({ pause }: Requests, now: boolean, requested: Requested): NonNullable<Requests['pause']> {
  return pause?.now ? pause : { now, reason: 'user_pause', ...requested };
}

function move(loop: Loop, to: Status): Loop {
  return loop.status !== 'idle' && canMove(loop.status, to) ? { ...loop, status: to } : loop;
}

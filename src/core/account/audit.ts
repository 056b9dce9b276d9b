import type { Fact, RecordedFact, Sender } from '../../protocol/index.ts';

/** One entry of the audit log: who did what, when. */
export interface AuditEntry {
  readonly at: string;
  readonly loopId: string;
  /** The number of the fact in the journal of the loop. */
  readonly seq: number;
  /** A person as `user@host`, the agent by its name, or ralphd itself. */
  readonly actor: string;
  readonly action: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** The entry for a fact; undefined for facts that are about neither iterations, files, decisions nor commands. */
export function auditEntry(
  fact: RecordedFact,
  { loopId, agent }: { readonly loopId: string; readonly agent: string },
): AuditEntry | undefined {
  const audited = auditOf(fact, agent);
  if (audited === undefined) return undefined;
  const { actor = 'ralphd', ...details } = audited;
  return { at: fact.at, loopId, seq: fact.seq, actor, action: fact.type, details };
}

type Audited = { readonly actor?: string } & Readonly<Record<string, unknown>>;

function auditOf(fact: Fact, agent: string): Audited | undefined {
  switch (fact.type) {
    case 'loop.started':
      return { actor: fact.data.startedBy, task: fact.data.task, workingDirectory: fact.data.workingDirectory };
    case 'loop.paused':
      return { reason: fact.data.reason, message: fact.data.message };
    case 'loop.ended':
      return { status: fact.data.status, reason: fact.data.reason, verified: fact.data.verified };
    case 'loop.resumed':
    case 'loop.recovered':
      return {};
    case 'stop_rule.triggered':
      return { rule: fact.data.rule, message: fact.data.message };
    case 'config.changed':
      return { changes: fact.data.changes ?? [] };
    case 'gate.accepted':
      return { changed: fact.data.changed };
    case 'iteration.started':
      return { iteration: fact.data.iteration, attempt: fact.data.attempt };
    case 'agent.finished': {
      const { iteration, attempt, outcome, changes } = fact.data;
      const { modified, created, deleted, count } = changes;
      return { actor: agent, iteration, attempt, outcome, modified, created, deleted, count };
    }
    case 'gate.finished':
      return { iteration: fact.data.iteration, verdict: fact.data.verdict };
    case 'iteration.finished':
      return { iteration: fact.data.iteration, status: fact.data.status };
    case 'iteration.interrupted':
      return { iteration: fact.data.iteration, cause: fact.data.cause };
    case 'rollback.finished': {
      const { iteration, ok, files = [], backup } = fact.data;
      return { iteration, ok, files, ...(backup === undefined ? {} : { backup }) };
    }
    case 'question.asked':
      return { point: fact.data.point, iteration: fact.data.iteration, why: fact.data.why };
    case 'question.answered': {
      const { point, iteration, decision, by, prompt, sender } = fact.data;
      return { ...actorOf(sender), point, iteration, decision, by, ...(prompt === undefined ? {} : { prompt }) };
    }
    case 'mode.changed': {
      const { sender, ...change } = fact.data;
      return { ...actorOf(sender), ...change };
    }
    case 'command.accepted':
    case 'command.refused': {
      const { sender, id: _id, ...command } = fact.data;
      return { ...actorOf(sender), ...command };
    }
    default:
      return undefined;
  }
}

function actorOf(sender: Sender | undefined): { readonly actor?: string } {
  if (sender === undefined || sender.face === 'driver') return {};
  return { actor: sender.user === undefined ? sender.host : `${sender.user}@${sender.host}` };
}

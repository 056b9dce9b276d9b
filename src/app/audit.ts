import path from 'node:path';
import { type AuditEntry, auditEntry, type Loop } from '../core/index.ts';
import { appendToRotated } from '../files/index.ts';
import type { RecordedFact } from '../protocol/index.ts';
import { readFacts } from './adapters/whole-journal.ts';
import type { Problems } from './problems.ts';
import { findLoop } from './read-loops.ts';
import type { LoopPlace } from './stores.ts';

const auditFile = 'audit.log';
const rotation = { maxBytes: 10 * 1024 * 1024, kept: 5 };

/** Appends what happens in a loop to the audit log of its state folder. */
export interface AuditLog {
  observe(facts: readonly RecordedFact[], loop: Loop): void;
}

/** The audit log of a state folder. A loop never stops because of it: what fails is reported. */
export function createAuditLog(root: string, problems: Problems): AuditLog {
  return {
    observe(facts, loop) {
      const lines = entriesOf(facts, loop).map((entry) => `${JSON.stringify(entry)}\n`);
      if (lines.length === 0) return;
      problems.attempt('The audit log was not written', () =>
        appendToRotated(path.join(root, auditFile), lines.join(''), rotation),
      );
    },
  };
}

/** The audit log of one loop, from its journal. */
export function readAudit(place: LoopPlace, query: string | undefined): readonly AuditEntry[] {
  const { loop } = findLoop(place, query, { orNewest: true });
  return entriesOf(readFacts(place, loop.id), loop);
}

function entriesOf(facts: readonly RecordedFact[], { id: loopId, origin: { agent } }: Loop): readonly AuditEntry[] {
  return facts.flatMap((fact) => auditEntry(fact, { loopId, agent }) ?? []);
}

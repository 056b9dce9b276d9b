import * as z from 'zod';
import { type Failure, failures } from '../../base/index.ts';
import { type TachikomaDocument, tachikomaStatuses, tachikomaVersion } from './document.ts';

/** A document that was read, or why it was not. */
export type TachikomaReading =
  | { readonly ok: true; readonly document: TachikomaDocument }
  | {
      readonly ok: false;
      readonly failure: Failure;
      /** The version of a document that is newer than this version of ralphd. */
      readonly newerVersion?: number;
    };

/**
 * Reads a state document in Tachikoma's format. Fields that the format does not define are kept as they are; an
 * optional field that is missing becomes `null`.
 *
 * @param name how messages refer to the document.
 */
export function readTachikomaDocument(text: string, name = 'The document'): TachikomaReading {
  const damaged = (why: string): TachikomaReading => ({ ok: false, failure: failures.documentDamaged(name, why) });
  const parsed = parseJson(text);
  if (parsed === undefined) return damaged(text.trim() === '' ? 'it is empty' : 'it is not JSON');
  // The version comes first: a newer format may differ in everything else.
  const versioned = z.looseObject({ version: whole }).safeParse(parsed.value);
  if (!versioned.success) return damaged(firstProblem(versioned.error));
  const { version } = versioned.data;
  if (version > tachikomaVersion) {
    const failure = failures.documentNewerVersion(name, tachikomaVersion, version);
    return { ok: false, failure, newerVersion: version };
  }
  const checked = documentSchema.safeParse(parsed.value);
  if (!checked.success) return damaged(firstProblem(checked.error));
  return { ok: true, document: withNulls(parsed.value as TachikomaDocument) };
}

const whole = z.int({ error: 'a whole number' }).min(0, { error: 'a whole number from 0' });
const text = z.string({ error: 'a text' });
const texts = z.array(text, { error: 'a list of texts' });
const amount = z.number({ error: 'a number' });
const instant = z.iso.datetime({ offset: true, error: 'an instant such as 2026-11-18T08:00:00Z' });

const documentSchema = z.looseObject({
  version: whole.min(1, { error: 'a version from 1' }),
  loop_id: text.min(1, { error: 'a text that is not empty' }),
  saved_at: instant,
  core: z.looseObject({
    status: z.enum(tachikomaStatuses, { error: `one of ${tachikomaStatuses.join(', ')}` }),
    iteration: whole,
    started_at: instant.nullish(),
    last_activity: instant.nullish(),
    working_dir: text,
    prompt_path: text.nullish(),
    config_hash: text,
  }),
  session: z.looseObject({
    current_session_id: text.nullish(),
    session_started_at: instant.nullish(),
    session_iterations: whole,
    context_usage: whole,
    session_history: z.array(
      z.looseObject({
        session_id: text,
        started_at: instant,
        ended_at: instant,
        iterations: whole,
        end_reason: text,
      }),
    ),
  }),
  progress: z.looseObject({
    iterations_since_progress: whole,
    last_progress_iteration: whole.nullish(),
    recent_scores: z.array(amount),
    modified_files: texts,
    completed_objectives: texts,
    pending_objectives: texts,
  }),
  tests: z.looseObject({
    failure_streak: whole,
    passing_tests: texts,
    failing_tests: texts,
    flaky_tests: texts,
    recently_fixed: texts,
  }),
  stop_conditions: z.looseObject({
    condition_progress: z.record(z.string(), amount),
    last_evaluation: text.nullish(),
  }),
  metrics: z.looseObject({
    total_iterations: whole,
    successful_iterations: whole,
    failed_iterations: whole,
    total_reboots: whole,
    total_execution_ms: whole,
  }),
  custom: z.record(z.string(), z.unknown()),
});

function withNulls(document: TachikomaDocument): TachikomaDocument {
  const { core, session, progress, stop_conditions: conditions } = document;
  return {
    ...document,
    core: { ...core, ...missingAsNull(core, ['started_at', 'last_activity', 'prompt_path']) },
    session: { ...session, ...missingAsNull(session, ['current_session_id', 'session_started_at']) },
    progress: { ...progress, ...missingAsNull(progress, ['last_progress_iteration']) },
    stop_conditions: { ...conditions, ...missingAsNull(conditions, ['last_evaluation']) },
  };
}

function missingAsNull(section: object, names: readonly string[]): object {
  return Object.fromEntries(names.filter((name) => !Object.hasOwn(section, name)).map((name) => [name, null]));
}

function parseJson(source: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(source) as unknown };
  } catch {
    return undefined;
  }
}

function firstProblem({ issues: [first] }: z.ZodError): string {
  if (first === undefined || first.path.length === 0) return 'it is not a mapping';
  return `"${first.path.join('.')}" must be ${expected(first)}`;
}

function expected({ code, message }: z.core.$ZodIssue): string {
  return code === 'invalid_type' && message.startsWith('Invalid input: expected ')
    ? message.replace(/^Invalid input: expected (\w+),.*$/, 'of the type $1')
    : message;
}

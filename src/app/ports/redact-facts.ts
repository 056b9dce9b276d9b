import { createRedactor, isSecretName, type Redactor, secretsIn } from '../../base/index.ts';
import type { Fact, LoopConfig } from '../../protocol/index.ts';

/** Knows the secrets of the caller's environment and those that a loop sets for its agent and its prompt. */
export function redactorFor(env: NodeJS.ProcessEnv, config?: LoopConfig): Redactor {
  const secrets = [env, config?.iteration.env ?? {}, config?.vars ?? {}].flatMap(secretsIn);
  const key = JSON.stringify(secrets);
  if (latest?.key !== key) latest = { key, redactor: createRedactor(secrets) };
  return latest.redactor;
}

// Loops of one process mostly have the same secrets.
let latest: { readonly key: string; readonly redactor: Redactor } | undefined;

/** What a loop is known by or goes on with: written as it is, whatever a secret looks like. */
const operative: ReadonlySet<string> = new Set([
  'agent',
  'base',
  'config',
  'configHash',
  'guards',
  'guidance',
  'id',
  'loopId',
  'owner',
  'process',
  'renewed',
  'resumedFrom',
  'sessionId',
  'uuid',
  'workingDirectory',
]);

const operativeAtStart: ReadonlySet<string> = new Set([...operative, 'checks', 'foundTest']);

/** A fact as it is written: without the values of secrets, except in the configuration, which a resume needs whole. */
export function redactFact<Given extends Fact>(fact: Given, { redactDeep }: Redactor): Given {
  const data = redactDeep(fact.data, fact.type === 'loop.started' ? operativeAtStart : operative);
  return data === fact.data ? fact : { ...fact, data };
}

const identity = new Set([...operative].filter((name) => name !== 'config'));

/** A fact as it is shown and sent: the configuration without secrets too. */
export function showFact<Given extends Fact>(fact: Given, redactor: Redactor): Given {
  if (fact.type !== 'loop.started' && fact.type !== 'config.changed') return fact;
  const config = withoutSecretVariables(fact.data.config);
  return { ...fact, data: redactor.redactDeep({ ...fact.data, config }, identity) };
}

/** A variable with the name of a secret is not shown, however short or common its value is. */
function withoutSecretVariables(config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { iteration, vars } = config;
  return {
    ...config,
    ...(isRecord(vars) ? { vars: withoutSecretNames(vars) } : {}),
    ...(isRecord(iteration) && isRecord(iteration['env'])
      ? { iteration: { ...iteration, env: withoutSecretNames(iteration['env']) } }
      : {}),
  };
}

function withoutSecretNames(variables: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const shown = Object.entries(variables).map(([name, value]) => [
    name,
    isSecretName(name) ? `[redacted:${name}]` : value,
  ]);
  return Object.fromEntries(shown) as Record<string, unknown>;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

import { createRedactor, isSecretName, type Redactor, type Secret, secretsIn } from '../../base/index.ts';
import {
  encodeConfig,
  type Fact,
  factCatalogue,
  factTypes,
  type LoopConfig,
  parseSecretReference,
} from '../../protocol/index.ts';

/** A redactor for the secrets in the caller's environment, those of a loop's settings, and those that are given. */
export function redactorFor(env: NodeJS.ProcessEnv, config?: LoopConfig, more: readonly Secret[] = []): Redactor {
  const secrets = [
    ...[env, config?.iteration.env ?? {}, config?.vars ?? {}].flatMap(secretsIn),
    ...referredSecrets([...(config?.notify ?? []), ...(config?.hooks ?? [])], env),
    ...more.filter(({ value }) => value.length >= minSecretLength),
  ];
  const key = JSON.stringify(secrets);
  if (latest?.key !== key) latest = { key, redactor: createRedactor(secrets) };
  return latest.redactor;
}

// Loops in one process usually share the same secrets.
let latest: { readonly key: string; readonly redactor: Redactor } | undefined;

interface Referring {
  readonly url?: string | undefined;
  readonly secret?: string | undefined;
  readonly token?: string | undefined;
}

/** The variables that channels and hooks refer to are secrets, whatever their names. */
function referredSecrets(settings: readonly Referring[], env: NodeJS.ProcessEnv): readonly Secret[] {
  return settings
    .flatMap(({ url, secret, token }) => [url, secret, token])
    .flatMap((setting) => {
      const reference = parseSecretReference(setting ?? '');
      const value = reference?.kind === 'env' ? (env[reference.name]?.trim() ?? '') : '';
      return reference?.kind === 'env' && value.length >= minSecretLength ? [{ name: reference.name, value }] : [];
    });
}

const minSecretLength = 8;

const operative = new Map<string, ReadonlySet<string>>(
  factTypes.map((type) => [type, new Set(factCatalogue[type].operative)]),
);

/** A fact as it is written: without secret values, except in the configuration, which a resume needs unredacted. */
export function redactFact<Given extends Fact>(fact: Given, { redactDeep }: Redactor): Given {
  const data = redactDeep(fact.data, operative.get(fact.type));
  return data === fact.data ? fact : { ...fact, data };
}

/** Fields that a loop needs to continue, and that are useless when redacted. */
const onlyWritten = ['config', 'checks', 'foundTest'];

/** A fact as it is shown and sent: the configuration is redacted too. */
export function showFact<Given extends Fact>(fact: Given, redactor: Redactor): Given {
  if (fact.type !== 'loop.started' && fact.type !== 'config.changed') return fact;
  const config = withoutSecretVariables(fact.data.config);
  const identity = factCatalogue[fact.type].operative.filter((name) => !onlyWritten.includes(name));
  return { ...fact, data: redactor.redactDeep({ ...fact.data, config }, new Set(identity)) };
}

/** A configuration as a file would have it, without secrets. */
export function showConfig(config: LoopConfig, env: NodeJS.ProcessEnv): Readonly<Record<string, unknown>> {
  return redactorFor(env, config).redactDeep(withoutSecretVariables({ ...encodeConfig(config) }), new Set());
}

/** The value of a variable with a secret's name is hidden, however short or common it is. */
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

import path from 'node:path';
import { LoopError } from '../base/index.ts';
import { readUserFile } from '../files/index.ts';
import { type ChannelConfig, parseSecretReference } from '../protocol/index.ts';

/** Where references to secrets are looked up. */
export interface SecretPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Relative paths start here. */
  readonly cwd: string;
}

/** The value of a setting that may refer to a secret, or why it cannot be read; never the value of a secret in a text. */
export type Resolved =
  | { readonly ok: true; readonly value: string; readonly isSecret: boolean }
  | { readonly ok: false; readonly why: string };

/** Reads what a setting refers to; a text that is no reference stands for itself. */
export function resolveSetting(setting: string, { env, cwd }: SecretPlace): Resolved {
  const reference = parseSecretReference(setting);
  if (reference === undefined) return { ok: true, value: setting, isSecret: false };
  if (reference.kind === 'env') {
    const value = env[reference.name]?.trim() ?? '';
    if (value === '') return { ok: false, why: `the variable ${reference.name} is not set` };
    return { ok: true, value, isSecret: true };
  }
  const value = readSafely(path.resolve(cwd, reference.path))?.trim() ?? '';
  if (value === '') return { ok: false, why: `the file ${reference.path} is missing, unreadable or empty` };
  return { ok: true, value, isSecret: true };
}

/** What may refer to secrets. */
type Referring = Pick<ChannelConfig, 'url' | 'secret' | 'token'>;

/** Why a channel cannot work: a secret that cannot be read, or a URL that is none. */
export function channelProblem({ url, secret, token }: Referring, place: SecretPlace): string | undefined {
  for (const setting of [url, secret, token]) {
    const resolved = setting === undefined ? undefined : resolveSetting(setting, place);
    if (resolved?.ok === false) return resolved.why;
  }
  const address = url === undefined ? undefined : resolveSetting(url, place);
  if (address?.ok !== true || isHttpUrl(address.value)) return undefined;
  return `${url} does not hold an http or https URL`;
}

/** The secrets that channels use, as far as they can be read, each with the name that replaces it in texts. */
export function channelSecrets(
  channels: readonly Referring[],
  place: SecretPlace,
): readonly { readonly name: string; readonly value: string }[] {
  const settings = channels.flatMap(({ url, secret, token }) => [url, secret, token]);
  return settings.flatMap((setting) => {
    const resolved = setting === undefined ? undefined : resolveSetting(setting, place);
    if (setting === undefined || resolved?.ok !== true || !resolved.isSecret) return [];
    return [{ name: setting.replace(/^(env|file):/, ''), value: resolved.value }];
  });
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}

function readSafely(file: string): string | undefined {
  try {
    return readUserFile(file);
  } catch (error) {
    if (error instanceof LoopError) return undefined;
    throw error;
  }
}

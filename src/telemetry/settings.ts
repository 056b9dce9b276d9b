import type { Attributes } from './span.ts';

/** Where one kind of telemetry is sent. */
export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly isCompressed: boolean;
}

/** What the usual variables of OpenTelemetry ask for. */
export interface TelemetrySettings {
  readonly traces?: Target;
  readonly metrics?: Target;
  readonly resource: Attributes;
  /** Whether a loop is traced whose trace began elsewhere, and one whose trace begins with it. */
  readonly sampling: { readonly isParentObeyed: boolean; readonly isRootSampled: boolean };
  /** What was asked for and cannot be done, one sentence each. */
  readonly problems: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the variables of OpenTelemetry. */
export function readSettings(env: Environment): TelemetrySettings {
  const problems: string[] = [];
  const traces = targetOf('TRACES', env, problems);
  const metrics = targetOf('METRICS', env, problems);
  return {
    ...(traces === undefined ? {} : { traces }),
    ...(metrics === undefined ? {} : { metrics }),
    resource: resourceOf(env, problems),
    sampling: samplingOf(env, problems),
    problems,
  };
}

type Signal = 'TRACES' | 'METRICS';
const paths = { TRACES: 'v1/traces', METRICS: 'v1/metrics' } as const;
const defaultEndpoint = 'http://localhost:4318';
const defaultTimeoutMs = 10_000;

function targetOf(signal: Signal, env: Environment, problems: string[]): Target | undefined {
  const read = (name: string) => reading(env, `OTEL_EXPORTER_OTLP_${signal}_${name}`);
  const shared = (name: string) => reading(env, `OTEL_EXPORTER_OTLP_${name}`);
  const exporters = reading(env, `OTEL_${signal}_EXPORTER`)?.value.split(',');
  if (exporters !== undefined && !exporters.some((name) => name.trim() === 'otlp')) return undefined;
  const endpoint = read('ENDPOINT') ?? shared('ENDPOINT');
  if (endpoint === undefined && exporters === undefined) return undefined;
  const given = endpoint ?? { name: 'the default endpoint', value: defaultEndpoint };
  if (!isHttpUrl(given.value)) {
    problems.push(`${given.name} is not an http or https URL, so no ${signal.toLowerCase()} are sent.`);
    return undefined;
  }
  const protocol = read('PROTOCOL') ?? shared('PROTOCOL');
  if (protocol !== undefined && protocol.value !== 'http/json') {
    const remedy = `Set OTEL_EXPORTER_OTLP_${signal}_PROTOCOL=http/json, or OTEL_${signal}_EXPORTER=none.`;
    problems.push(
      `ralphd sends telemetry as http/json, but ${protocol.name} is "${protocol.value}": no ${signal.toLowerCase()} are sent. ${remedy}`,
    );
    return undefined;
  }
  const url = addressOf(given.value, read('ENDPOINT') === undefined ? paths[signal] : undefined);
  const headers = [shared('HEADERS'), read('HEADERS')].flatMap((list) => (list ? headersIn(list, problems) : []));
  return {
    url: url.address,
    headers: { ...url.headers, ...Object.fromEntries(headers) },
    timeoutMs: timeoutOf(read('TIMEOUT') ?? shared('TIMEOUT'), problems),
    isCompressed: (read('COMPRESSION') ?? shared('COMPRESSION'))?.value === 'gzip',
  };
}

interface Given {
  readonly name: string;
  readonly value: string;
}

/** An empty variable counts as unset. */
function reading(env: Environment, name: string): Given | undefined {
  const value = env[name]?.trim() ?? '';
  return value === '' ? undefined : { name, value };
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}

/** A name and a password in an address are sent as a header, because `fetch` refuses them. */
function addressOf(text: string, path: string | undefined) {
  const url = new URL(text);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  if (path !== undefined) url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`;
  if (username === '' && password === '') return { address: url.href, headers: {} };
  const credentials = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');
  return { address: url.href, headers: { authorization: `Basic ${credentials}` } };
}

/** Header names and values as `name=value,other=value`, with values in percent encoding. Values are never shown. */
function headersIn({ name, value }: Given, problems: string[]): readonly (readonly [string, string])[] {
  return value.split(',').flatMap((pair, index) => {
    if (pair.trim() === '') return [];
    const [header, content] = pairIn(pair);
    const isValid = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(header) && /^[\t\x20-\x7e\x80-\xff]*$/.test(content);
    if (isValid && pair.includes('=')) return [[header.toLowerCase(), content] as const];
    problems.push(`${name} has no valid header at position ${index + 1}, which is left out.`);
    return [];
  });
}

function pairIn(pair: string): readonly [string, string] {
  const at = pair.indexOf('=');
  return [pair.slice(0, Math.max(0, at)).trim(), decoded(pair.slice(at + 1).trim())];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function timeoutOf(given: Given | undefined, problems: string[]): number {
  if (given === undefined) return defaultTimeoutMs;
  const ms = Number(given.value);
  if (Number.isFinite(ms) && ms > 0) return ms;
  problems.push(`${given.name} is not a number of milliseconds, so ${defaultTimeoutMs} are used.`);
  return defaultTimeoutMs;
}

function resourceOf(env: Environment, problems: string[]): Attributes {
  const given = reading(env, 'OTEL_RESOURCE_ATTRIBUTES');
  const pairs = (given?.value ?? '').split(',').filter((pair) => pair.trim() !== '');
  const isWhole = pairs.every((pair) => pair.indexOf('=') > 0);
  if (!isWhole) problems.push('OTEL_RESOURCE_ATTRIBUTES is not a list of "name=value", so it is left out.');
  const name = reading(env, 'OTEL_SERVICE_NAME');
  return {
    'service.name': 'ralphd',
    ...(isWhole ? Object.fromEntries(pairs.map(pairIn)) : {}),
    ...(name === undefined ? {} : { 'service.name': name.value }),
    'telemetry.sdk.name': 'ralphd',
    'telemetry.sdk.language': 'nodejs',
  };
}

function samplingOf(env: Environment, problems: string[]): TelemetrySettings['sampling'] {
  const sampler = reading(env, 'OTEL_TRACES_SAMPLER')?.value ?? 'parentbased_always_on';
  const isKnown = /^(parentbased_)?always_(on|off)$/.test(sampler);
  if (!isKnown)
    problems.push(`The sampler "${sampler}" in OTEL_TRACES_SAMPLER is not supported: every loop is traced.`);
  return {
    isParentObeyed: !isKnown || sampler.startsWith('parentbased_'),
    isRootSampled: !isKnown || sampler.endsWith('_on'),
  };
}

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRedactor } from './redact.ts';
import { boundText, tailText } from './text.ts';

const token = 'sk-canary-7f3kQ9+zX/2mWv81LrTb';
const nasty = `p@ss "w'o\\rd" $x&<y>/+=?%é 🗝 end`;
const pem = [
  '-----BEGIN PRIVATE KEY-----',
  'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC',
  'BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj',
  '-----END',
].join('\n');
const secrets = [
  { name: 'API_TOKEN', value: token },
  { name: 'DB_PASSWORD', value: nasty },
  { name: 'DEPLOY_KEY', value: pem },
];
const redactor = createRedactor(secrets);

const json = (text: string) => JSON.stringify(text).slice(1, -1);
const percent = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const base64 = (text: string) => Buffer.from(text).toString('base64');
const encodings: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  'in quotes': (secret) => `"${secret}"`,
  'base64, first alignment': base64,
  'base64, second alignment': (secret) => base64(`u${secret}`),
  'base64, third alignment': (secret) => base64(`u:${secret}:x`),
  'base64 for addresses': (secret) => Buffer.from(`u${secret}`).toString('base64url'),
  'base64, percent-encoded': (secret) => encodeURIComponent(base64(secret)),
  'percent-encoded': encodeURIComponent,
  'percent-encoded in lower case': (secret) =>
    encodeURIComponent(secret).replace(/%../g, (escaped) => escaped.toLowerCase()),
  'percent-encoded as a form': (secret) => new URLSearchParams({ a: secret }).toString(),
  'percent-encoded, every byte': percent,
  'percent-encoded, every byte in upper case': (secret) => percent(secret).toUpperCase(),
  JSON: json,
  'JSON in JSON': (secret) => json(json(secret)),
  'JSON in ASCII': (secret) =>
    json(secret).replace(/[^\u0000-\u007f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'shell, single quotes': (secret) => `'${secret.replaceAll("'", "'\\''")}'`,
  'shell, double quotes': (secret) => `"${secret.replace(/["$`\\]/g, '\\$&')}"`,
  'shell, backslashes': (secret) => secret.replace(/[^\w@%+=:,./-]/gu, '\\$&'),
  hexadecimal: (secret) => Buffer.from(secret).toString('hex'),
  'hexadecimal in upper case': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  markup: (secret) =>
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
};

test.each(Object.entries(encodings))('a known secret never gets through, however it is split: %s', (_name, encode) => {
  for (const { name: secretName, value } of secrets.slice(0, 2)) {
    const text = `before ${encode(value)} after`;
    const clean = redactor.redact(text);
    expect(clean).toContain(`[redacted:${secretName}]`);
    expect(longestShared(clean, encode(value)), clean).toBeLessThan(8);
    for (let at = 0; at <= text.length; at += 1) expect(inPieces([text.slice(0, at), text.slice(at)])).toBe(clean);
    expect(inPieces(text.split(''))).toBe(clean);
  }
});

test('the name of a secret replaces its value, and the rest stays unchanged', () => {
  expect(redactor.redact(`curl -H "Auth: ${token}" && echo ok`)).toBe(
    'curl -H "Auth: [redacted:API_TOKEN]" && echo ok',
  );
  expect(redactor.redact('nothing to see here')).toBe('nothing to see here');
});

test('each line of a key is removed, and the lines that all keys share stay', () => {
  const indented = pem.replaceAll('\n', '\n    ');
  expect(redactor.redact(indented).split('\n    ')).toEqual([
    '-----BEGIN PRIVATE KEY-----',
    '[redacted:DEPLOY_KEY]',
    '[redacted:DEPLOY_KEY]',
    '-----END',
  ]);
});

test('a long secret in base64 is found even if it is broken into lines', () => {
  const value = Array.from({ length: 100 }, (_, at) => String.fromCharCode(33 + ((at * 37) % 90))).join('');
  const lines = base64(value).match(/.{1,76}/g) ?? [];
  expect(lines).toHaveLength(2);
  const clean = createRedactor([{ name: 'LONG', value }]).redact(lines.join('\n'));
  expect(clean).toMatch(/^\[redacted:LONG\]\n\[redacted:LONG\].{0,3}$/);
});

test('the longest secret is found first, and secrets that overlap leave nothing of each other', () => {
  const both = createRedactor([
    { name: 'SHORT', value: 'abcdefgh' },
    { name: 'LONG', value: 'abcdefgh-ijklmnop' },
    { name: 'OTHER', value: 'mnop-qrstuvwx' },
  ]);
  expect(both.redact('abcdefgh-ijklmnop')).toBe('[redacted:LONG]');
  expect(both.redact('abcdefgh-ijk')).toBe('[redacted:LONG]');
  expect(both.redact('abcdefgh is short')).toBe('[redacted:SHORT] is short');
  expect(both.redact('abcdefgh-ijklmnop-qrstuvwx.')).toBe('[redacted:LONG].');
});

test('what truncation leaves of a secret is removed too', () => {
  const long = `${'x'.repeat(300)}${token}${'y'.repeat(300)}`;
  for (let max = 60; max <= 500; max += 1) {
    expect(longestShared(redactor.redact(boundText(long, max)), token), String(max)).toBeLessThan(8);
    expect(longestShared(redactor.redact(tailText(long, max)), token)).toBeLessThan(8);
    expect(longestShared(redactor.redact(long.slice(0, max)), token)).toBeLessThan(8);
  }
});

test('a JSON value is redacted at every depth, kept fields and everything clean stay the same', () => {
  const clean = { list: ['a', 1, null, { deep: true }] };
  expect(redactor.redactDeep(clean)).toBe(clean);
  const given = { id: token, text: `is ${token}`, list: [{ text: nasty, id: token }, 'x'], clean };
  const redacted = redactor.redactDeep(given, new Set(['id']));
  expect(redacted).toEqual({
    id: token,
    text: 'is [redacted:API_TOKEN]',
    list: [{ text: '[redacted:DB_PASSWORD]', id: '[redacted:API_TOKEN]' }, 'x'],
    clean,
  });
  expect(redacted.clean).toBe(clean);
});

test('redacted text stays unchanged, even if a secret is a word of the mark', () => {
  const odd = createRedactor([
    { name: 'API_TOKEN', value: 'API_TOKEN' },
    { name: 'A', value: 'redacted' },
    { name: 'B', value: token },
  ]);
  expect(odd.redact(`API_TOKEN=${token}`)).toBe('API_TOKEN=[redacted:B]');
  expect(odd.redact(odd.redact(`API_TOKEN=${token}`))).toBe('API_TOKEN=[redacted:B]');
});

test('without secrets nothing changes', () => {
  const idle = createRedactor([]);
  const value = { text: token };
  expect(idle.redactDeep(value)).toBe(value);
  expect(idle.redact(token) + idle.stream().push(token) + idle.stream().end()).toBe(token + token);
});

test('a stream shows at once what cannot belong to a secret', () => {
  const stream = redactor.stream();
  expect(stream.push('hello sk-can')).toBe('hello ');
  expect(stream.push('oe')).toBe('sk-canoe');
  expect(stream.push(token) + stream.end()).toBe('[redacted:API_TOKEN]');
});

test('whatever stands around secrets and however it is split, a stream equals the whole and shows none of them', () => {
  const odd = createRedactor([
    { name: 'A', value: 'abababababab' },
    { name: 'B', value: 'ababcababc' },
    { name: 'C', value: 'cabababab' },
  ]);
  const part = fc.constantFrom('ab', 'abab', 'c', 'a', ' ', 'ababcababc', 'abababababab', 'cabababab');
  fc.assert(
    fc.property(fc.array(part), fc.array(fc.nat(40)), (parts, sizes) => {
      // A stream is never truncated at its start, so no remnant is expected there.
      const text = `. ${parts.join('')}`;
      const clean = odd.redact(text);
      for (const value of ['abababababab', 'ababcababc', 'cabababab']) expect(clean).not.toContain(value);
      let at = 0;
      const pieces = sizes.map((size) => text.slice(at, (at += size)));
      const stream = odd.stream();
      expect([...pieces, text.slice(at)].map(stream.push).join('') + stream.end()).toBe(clean);
    }),
    { numRuns: 1_000 },
  );
});

function inPieces(pieces: readonly string[]): string {
  const stream = redactor.stream();
  return pieces.map(stream.push).join('') + stream.end();
}

/** The length of the longest text that is in both. */
function longestShared(text: string, secret: string): number {
  for (let length = secret.length; length > 0; length -= 1) {
    for (let at = 0; at + length <= secret.length; at += 1) {
      if (text.includes(secret.slice(at, at + length))) return length;
    }
  }
  return 0;
}

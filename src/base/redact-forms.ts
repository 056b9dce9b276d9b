/** Shorter values match by chance too often. */
export const minFormLength = 8;

const minLineLength = 16;

/** The forms in which a value appears in output: unchanged, escaped, quoted and encoded. */
export function formsOf(value: string): readonly string[] {
  const bytes = new TextEncoder().encode(value);
  // Most tokens need no escaping anywhere.
  const escapes = /^[\w.-]+$/.test(value)
    ? []
    : [...jsonForms(value), ...urlForms(value), ...markupForms(value), ...shellForms(value), ...secretLines(value)];
  const forms = [value, ...escapes, ...byteForms(bytes), ...base64Forms(bytes)];
  return [...new Set(forms)].filter((form) => form.length >= minFormLength);
}

function jsonForms(value: string): readonly string[] {
  const once = JSON.stringify(value).slice(1, -1);
  const twice = JSON.stringify(once).slice(1, -1);
  const ascii = once.replace(/[^\u0000-\u007f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [once, twice, ascii, once.replaceAll('/', '\\/')];
}

function urlForms(value: string): readonly string[] {
  const component = percentEncode(value, /[^A-Za-z0-9\-_.!~*'()]/gu);
  const strict = percentEncode(value, /[^A-Za-z0-9\-_.~]/gu);
  const upper = [component, strict, strict.replaceAll('%20', '+')];
  return upper.flatMap((form) => [form, form.replace(/%../g, (escaped) => escaped.toLowerCase())]);
}

function percentEncode(value: string, unsafe: RegExp): string {
  return value
    .toWellFormed()
    .replace(unsafe, (character) =>
      Array.from(new TextEncoder().encode(character), (byte) => `%${hex(byte).toUpperCase()}`).join(''),
    );
}

function markupForms(value: string): readonly string[] {
  const escaped = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const quoted = escaped.replaceAll('"', '&quot;');
  return [escaped, quoted, ...['&#39;', '&#x27;', '&apos;'].map((quote) => quoted.replaceAll("'", quote))];
}

function shellForms(value: string): readonly string[] {
  return [
    value.replaceAll("'", "'\\''"),
    value.replaceAll("'", `'"'"'`),
    value.replaceAll("'", "\\'"),
    value.replace(/["$`\\]/g, '\\$&'),
    value.replace(/["$`\\!]/g, '\\$&'),
    value.replace(/[^\w@%+=:,./-]/gu, '\\$&'),
  ];
}

function byteForms(bytes: Uint8Array): readonly string[] {
  const pairs = Array.from(bytes, hex);
  const lower = [pairs.join(''), `%${pairs.join('%')}`];
  return [...lower, ...lower.map((form) => form.toUpperCase())];
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

/** Base64 inside a longer encoded text: one form for each of the three offsets at which the value may begin. */
function base64Forms(bytes: Uint8Array): readonly string[] {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  const aligned = [0, 1, 2].map((lead) => {
    const padded = btoa('\0'.repeat(lead) + binary);
    // Only the characters that depend on the value alone.
    return padded.slice(Math.ceil((lead * 8) / 6), Math.floor(((lead + bytes.length) * 8) / 6));
  });
  const wrapped = [76, 64].flatMap((width) => (aligned[0] ?? '').match(new RegExp(`.{1,${width}}`, 'g')) ?? []);
  return [
    ...aligned,
    ...aligned.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
    ...aligned.map((form) => form.replaceAll('+', '%2B').replaceAll('/', '%2F')),
    ...wrapped.filter((line) => line.length >= minLineLength),
  ];
}

/** The lines of a key in a file format: each of them reveals part of it. */
function secretLines(value: string): readonly string[] {
  const lines = value.split(/\r?\n|\\n/);
  return lines.length === 1
    ? []
    : lines.filter((line) => line.length >= minLineLength && /^[\w+/=-]+$/.test(line) && !line.startsWith('-----'));
}

/** One page of a listing. */
export interface Listing {
  /** The whole names of objects. */
  readonly keys: readonly string[];
  /** What the names of further objects begin with, up to the delimiter. */
  readonly prefixes: readonly string[];
  /** Where the next page begins; missing on the last one. */
  readonly next?: string;
}

/** Reads the answer to a request for a listing; undefined if it is none. */
export function parseListing(xml: string): Listing | undefined {
  if (!/<ListBucketResult[\s>]/.test(xml)) return undefined;
  const isEncoded = field(xml, 'EncodingType') === 'url';
  const name = (text: string) => (isEncoded ? decodeName(text) : text);
  const keys = blocks(xml, 'Contents').map((block) => name(field(block, 'Key') ?? ''));
  const prefixes = blocks(xml, 'CommonPrefixes').map((block) => name(field(block, 'Prefix') ?? ''));
  const next = field(xml, 'IsTruncated') === 'true' ? field(xml, 'NextContinuationToken') : undefined;
  return { keys, prefixes, ...(next === undefined ? {} : { next }) };
}

/** The code of an error that a server reports, such as `NoSuchKey`; nothing else of it, which may contain secrets. */
export function errorCodeIn(xml: string): string | undefined {
  return /<Code>([A-Za-z0-9.]{1,60})<\/Code>/.exec(xml)?.[1];
}

function blocks(xml: string, tag: string): readonly string[] {
  return [...xml.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs'))].map(([, inner = '']) => inner);
}

function field(xml: string, tag: string): string | undefined {
  const text = new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml)?.[1];
  return text === undefined ? undefined : decodeEntities(text);
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(\w+));/g,
    (all, hex?: string, number?: string, word = '') => {
      const code = hex === undefined ? Number(number) : Number.parseInt(hex, 16);
      if (word !== '') return entities[String(word)] ?? all;
      return code <= 0x10ffff ? String.fromCodePoint(code) : all;
    },
  );
}

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

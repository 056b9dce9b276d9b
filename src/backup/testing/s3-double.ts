import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

// Written from the published description of the protocol and of Signature Version 4; shares no code with the client.

/** A request after it was verified. */
export interface S3Call {
  readonly method: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** A server on loopback that speaks S3's protocol strictly: it checks every signature and every condition. */
export interface S3Server {
  readonly endpoint: string;
  readonly bucket: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly objects: Map<string, Buffer>;
  readonly calls: S3Call[];
  /** How many names a page of a listing has at most. */
  pageLength: number;
  /** How far the server's clock is ahead. */
  skewMs: number;
  /** Answers instead of the server, if it returns true. */
  intercept: (call: S3Call, response: ServerResponse, request: IncomingMessage) => boolean;
}

class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

const region = 'eu-test-1';
const maxSkewMs = 15 * 60_000;
/** Of every part but the last one. */
const minPartBytes = 5 * 1024 * 1024;

/** Starts a server. */
export async function openS3Server(): Promise<S3Server & Disposable> {
  const uploads = new Map<string, { readonly key: string; readonly parts: Map<number, Buffer> }>();
  const world: S3Server = {
    endpoint: '',
    bucket: 'backups',
    credentials: { accessKeyId: 'AKIDTESTTESTTEST', secretAccessKey: 'sEcReT/key+with/slashes' },
    objects: new Map(),
    calls: [],
    pageLength: 1000,
    skewMs: 0,
    intercept: () => false,
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      try {
        const call = verify(world, request, Buffer.concat(chunks));
        world.calls.push(call);
        if (!world.intercept(call, response, request)) answer(world, uploads, call, response);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        send(response, error.status, errorXml(error.code));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(world, {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  });
}

const authorizationForm =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/;

function verify(world: S3Server, request: IncomingMessage, body: Buffer): S3Call {
  const { method = '', url = '', headers } = request;
  const [, keyId, day = '', scopeRegion = '', names = '', signature] =
    authorizationForm.exec(headers.authorization ?? '') ?? [];
  if (signature === undefined) throw new Refusal(403, 'AccessDenied');
  if (keyId !== world.credentials.accessKeyId) throw new Refusal(403, 'InvalidAccessKeyId');
  if (scopeRegion !== region) throw new Refusal(400, 'AuthorizationHeaderMalformed');
  const at = String(headers['x-amz-date']);
  const atMs = Date.parse(at.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (Number.isNaN(atMs) || !at.startsWith(day)) throw new Refusal(403, 'AccessDenied');
  if (Math.abs(Date.now() + world.skewMs - atMs) > maxSkewMs) throw new Refusal(403, 'RequestTimeTooSkewed');
  const signed = names.split(';');
  const mustSign = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))];
  if (mustSign.some((name) => !signed.includes(name))) throw new Refusal(403, 'AccessDenied');
  const payload = String(headers['x-amz-content-sha256']);
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== hash(body)) throw new Refusal(400, 'XAmzContentSHA256Mismatch');
  const [rawPath = '', rawQuery = ''] = url.split('?');
  const canonical = [
    method,
    rawPath
      .split('/')
      .map((part) => encode(decodeURIComponent(part)))
      .join('/'),
    canonicalQuery(rawQuery),
    ...signed.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}`),
    '',
    names,
    payload,
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', at, `${day}/${region}/s3/aws4_request`, hash(canonical)].join('\n');
  let key: Buffer = Buffer.from(`AWS4${world.credentials.secretAccessKey}`);
  for (const part of [day, region, 's3', 'aws4_request']) key = mac(key, part);
  if (mac(key, toSign).toString('hex') !== signature) throw new Refusal(403, 'SignatureDoesNotMatch');
  const [, bucket = '', ...rest] = rawPath.split('/').map(decodeURIComponent);
  if (bucket !== world.bucket) throw new Refusal(404, 'NoSuchBucket');
  return { method, key: rest.join('/'), query: new URLSearchParams(rawQuery), headers, body };
}

function canonicalQuery(raw: string): string {
  if (raw === '') return '';
  const pairs = raw.split('&').map((pair) => {
    const [name = '', value = ''] = pair.split('=');
    return `${encode(decodeURIComponent(name))}=${encode(decodeURIComponent(value))}`;
  });
  return pairs.toSorted().join('&');
}

type Uploads = Map<string, { readonly key: string; readonly parts: Map<number, Buffer> }>;

function answer(world: S3Server, uploads: Uploads, call: S3Call, response: ServerResponse): void {
  const { method, key, query } = call;
  if (key === '') {
    if (method === 'GET') return send(response, 200, listing(world, query));
    throw new Refusal(405, 'MethodNotAllowed');
  }
  if (query.has('uploads') || query.has('uploadId')) return multipart(world, uploads, call, response);
  if (method === 'PUT') return put(world, call, response);
  const found = world.objects.get(key);
  if (method === 'DELETE') {
    world.objects.delete(key);
    return send(response, 204, '');
  }
  if (found === undefined) throw new Refusal(404, 'NoSuchKey');
  response.writeHead(200, { etag: etag(found), 'content-length': found.byteLength });
  response.end(method === 'HEAD' ? undefined : found);
}

function put(world: S3Server, { key, body, headers }: S3Call, response: ServerResponse): void {
  assertConditions(world, key, headers);
  world.objects.set(key, body);
  response.writeHead(200, { etag: etag(body) }).end();
}

function assertConditions(world: S3Server, key: string, headers: IncomingMessage['headers']): void {
  const found = world.objects.get(key);
  if (headers['if-none-match'] === '*' && found !== undefined) throw new Refusal(412, 'PreconditionFailed');
  const match = headers['if-match'];
  if (match === undefined) return;
  if (found === undefined) throw new Refusal(404, 'NoSuchKey');
  if (match !== etag(found)) throw new Refusal(412, 'PreconditionFailed');
}

function multipart(world: S3Server, uploads: Uploads, call: S3Call, response: ServerResponse): void {
  const { method, key, query, body, headers } = call;
  if (method === 'POST' && query.has('uploads')) {
    const id = `upload-${uploads.size + 1}`;
    uploads.set(id, { key, parts: new Map() });
    return send(
      response,
      200,
      `<InitiateMultipartUploadResult><Bucket>${world.bucket}</Bucket><Key>${escape(key)}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    );
  }
  const upload = uploads.get(query.get('uploadId') ?? '');
  if (upload?.key !== key) throw new Refusal(404, 'NoSuchUpload');
  if (method === 'PUT') {
    upload.parts.set(Number(query.get('partNumber')), body);
    response.writeHead(200, { etag: etag(body) }).end();
    return;
  }
  const parts = partsIn(body.toString(), upload.parts);
  if (parts.slice(0, -1).some(({ byteLength }) => byteLength < minPartBytes)) throw new Refusal(400, 'EntityTooSmall');
  assertConditions(world, key, headers);
  const whole = Buffer.concat(parts);
  world.objects.set(key, whole);
  uploads.delete(query.get('uploadId') ?? '');
  send(
    response,
    200,
    `<CompleteMultipartUploadResult><Key>${escape(key)}</Key><ETag>${escape(etag(whole))}</ETag></CompleteMultipartUploadResult>`,
  );
}

/** The parts that a request to complete an upload names, each with its checksum. */
function partsIn(xml: string, stored: ReadonlyMap<number, Buffer>): readonly Buffer[] {
  const parts = [...xml.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => {
    const found = stored.get(Number(/<PartNumber>(\d+)</.exec(part)?.[1]));
    const tag = /<ETag>([^<]*)</.exec(part)?.[1]?.replace(/&quot;|&#34;/g, '"');
    if (found === undefined || tag !== etag(found)) throw new Refusal(400, 'InvalidPart');
    return found;
  });
  if (parts.length === 0) throw new Refusal(400, 'MalformedXML');
  return parts;
}

function listing(world: S3Server, query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const isUrl = query.get('encoding-type') === 'url';
  const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
  const name = (text: string) =>
    escape(isUrl ? encodeURIComponent(text).replaceAll('%20', '+').replaceAll('%2F', '/') : text);
  const names = new Map<string, 'key' | 'prefix'>();
  for (const key of [...world.objects.keys()].filter((each) => each.startsWith(prefix))) {
    const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    if (end === -1) names.set(key, 'key');
    else names.set(key.slice(0, end + delimiter.length), 'prefix');
  }
  const all = [...names.keys()].toSorted(byBytes).filter((each) => byBytes(each, after) > 0);
  const pageLength = Math.min(world.pageLength, Number(query.get('max-keys') ?? 1000));
  const page = all.slice(0, pageLength);
  const isTruncated = all.length > page.length;
  const rows = page.map((each) =>
    names.get(each) === 'prefix'
      ? `<CommonPrefixes><Prefix>${name(each)}</Prefix></CommonPrefixes>`
      : `<Contents><Key>${name(each)}</Key><Size>${world.objects.get(each)?.byteLength ?? 0}</Size><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>`,
  );
  const next = isTruncated ? `<NextContinuationToken>${escape(page.at(-1) ?? '')}</NextContinuationToken>` : '';
  const encoding = isUrl ? '<EncodingType>url</EncodingType>' : '';
  return `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${world.bucket}</Name><Prefix>${name(prefix)}</Prefix>${encoding}<KeyCount>${page.length}</KeyCount><MaxKeys>${pageLength}</MaxKeys><IsTruncated>${isTruncated}</IsTruncated>${next}${rows.join('')}</ListBucketResult>`;
}

function errorXml(code: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${code}</Message><RequestId>1</RequestId></Error>`;
}

/** Sends an answer as the server does. */
export function send(response: ServerResponse, status: number, xml: string): void {
  response.writeHead(status, xml === '' ? {} : { 'content-type': 'application/xml' }).end(xml);
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function etag(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

function hash(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

function mac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

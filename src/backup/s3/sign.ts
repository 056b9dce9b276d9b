import { createHash, createHmac } from 'node:crypto';

/** What proves to a server who sends a request. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** For credentials that expire. */
  readonly sessionToken?: string | undefined;
}

/** A request before it is signed. */
export interface UnsignedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** With what and when a request is signed. */
export interface Signing {
  readonly credentials: Credentials;
  readonly region: string;
  readonly nowMs: number;
}

/**
 * The headers that sign a request with AWS Signature Version 4. The path and the query of its URL have to be encoded with
 * `encodePart` already.
 */
export function signedHeaders(
  request: UnsignedRequest,
  { credentials, region, nowMs }: Signing,
): Record<string, string> {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const at = `${new Date(nowMs).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
  const day = at.slice(0, 8);
  const payload = sha256(request.body);
  const headers: Record<string, string> = {
    ...request.headers,
    host: request.url.host,
    'x-amz-content-sha256': payload,
    'x-amz-date': at,
    ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
  };
  const names = Object.keys(headers).toSorted();
  const query = request.url.search.slice(1).split('&').toSorted().join('&');
  const canonical = [
    request.method,
    request.url.pathname,
    query,
    ...names.map((name) => `${name}:${headers[name]?.trim().replace(/ +/g, ' ') ?? ''}`),
    '',
    names.join(';'),
    payload,
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const signature = hmac(key, ['AWS4-HMAC-SHA256', at, scope, sha256(canonical)].join('\n')).toString('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { ...headers, authorization };
}

/** Encodes a part of a path or of a query as signatures require it. */
export function encodePart(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { noKeys } from '../../src/backup/age.ts';
import { newestManifest, verifyBackups } from '../../src/backup/fetch.ts';
import { type BackupTarget, createS3Target, pushBackup, type S3Settings } from '../../src/backup/index.ts';
import { signedHeaders } from '../../src/backup/s3/sign.ts';
import { createLoopFolder, loopId } from '../../src/backup/testing/loop-folder.ts';

/** A server that is asked the same as another one. */
export interface JudgedServer {
  readonly name: string;
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** What both servers are asked; the answer is a text that must be the same. */
export interface Case {
  readonly title: string;
  /** What S3 answers. */
  readonly wanted: string;
  readonly ask: (server: JudgedServer, prefix: string) => Promise<string>;
}

const { signal } = new AbortController();
const oddNames = ['a b/c d', 'größe/日本語/🚀', "it's (really)*!~", 'a+b&c=d', '%41/..%2f', 'x/<tag>&amp;'];
const partBytes = 5 * 1024 * 1024;

function ours({ endpoint, region, bucket, credentials }: JudgedServer, more: Partial<S3Settings> = {}): BackupTarget {
  const base = { name: 'cloud', prefix: '', pathStyle: true, timeoutMs: 30_000, retryDelaysMs: [], nowMs: Date.now };
  return createS3Target({ ...base, endpoint, region, bucket, credentials, ...more });
}

async function theirs(server: JudgedServer, ask: (client: S3Client, Bucket: string) => Promise<string>) {
  const { endpoint, region, credentials, bucket } = server;
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true, maxAttempts: 1 });
  try {
    return await ask(client, bucket);
  } finally {
    client.destroy();
  }
}

/** The status and the code of a refusal, from either client. */
async function refusalOf(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
    return 'accepted';
  } catch (error) {
    const { name, message, $metadata } = error as Error & { readonly $metadata?: { readonly httpStatusCode?: number } };
    const [, status, code = ''] = /HTTP (\d+)(?: \((\w+)\))?/.exec(message) ?? [];
    return status === undefined ? `${$metadata?.httpStatusCode} ${name}` : `${status} ${code}`;
  }
}

/** A request that no client sends. */
async function raw(server: JudgedServer, key: string, change: (headers: Record<string, string>) => string | undefined) {
  const url = new URL(`${server.endpoint}/${server.bucket}/${key}`);
  const body = Buffer.from('what was signed');
  const { credentials, region } = server;
  const given = { method: 'PUT', url, headers: { 'if-none-match': '*' }, body };
  const headers = { ...signedHeaders(given, { credentials, region, nowMs: Date.now() }) };
  const answer = await fetch(url, { method: 'PUT', body: change(headers) ?? body, headers });
  return `${answer.status} ${/<Code>(\w+)</.exec(await answer.text())?.[1] ?? ''}`.trim();
}

/** Written for S3 as its documentation describes it. */
export const cases: readonly Case[] = [
  {
    title: 'our client creates, refuses to replace, and reads back names of every kind',
    wanted: 'true,false,same; '.repeat(oddNames.length),
    async ask(server, prefix) {
      const target = ours(server, { prefix });
      let text = '';
      for (const name of oddNames) {
        const first = await target.create(name, Buffer.from(name), signal);
        const second = await target.create(name, Buffer.from('another'), signal);
        const found = Buffer.from((await target.read(name, 1_000, signal)) ?? '').toString();
        text += `${first},${second},${found === name ? 'same' : found}; `;
      }
      return text;
    },
  },
  {
    title: 'each client reads what the other one wrote',
    wanted: 'same,same; '.repeat(oddNames.length),
    ask: async (server, prefix) =>
      await theirs(server, async (client, Bucket) => {
        const target = ours(server, { prefix: `${prefix} ü` });
        let text = '';
        for (const name of oddNames) {
          await target.create(`ours/${name}`, Buffer.from(name), signal);
          const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: `${prefix} ü/ours/${name}` }));
          await client.send(new PutObjectCommand({ Bucket, Key: `${prefix} ü/theirs/${name}`, Body: name }));
          const found = Buffer.from((await target.read(`theirs/${name}`, 1_000, signal)) ?? '').toString();
          text += `${(await Body?.transformToString()) === name ? 'same' : 'other'},${found === name ? 'same' : found}; `;
        }
        return text;
      }),
  },
  {
    title: 'a listing of many pages is complete, in order, and begins where it is asked to',
    wanted: '20 in order; 3 after the 17th; folder,other',
    async ask(server, prefix) {
      const target = ours(server, { prefix });
      const names = Array.from({ length: 20 }, (_, index) => `n ${String(index).padStart(2, '0')}&ü`);
      for (const name of [...names, 'below/x']) await target.create(`folder/${name}`, Buffer.from(''), signal);
      await target.create('other/x', Buffer.from(''), signal);
      const all = await target.list('folder', undefined, signal);
      const isSame = all.join() === names.join();
      const after = await target.list('folder', names[16], signal);
      const folders = await target.folders('', signal);
      return `${all.length} ${isSame ? 'in order' : 'in disorder'}; ${after.length} after the 17th; ${folders.join()}`;
    },
  },
  {
    title: 'the official client gets pages of the same length',
    wanted: '3 of 4, truncated',
    ask: async (server, prefix) =>
      await theirs(server, async (client, Bucket) => {
        for (const name of ['1', '2', '3', '4'])
          await client.send(new PutObjectCommand({ Bucket, Key: `${prefix}/${name}`, Body: name }));
        const page = await client.send(new ListObjectsV2Command({ Bucket, Prefix: `${prefix}/`, MaxKeys: 3 }));
        return `${page.Contents?.length} of 4, ${page.IsTruncated === true ? 'truncated' : 'whole'}`;
      }),
  },
  {
    title: 'of ten writers of one name at once, one succeeds',
    wanted: '1 of 10, and its content stays',
    async ask(server, prefix) {
      const target = ours(server, { prefix });
      const writers = Array.from({ length: 10 }, (_, index) => `writer ${index}`);
      const made = await Promise.all(
        writers.map(async (text) => await target.create('one', Buffer.from(text), signal)),
      );
      const found = Buffer.from((await target.read('one', 100, signal)) ?? '').toString();
      const stays = found === writers[made.indexOf(true)] ? 'and its content stays' : 'and another content is there';
      return `${made.filter(Boolean).length} of 10, ${stays}`;
    },
  },
  {
    title: 'what is missing is missing, and can be removed',
    wanted: 'undefined, removed, removed, undefined',
    async ask(server, prefix) {
      const target = ours(server, { prefix });
      const found = async () => ((await target.read('x', 10, signal)) === undefined ? 'undefined' : 'there');
      const first = await found();
      await target.remove('x', signal);
      await target.create('x', Buffer.from('x'), signal);
      await target.remove('x', signal);
      return `${first}, removed, removed, ${await found()}`;
    },
  },
  {
    title: 'a wrong secret is refused',
    wanted: '403 SignatureDoesNotMatch',
    ask: async (server, prefix) =>
      await refusalOf(
        ours(server, { credentials: { ...server.credentials, secretAccessKey: 'wrong' } }).create(
          prefix,
          Buffer.from('x'),
          signal,
        ),
      ),
  },
  {
    title: 'an unknown key is refused',
    wanted: '403 InvalidAccessKeyId',
    ask: async (server, prefix) =>
      await refusalOf(
        ours(server, { credentials: { ...server.credentials, accessKeyId: 'AKIDUNKNOWN' } }).list(
          prefix,
          undefined,
          signal,
        ),
      ),
  },
  {
    title: 'a bucket that is missing is named',
    wanted: '404 NoSuchBucket',
    ask: async (server) => await refusalOf(ours(server, { bucket: 'nowhere' }).read('x', 10, signal)),
  },
  {
    title: 'a request of an hour ago is refused',
    wanted: '403 RequestTimeTooSkewed',
    ask: async (server) =>
      await refusalOf(ours(server, { nowMs: () => Date.now() - 3_600_000 }).list('', undefined, signal)),
  },
  {
    title: 'a signature for another region is refused',
    wanted: '400 AuthorizationHeaderMalformed',
    ask: async (server) => await refusalOf(ours(server, { region: 'mars-north-1' }).list('', undefined, signal)),
  },
  {
    title: 'a request without a signature is refused',
    wanted: '403 AccessDenied',
    ask: async (server, prefix) =>
      await raw(server, `${prefix}-anonymous`, (headers) => {
        for (const name of Object.keys(headers)) delete headers[name];
        return undefined;
      }),
  },
  {
    title: 'other content than what was signed is refused',
    wanted: '400 XAmzContentSHA256Mismatch',
    ask: async (server, prefix) => await raw(server, `${prefix}-body`, () => 'something else'),
  },
  {
    title: 'a header that was changed after it was signed is refused',
    wanted: '403 SignatureDoesNotMatch',
    ask: async (server, prefix) =>
      await raw(server, `${prefix}-header`, (headers) => {
        headers['if-none-match'] = '"other"';
        return undefined;
      }),
  },
  {
    title: 'the conditions of the official client are honoured',
    wanted: '412 PreconditionFailed, 412 PreconditionFailed, 404 NoSuchKey',
    ask: async (server, prefix) =>
      await theirs(server, async (client, Bucket) => {
        await client.send(new PutObjectCommand({ Bucket, Key: `${prefix}/x`, Body: 'x' }));
        const put = async (Key: string, condition: { IfNoneMatch?: string; IfMatch?: string }) =>
          await refusalOf(client.send(new PutObjectCommand({ Bucket, Key, Body: 'y', ...condition })));
        const answers = [
          await put(`${prefix}/x`, { IfNoneMatch: '*' }),
          await put(`${prefix}/x`, { IfMatch: '"00000000000000000000000000000000"' }),
          await put(`${prefix}/none`, { IfMatch: '"00000000000000000000000000000000"' }),
        ];
        return answers.join(', ');
      }),
  },
  {
    title: 'what another tool uploads in parts our client reads, and does not replace',
    wanted: '5242883 bytes, false',
    ask: async (server, prefix) =>
      await theirs(server, async (client, Bucket) => {
        const Key = `${prefix}/big`;
        const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
        const Parts = [];
        for (const [index, Body] of [Buffer.alloc(partBytes, 'a'), Buffer.from('end')].entries()) {
          const PartNumber = index + 1;
          const { ETag } = await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }));
          Parts.push({ PartNumber, ETag });
        }
        const MultipartUpload = { Parts };
        await client.send(
          new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload, IfNoneMatch: '*' }),
        );
        const target = ours(server, { prefix });
        const found = await target.read('big', 2 * partBytes, signal);
        return `${found?.byteLength} bytes, ${await target.create('big', Buffer.from('x'), signal)}`;
      }),
  },
  {
    title: 'a part with a wrong checksum of its own is refused',
    wanted: '400 InvalidPart',
    ask: async (server, prefix) =>
      await theirs(server, async (client, Bucket) => {
        const Key = `${prefix}/wrong`;
        const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
        await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'x' }));
        const MultipartUpload = { Parts: [{ PartNumber: 1, ETag: '"00000000000000000000000000000000"' }] };
        return await refusalOf(
          client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload })),
        );
      }),
  },
  {
    title: 'a part that is too small to be followed by another one is refused',
    wanted: '400 EntityTooSmall',
    ask: async (server, prefix) =>
      await theirs(server, async (client, Bucket) => {
        const Key = `${prefix}/small`;
        const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
        const Parts = [];
        for (const PartNumber of [1, 2]) {
          const { ETag } = await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body: 'x' }));
          Parts.push({ PartNumber, ETag });
        }
        const MultipartUpload = { Parts };
        return await refusalOf(
          client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload })),
        );
      }),
  },
  {
    title: 'an object that is longer than allowed is left',
    wanted: 'an answer has more than the expected 10 bytes',
    async ask(server, prefix) {
      const target = ours(server, { prefix });
      await target.create('long', Buffer.alloc(1_000), signal);
      return await target.read('long', 10, signal).then(
        () => 'accepted',
        (error: unknown) => /an answer has more than the expected 10 bytes/.exec(String(error))?.[0] ?? String(error),
      );
    },
  },
  {
    title: 'a loop is backed up, continued, verified, and refused to a second machine',
    wanted: '2 intact, 0 damaged, newest 2; BACKUP_DIVERGED',
    async ask(server, prefix) {
      const folder = mkdtempSync(path.join(os.tmpdir(), 'ralphd-s3-'));
      try {
        const target = ours(server, { prefix });
        const ports = { target, place: 'here', nowMs: Date.now, signal, save: () => {} };
        const [loop, other] = ['one', 'other'].map((name) => createLoopFolder(path.join(folder, name)));
        if (loop === undefined || other === undefined) return '';
        loop.iterate();
        const before = await pushBackup(loop.source(), undefined, ports);
        loop.iterate();
        await pushBackup(loop.source(), before, ports);
        const { intact, damaged } = await verifyBackups({ target, signal }, loopId, noKeys);
        const { number } = await newestManifest({ target, signal }, loopId);
        other.append('{"seq":2,"other":true}');
        const refused = await pushBackup(other.source(), undefined, ports).then(
          () => 'accepted',
          (error: unknown) => (error as { readonly failure?: { readonly code: string } }).failure?.code,
        );
        return `${intact.length} intact, ${damaged.length} damaged, newest ${number}; ${refused}`;
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  },
];

import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { expect, onTestFinished, test } from 'vitest';
import { noKeys } from '../age.ts';
import { verifyBackups } from '../fetch.ts';
import { pushBackup } from '../push.ts';
import { createLoopFolder, loopId } from '../testing/loop-folder.ts';
import { type S3Server, send, startS3Server } from '../testing/s3-server.ts';
import { credentialsIn, parseCredentialsFile } from './credentials.ts';
import { parseListing } from './listing.ts';
import { createS3Target, type S3Settings } from './s3-target.ts';
import { signedHeaders } from './sign.ts';

const { signal } = new AbortController();
const oddNames = ['a b/c d', 'größe/日本語/🚀', "it's (really)*!~", 'a+b&c=d', '%41/..%2f', 'x/<tag>&amp;'];

function ours(server: S3Server, more: Partial<S3Settings> = {}) {
  const { endpoint, bucket, credentials } = server;
  const base = {
    name: 'cloud',
    prefix: '',
    region: 'eu-test-1',
    pathStyle: true,
    timeoutMs: 10_000,
    nowMs: () => Date.now(),
  };
  return createS3Target({ ...base, endpoint, bucket, credentials, retryDelaysMs: [1, 1], ...more });
}

function theirs({ endpoint, credentials }: S3Server): S3Client {
  const client = new S3Client({ endpoint, credentials, region: 'eu-test-1', forcePathStyle: true, maxAttempts: 1 });
  onTestFinished(() => client.destroy());
  return client;
}

test('the strict server accepts and refuses the official client as S3 does, so that it can judge ours', async () => {
  const server = await startS3Server();
  const [client, Bucket] = [theirs(server), server.bucket];
  for (const Key of oddNames) {
    await client.send(new PutObjectCommand({ Bucket, Key, Body: Key, IfNoneMatch: '*' }));
    await expect(client.send(new PutObjectCommand({ Bucket, Key, Body: 'x', IfNoneMatch: '*' }))).rejects.toMatchObject(
      {
        $metadata: { httpStatusCode: 412 },
      },
    );
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
    expect(await Body?.transformToString()).toBe(Key);
  }
  server.pageLength = 2;
  const { Contents, IsTruncated, NextContinuationToken } = await client.send(new ListObjectsV2Command({ Bucket }));
  expect([Contents?.length, IsTruncated]).toEqual([2, true]);
  const second = await client.send(new ListObjectsV2Command({ Bucket, ContinuationToken: NextContinuationToken }));
  expect(second.Contents?.[0]?.Key).toBe([...server.objects.keys()].toSorted()[2]);
  const Key = 'big';
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const { ETag } = await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'in parts' }));
  const wrongPart = { Parts: [{ PartNumber: 1, ETag: '"0"' }] };
  await expect(
    client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: wrongPart })),
  ).rejects.toMatchObject({ name: 'InvalidPart' });
  const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
  await client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload }));
  expect(server.objects.get('big')?.toString()).toBe('in parts');
  await expect(client.send(new PutObjectCommand({ Bucket, Key, Body: 'x', IfMatch: '"other"' }))).rejects.toMatchObject(
    {
      name: 'PreconditionFailed',
    },
  );
  await client.send(new DeleteObjectCommand({ Bucket, Key }));
  await expect(client.send(new GetObjectCommand({ Bucket, Key }))).rejects.toMatchObject({ name: 'NoSuchKey' });
  const wrong = theirs({ ...server, credentials: { ...server.credentials, secretAccessKey: 'wrong' } });
  await expect(wrong.send(new ListObjectsV2Command({ Bucket }))).rejects.toMatchObject({
    name: 'SignatureDoesNotMatch',
  });
});

test('what we store the official client reads, and the other way round, whatever the names contain', async () => {
  const server = await startS3Server();
  const [target, client, Bucket] = [ours(server, { prefix: 'a prefix/ü' }), theirs(server), server.bucket];
  for (const name of oddNames) {
    expect(await target.create(name, Buffer.from(name), signal)).toBe(true);
    expect(await target.create(name, Buffer.from('another'), signal)).toBe(false);
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: `a prefix/ü/${name}` }));
    expect(await Body?.transformToString()).toBe(name);
    await client.send(new PutObjectCommand({ Bucket, Key: `a prefix/ü/theirs/${name}`, Body: name }));
    expect(Buffer.from((await target.read(`theirs/${name}`, 100, signal)) ?? '').toString()).toBe(name);
  }
  expect(await target.read('missing', 10, signal)).toBeUndefined();
  await target.remove(oddNames[0] ?? '', signal);
  await target.remove('missing', signal);
  expect(server.objects.has(`a prefix/ü/${oddNames[0]}`)).toBe(false);
});

test('a listing of many pages is complete, in order, and begins where it is asked to', async () => {
  const server = await startS3Server();
  server.pageLength = 3;
  const target = ours(server, { prefix: 'p' });
  const names = Array.from({ length: 20 }, (_, index) => `n ${String(index).padStart(2, '0')}&ü`);
  for (const name of names) await target.create(`folder/${name}`, Buffer.from(''), signal);
  await target.create('folder/below/x', Buffer.from(''), signal);
  await target.create('other/x', Buffer.from(''), signal);
  expect(await target.list('folder', undefined, signal)).toEqual(names);
  expect(await target.list('folder', names[16], signal)).toEqual(names.slice(17));
  expect(await target.folders('', signal)).toEqual(['folder', 'other']);
});

test('a signature with a session token is right, and so is the example of the protocol', () => {
  const headers = signedHeaders(
    {
      method: 'GET',
      url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
      headers: { range: 'bytes=0-9' },
      body: new Uint8Array(),
    },
    {
      credentials: { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
      region: 'us-east-1',
      nowMs: Date.parse('2013-05-24T00:00:00Z'),
    },
  );
  expect(headers['authorization']).toContain('f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41');
});

test('a request with a session token is accepted', async () => {
  const server = await startS3Server();
  const target = ours(server, { credentials: { ...server.credentials, sessionToken: 'a/session+token==' } });
  await target.create('x', Buffer.from('x'), signal);
  expect(server.calls[0]?.headers['x-amz-security-token']).toBe('a/session+token==');
});

test('a server that refuses is named with its code and without any secret', async () => {
  const server = await startS3Server();
  const { credentials } = server;
  const wrongKey = ours(server, { credentials: { ...credentials, secretAccessKey: 'hunter2hunter2' } });
  const message = async (attempt: Promise<unknown>) =>
    await attempt.then(
      () => 'accepted',
      (error: unknown) => (error instanceof Error ? error.message : ''),
    );
  const texts = [
    await message(wrongKey.create('x', Buffer.from(''), signal)),
    await message(ours(server, { bucket: 'none' }).read('x', 1, signal)),
    await message(ours(server, { nowMs: () => Date.now() - 3_600_000 }).list('', undefined, signal)),
    await message(ours(server, { region: 'elsewhere' }).remove('x', signal)),
  ];
  expect(texts).toEqual([
    'The backup target "cloud" failed: it answered with HTTP 403 (SignatureDoesNotMatch); check the credentials and what they permit.',
    'The backup target "cloud" failed: it answered with HTTP 404 (NoSuchBucket); there is no bucket "none".',
    'The backup target "cloud" failed: it answered with HTTP 403 (RequestTimeTooSkewed); the clock of this machine is wrong.',
    'The backup target "cloud" failed: it answered with HTTP 400 (AuthorizationHeaderMalformed).',
  ]);
  server.intercept = (_call, response) => {
    send(response, 403, `<Error><Code>AccessDenied</Code><Message>${credentials.secretAccessKey}</Message></Error>`);
    return true;
  };
  expect(await message(ours(server).read('x', 1, signal))).not.toContain(credentials.secretAccessKey);
  server.intercept = (_call, response) => {
    response.writeHead(307, { location: 'http://127.0.0.1:1/elsewhere' }).end();
    return true;
  };
  expect(await message(ours(server).read('x', 1, signal))).toMatch(/HTTP 307; set the region or the endpoint/);
  server.intercept = (_call, response) => {
    send(response, 501, '<Error><Code>NotImplemented</Code></Error>');
    return true;
  };
  expect(await message(ours(server).create('x', Buffer.from(''), signal))).toMatch(/does not support conditions/);
});

test('a server that is busy, or cuts the connection before or in the middle of its answer, is tried again', async () => {
  const server = await startS3Server();
  server.objects.set('x', Buffer.alloc(100_000, 'x'));
  const faults: S3Server['intercept'][] = [
    (_call, response) => {
      send(response, 503, '<Error><Code>SlowDown</Code></Error>');
      return true;
    },
    (_call, response) => {
      response.destroy();
      return true;
    },
    (_call, response) => {
      response.writeHead(200, { 'content-length': 100_000 });
      response.write(Buffer.alloc(50_000), () => response.destroy());
      return true;
    },
  ];
  for (const fault of faults) {
    let isFirst = true;
    server.intercept = (...given) => {
      const isHit = isFirst;
      isFirst = false;
      return isHit && fault(...given);
    };
    expect((await ours(server).read('x', 100_000, signal))?.byteLength).toBe(100_000);
  }
  server.intercept = (_call, response) => {
    send(response, 500, '<Error><Code>InternalError</Code></Error>');
    return true;
  };
  await expect(ours(server).read('x', 100_000, signal)).rejects.toThrow(/HTTP 500 \(InternalError\)/);
  expect(server.calls.slice(-3).map(({ method }) => method)).toEqual(['GET', 'GET', 'GET']);
});

test('a write whose answer was lost is not made twice', async () => {
  const server = await startS3Server();
  let isFirst = true;
  server.intercept = ({ key, body }, response) => {
    if (!isFirst) return false;
    isFirst = false;
    server.objects.set(key, body);
    response.destroy();
    return true;
  };
  expect(await ours(server).create('x', Buffer.from('once'), signal)).toBe(false);
  expect(server.objects.get('x')?.toString()).toBe('once');
});

test('a server that does not answer, sends too much or lists for ever is left', async () => {
  const server = await startS3Server();
  server.intercept = () => true;
  await expect(ours(server, { timeoutMs: 50, retryDelaysMs: [] }).read('x', 1, signal)).rejects.toThrow(/in time/);
  const stop = new AbortController();
  const waiting = ours(server).read('x', 1, stop.signal);
  stop.abort();
  await expect(waiting).rejects.toThrow(/in time/);
  let sent = 0;
  server.intercept = (_call, response) => {
    const more = () => {
      sent += 1;
      if (!response.destroyed && sent < 1000) response.write(Buffer.alloc(65_536), more);
    };
    more();
    return true;
  };
  await expect(ours(server, { retryDelaysMs: [] }).read('x', 1_000, signal)).rejects.toThrow(
    /more than the expected 1000 bytes/,
  );
  expect(sent).toBeLessThan(1000);
  server.intercept = (_call, response) => {
    response.writeHead(200, { 'content-length': 10 * 1024 ** 3 }).write('x');
    return true;
  };
  await expect(ours(server).read('x', 1_000, signal)).rejects.toThrow(/more than the expected/);
  server.intercept = (_call, response) => {
    const page = '<Contents><Key>f/a</Key></Contents>';
    send(
      response,
      200,
      `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>${page}</ListBucketResult>`,
    );
    return true;
  };
  await expect(ours(server).list('f', undefined, signal)).rejects.toThrow(/does not advance/);
  await expect(ours(server).list('g', undefined, signal)).rejects.toThrow(/other names/);
});

test('a loop is backed up to a bucket and verified there, and every write has a condition', async () => {
  const [server, loop] = [await startS3Server(), createLoopFolder()];
  const target = ours(server, { prefix: 'team' });
  loop.iterate();
  const ports = { target, place: 'here', nowMs: () => Date.now(), signal, save: () => {} };
  const before = await pushBackup(loop.source(), undefined, ports);
  loop.iterate();
  await pushBackup(loop.source(), before, ports);
  expect(await verifyBackups({ target, signal }, loopId, noKeys)).toMatchObject({
    intact: ['000001-000000001', '000001-000000002'],
    damaged: [],
  });
  const writes = server.calls.filter(({ method }) => method === 'PUT');
  expect(writes).toHaveLength(6);
  expect(writes.every(({ headers }) => headers['if-none-match'] === '*')).toBe(true);
});

test("AWS's own variables and credentials file are understood", () => {
  const file =
    '[default]\naws_access_key_id = A\naws_secret_access_key=B\n\n[profile work]\nAWS_ACCESS_KEY_ID=C\r\naws_secret_access_key = D=\naws_session_token = E\n[empty]\n';
  expect(parseCredentialsFile(file, 'default')).toEqual({ accessKeyId: 'A', secretAccessKey: 'B' });
  expect(parseCredentialsFile(file, 'work')).toEqual({ accessKeyId: 'C', secretAccessKey: 'D=', sessionToken: 'E' });
  expect(parseCredentialsFile(file, 'empty')).toBeUndefined();
  expect(credentialsIn({ AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: 'B' })).toEqual({
    accessKeyId: 'A',
    secretAccessKey: 'B',
  });
  expect(credentialsIn({ AWS_ACCESS_KEY_ID: 'A' })).toBeUndefined();
});

test('a listing is read with and without encoded names, and anything else is none', () => {
  expect(parseListing('<html>')).toBeUndefined();
  expect(
    parseListing('<ListBucketResult><Contents><Key>a&#38;b&amp;&#xfc;&bad;</Key></Contents></ListBucketResult>')?.keys,
  ).toEqual(['a&b&ü&bad;']);
  const encoded =
    '<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>a+b%2Fc%</Key></Contents><CommonPrefixes><Prefix>a+b%2F</Prefix></CommonPrefixes></ListBucketResult>';
  expect(parseListing(encoded)).toEqual({ keys: ['a+b%2Fc%'], prefixes: ['a b/'] });
});
